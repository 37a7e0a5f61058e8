"""Read a corpus of the user's: passages that queries are searched in."""

from ragassay import tables
from ragassay.retrieval.texts import texts
from ragassay.schemas.passages import PASSAGES
from ragassay.stage import log, run


def read_passages(files, passages, columns):
    with tables.Writer(PASSAGES, passages) as kept:
        for row in texts(files, columns, ("title", "source")):
            kept.add({"passage_id": row.pop("id"), **row})
    log.info("%d passages", kept.written)


if __name__ == "__main__":
    run(read_passages, snakemake)
