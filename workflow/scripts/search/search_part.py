"""Find the best passages of each query in a part of a corpus by BM25, as a search of the whole corpus scores them."""

import pyarrow.parquet as pq

from ragassay.base import tables
from ragassay.base.stage import log, run
from ragassay.corpora.corpus import NONE, Corpus, Frequencies, FrequencyError, lacks_documents, words_of
from ragassay.schemas.corpora import PART_NEIGHBOURS, QUERIES
from ragassay.search.bm25 import Bm25, best_by_words
from ragassay.search.neighbours import write


def search_part(passages, queries, word_counts, part_neighbours, options, count):
    """`options` are those of Bm25, and `titles`; `word_counts` are those of the whole corpus."""
    options = dict(options)
    corpus = Corpus(passages, options.pop("titles", NONE))
    asked = tables.read(QUERIES, queries, ["query_id", "text"]).to_pydict()
    frequencies = Frequencies.read(word_counts, {word for text in asked["text"] for word in words_of(text)})
    count_here = pq.read_metadata(passages).num_rows
    if frequencies.passages < count_here + (not lacks_documents(passages)):
        problem = f"found the words of {frequencies.passages} passages, expected more than the {count_here} of the part"
        raise FrequencyError(f"{word_counts}: {problem} {passages}; remove it and run again")
    indexes = (Bm25(texts, **options, frequencies=frequencies) for texts in corpus.blocks())
    best = best_by_words(indexes, asked["text"], count)
    write(part_neighbours, asked["query_id"], corpus.ids, best, PART_NEIGHBOURS)
    log.info("%d queries in %d of %d passages", len(best), len(corpus.ids), frequencies.passages)


if __name__ == "__main__":
    run(search_part, snakemake)
