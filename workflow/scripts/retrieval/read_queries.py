"""Read a set of the user's queries."""

from ragassay import tables
from ragassay.retrieval.texts import texts
from ragassay.schemas.queries import QUERIES
from ragassay.stage import log, run


def read_queries(files, queries, columns):
    with tables.Writer(QUERIES, queries) as kept:
        for row in texts(files, columns, ("kind", "passage_id")):
            kept.add({"query_id": row.pop("id"), **row})
    log.info("%d queries", kept.written)


if __name__ == "__main__":
    run(read_queries, snakemake)
