"""Find what targets' questions find in a corpus under attack, by BM25. Each passage changes how rare a word is and how
long passages are, so clean and poisoned ones are searched together.
"""

from itertools import chain

import pyarrow as pa
import pyarrow.compute as pc

from ragassay.base.stage import log, run
from ragassay.corpora.corpus import NONE, Corpus
from ragassay.schemas.corpora import NEIGHBOURS
from ragassay.search.bm25 import best_at_once
from ragassay.search.neighbours import merged, of_best
from ragassay.studies.poisoning.attacks import attacked_corpus, attacked_words


def retrieve_bm25(passages, queries, poisoned_passages, retrieved, options, count, tried=None):
    """`options` are those of Bm25, and `titles`."""
    options = dict(options)
    corpus, asked = Corpus(passages, options.pop("titles", NONE)), attacked_corpus.asked(queries, tried)
    poison_ids, poison = attacked_corpus.poisoned(poisoned_passages)
    best, frequencies = best_at_once(chain(corpus.blocks(), [poison]), asked["text"], count, **options)
    names = pa.chunked_array([*corpus.ids.chunks, *poison_ids.chunks], pa.string())
    both = pa.concat_tables([NEIGHBOURS.schema.empty_table(), *of_best(asked["query_id"], names, best)])
    clean = both.filter(pc.invert(pc.is_in(both["passage_id"], poison_ids.combine_chunks())))
    # Ranked apart: where scores are equal, the stream has clean passages first, whatever their ids.
    planted = attacked_words.of_poison(asked, poison_ids, poison, frequencies, options, count)
    attacked_corpus.write(retrieved, merged([clean, *planted], count), poisoned_passages)
    log.info("%d poisoned passages among %d for %d queries", len(poison), len(names), len(asked["text"]))


if __name__ == "__main__":
    run(retrieve_bm25, snakemake)
