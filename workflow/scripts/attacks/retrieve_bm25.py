"""Find what targets' questions find in a corpus under attack, by BM25. Each passage changes how rare a word is and how
long passages are, so clean and poisoned ones are searched together.
"""

import pyarrow as pa

from ragassay.base.stage import log, run
from ragassay.corpora.corpus import NONE, Corpus
from ragassay.schemas.corpora import NEIGHBOURS
from ragassay.search.bm25 import Bm25
from ragassay.search.neighbours import merged, of_sparse
from ragassay.studies.poisoning.attacks import attacked_corpus


def retrieve_bm25(passages, queries, poisoned_passages, retrieved, options, count, tried=None):
    """`options` are those of Bm25, and `titles`."""
    corpus = Corpus(passages, options.get("titles", NONE))
    poison_ids, poison = attacked_corpus.poisoned(poisoned_passages)
    options = {key: value for key, value in options.items() if key != "titles"}
    index = Bm25((text for texts in (corpus.texts(), poison) for text in texts), **options)
    names = pa.chunked_array([*corpus.ids.chunks, *poison_ids.chunks], pa.string())
    asked = attacked_corpus.asked(queries, tried)
    parts = [NEIGHBOURS.schema.empty_table(), *of_sparse(index, asked["query_id"], asked["text"], names, count)]
    attacked_corpus.write(retrieved, merged(parts, count), poisoned_passages)
    log.info("%d poisoned passages among %d for %d queries", len(poison), len(names), len(asked["text"]))


if __name__ == "__main__":
    run(retrieve_bm25, snakemake)
