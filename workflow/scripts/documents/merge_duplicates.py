"""Merge the indexes of a block of shards into one, so that later shards read few files."""

from ragassay.base.stage import log, run
from ragassay.text.duplicate_index import DuplicateIndex


def merge_duplicates(indexes, merged):
    indexes = [indexes] if isinstance(indexes, str) else indexes
    block = DuplicateIndex.merged(map(DuplicateIndex.read, indexes))
    block.write(merged)
    log.info("%d texts of %d shards", len(block), len(indexes))


if __name__ == "__main__":
    run(merge_duplicates, snakemake)
