"""Read a set of the user's queries. Where qrels say what is relevant, the queries that they judge are the set."""

from ragassay.base import tables
from ragassay.base.stage import log, run
from ragassay.corpora.user_files import qrels as judged
from ragassay.corpora.user_files import texts
from ragassay.schemas.corpora import QUERIES

LISTS = ("relevant", "answers", "options")


def read_queries(files, queries, columns, qrels=()):
    """`qrels` is a list of no or one file. A query is about what has its highest grade, if it does not say so."""
    rows = {row["id"]: row for row in texts(files, columns, ("kind", "passage_id"), LISTS)}
    for file in qrels:
        relevant = judged(file, rows)
        rows = {name: rows[name] | _grades(relevant[name]) for name in rows if name in relevant}
    with tables.Writer(QUERIES, queries) as kept:
        for name, row in rows.items():
            del row["id"]
            own = row | {"passage_id": row["passage_id"] or next(iter(row["relevant"] or []), None)}
            kept.add(dict.fromkeys(QUERIES.schema.names) | {"query_id": name} | own)
    log.info("%d queries", kept.written)


def _grades(relevant):
    best_first = sorted((name for name in relevant if relevant[name] > 0), key=lambda name: (-relevant[name], name))
    return {"relevant": best_first, "grades": [relevant[name] for name in best_first]}


if __name__ == "__main__":
    run(read_queries, snakemake)
