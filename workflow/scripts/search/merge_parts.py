"""Join what queries found by BM25 in the parts of a corpus: the ranking that one search of all of it would give.
Synthetic queries do not find the sentence that they were made from.
"""

from ragassay.base import tables
from ragassay.base.stage import log, run
from ragassay.corpora.corpus import NONE, Frequencies, FrequencyError, words_of
from ragassay.schemas.corpora import NEIGHBOURS, PART_NEIGHBOURS, QUERIES
from ragassay.search.bm25 import pairs
from ragassay.search.masked_sources import mask
from ragassay.search.neighbours import check_ids, merged, of_parts


def merge_parts(passages, parts, queries, word_counts, neighbours, options, count, copied=0.0):
    """`options` are those of Bm25, and `titles`; `copied` is that of `masked_sources`."""
    number, options = check_ids(passages), dict(options)
    titles = options.pop("titles", NONE)
    texts = tables.read(QUERIES, queries, ["text"])["text"].to_pylist()
    frequencies = Frequencies.read(word_counts, {word for text in texts for word in words_of(text)})
    if frequencies.passages != number:
        problem = f"found the words of {frequencies.passages} passages, expected those of all {number} in the parts"
        raise FrequencyError(f"{word_counts}: {problem}; remove it and run again")
    rankings = of_parts(PART_NEIGHBOURS, passages, parts)
    written = tables.write(NEIGHBOURS, neighbours, merged(rankings, count))
    mask(neighbours, queries, passages, titles, pairs(frequencies, **options), copied)
    log.info("%d neighbours of %d parts", written, len(parts))


if __name__ == "__main__":
    run(merge_parts, snakemake)
