"""Put the parts of a corpus into one table. An id that two parts have is an error."""

from ragassay.base import tables
from ragassay.base.stage import log, run
from ragassay.schemas.corpora import PASSAGES


def join_passages(parts, passages):
    with tables.Writer(PASSAGES, passages) as joined:
        for part in parts:
            for batch in tables.batches(PASSAGES, part):
                joined.write(batch)
    log.info("%d passages of %d parts", joined.written, len(parts))


if __name__ == "__main__":
    run(join_passages, snakemake)
