"""Join what queries found in the parts of a corpus: the ranking that one search of all of it would give."""

from ragassay.base import tables
from ragassay.base.stage import log, run
from ragassay.schemas.corpora import NEIGHBOURS
from ragassay.search.neighbours import check_ids, merged


def merge_neighbours(passages, parts, neighbours, count):
    check_ids(passages)
    written = tables.write(NEIGHBOURS, neighbours, merged([tables.read(NEIGHBOURS, part) for part in parts], count))
    log.info("%d neighbours of %d parts", written, len(parts))


if __name__ == "__main__":
    run(merge_neighbours, snakemake)
