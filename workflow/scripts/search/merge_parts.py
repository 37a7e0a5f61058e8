"""Join what queries found by BM25 in the parts of a corpus: the ranking that one search of all of it would give.
Synthetic queries do not find the sentence that they were made from.
"""

from ragassay.base import tables
from ragassay.base.stage import log, run
from ragassay.corpora.corpus import NONE
from ragassay.corpora.frequencies import Frequencies, words_of
from ragassay.schemas.corpora import NEIGHBOURS, PART_NEIGHBOURS, QUERIES
from ragassay.search.bm25 import pairs
from ragassay.search.masked_sources import mask
from ragassay.search.neighbours import check_ids, merged


def merge_parts(passages, parts, queries, word_counts, neighbours, options, count, copied=0.0):
    """`options` are those of Bm25, and `titles`; `copied` is that of `masked_sources`."""
    check_ids(passages)
    options = dict(options)
    titles = options.pop("titles", NONE)
    rankings = [tables.read(PART_NEIGHBOURS, part) for part in parts]
    written = tables.write(NEIGHBOURS, neighbours, merged(rankings, count))
    texts = tables.read(QUERIES, queries, ["text"])["text"].to_pylist()
    frequencies = Frequencies.read(word_counts, {word for text in texts for word in words_of(text)})
    mask(neighbours, queries, passages, titles, pairs(frequencies, **options), copied)
    log.info("%d neighbours of %d parts", written, len(parts))


if __name__ == "__main__":
    run(merge_parts, snakemake)
