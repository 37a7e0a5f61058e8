"""Join what queries found in the parts of a corpus: the ranking that one search of all of it would give."""

import pyarrow.compute as pc

from ragassay.base import tables
from ragassay.base.errors import AssayError
from ragassay.base.stage import log, run
from ragassay.schemas.corpora import NEIGHBOURS, PASSAGES
from ragassay.search.neighbours import merged


class RepeatedId(AssayError):
    """Two parts of a corpus have a passage of the same id."""


def merge_neighbours(passages, parts, neighbours, count):
    _check_ids(passages)
    written = tables.write(NEIGHBOURS, neighbours, merged([tables.read(NEIGHBOURS, part) for part in parts], count))
    log.info("%d neighbours of %d parts", written, len(parts))


def _check_ids(passages):
    ids = tables.read_all(PASSAGES, passages, ["passage_id"])["passage_id"]
    if pc.count_distinct(ids).as_py() < len(ids):
        name = next(counted["values"] for counted in ids.value_counts().to_pylist() if counted["counts"] > 1)
        where = ", ".join(map(str, passages))
        raise RepeatedId(f"{where}: found the id {name!r} in two parts of a corpus, expected each id once; rename one")


if __name__ == "__main__":
    run(merge_neighbours, snakemake)
