"""Count how many passages of a part of a corpus have each word."""

from ragassay.base.stage import log, run
from ragassay.corpora.corpus import Corpus, Frequencies


def count_words(passages, word_counts, titles):
    frequencies = Frequencies.counted(Corpus(passages, titles).texts())
    frequencies.write(word_counts)
    log.info(
        "%d words, %d different ones, in %d passages", frequencies.length, len(frequencies.having), frequencies.passages
    )


if __name__ == "__main__":
    run(count_words, snakemake)
