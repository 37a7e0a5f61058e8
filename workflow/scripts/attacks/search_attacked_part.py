"""Find the best clean passages of each target's question in a part of a corpus under attack by BM25, as a search of the
whole corpus with what is planted scores them.
"""

import pyarrow.parquet as pq

from ragassay.base.stage import log, run
from ragassay.corpora.corpus import NONE, Corpus, FrequencyError
from ragassay.schemas.attacks import PART_RETRIEVED
from ragassay.search.bm25 import Bm25, best_by_words
from ragassay.search.neighbours import write
from ragassay.studies.poisoning.attacks import attacked_corpus, attacked_words


def search_attacked_part(passages, queries, word_counts, poisoned_passages, part_retrieved, options, count, tried=None):
    """`options` are those of Bm25, and `titles`; `word_counts` are those of the whole clean corpus."""
    options = dict(options)
    corpus, asked = Corpus(passages, options.pop("titles", NONE)), attacked_corpus.asked(queries, tried)
    _, poison = attacked_corpus.poisoned(poisoned_passages)
    frequencies = attacked_words.frequencies(word_counts, asked["text"], poison)
    clean, count_here = frequencies.passages - len(poison), pq.read_metadata(passages).num_rows
    if clean <= count_here:
        problem = f"found the words of {clean} passages, expected more than the {count_here} of the part {passages}"
        raise FrequencyError(f"{word_counts}: {problem}; remove it and run again")
    indexes = (Bm25(texts, **options, frequencies=frequencies) for texts in corpus.blocks())
    best = best_by_words(indexes, asked["text"], count)
    write(part_retrieved, asked["query_id"], corpus.ids, best, PART_RETRIEVED)
    log.info("%d queries in %d of %d clean passages", len(best), len(corpus.ids), clean)


if __name__ == "__main__":
    run(search_attacked_part, snakemake)
