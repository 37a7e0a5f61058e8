"""Add the counts of words in the parts of a corpus, for BM25 to weigh words as in one search of all of it."""

import pyarrow as pa

from ragassay.base import tables
from ragassay.base.stage import log, run
from ragassay.schemas.corpora import WORD_COUNTS

SUMS = ("passages", "words")


def add_word_counts(parts, word_counts):
    total = WORD_COUNTS.schema.empty_table()
    for part in parts:
        both = pa.concat_tables([total, tables.read(WORD_COUNTS, part)])
        sums = both.group_by("word").aggregate([(name, "sum") for name in SUMS])
        total = sums.rename_columns({f"{name}_sum": name for name in SUMS}).cast(WORD_COUNTS.schema)
    tables.write(WORD_COUNTS, word_counts, total)
    log.info("%d words in %d parts", len(total) - 1, len(parts))


if __name__ == "__main__":
    run(add_word_counts, snakemake)
