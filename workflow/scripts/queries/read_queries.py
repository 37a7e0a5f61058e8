"""Read a set of the user's queries. Where qrels say what is relevant, the queries that they judge are the set."""

from pathlib import Path

from ragassay.base import tables
from ragassay.base.errors import closest
from ragassay.base.stage import log, run
from ragassay.corpora.user_files import TextError, texts
from ragassay.corpora.user_files import qrels as judged
from ragassay.schemas.corpora import QUERIES

LISTS = ("relevant", "answers", "options")


def read_queries(files, queries, columns, qrels=(), lists=(), rows=None):
    """`qrels` is a list of no or one file. A query is about what has its highest grade, if it does not say so. `rows`
    says which are read, by field; `lists` are the files that it names.
    """
    wanted, rows = rows or {}, {row["id"]: row for row in texts(files, columns, ("kind", "passage_id"), LISTS)}
    named = {file: Path(file).read_text(encoding="utf-8").split() for file in lists}
    for field, values in wanted.items():
        rows = _chosen(rows, field, values, named)
    for file in qrels:
        relevant = judged(file, rows)
        rows = {name: rows[name] | _grades(relevant[name]) for name in rows if name in relevant}
    with tables.Writer(QUERIES, queries) as kept:
        for name, row in rows.items():
            del row["id"]
            own = row | {"passage_id": row["passage_id"] or next(iter(row["relevant"] or []), None)}
            kept.add(dict.fromkeys(QUERIES.schema.names) | {"query_id": name} | own)
    log.info("%d queries", kept.written)


def _chosen(rows, field, values, named):
    """The rows whose field has one of the values, and none of those that are left out; each value names some row."""
    of_rows = {row[field] for row in rows.values() if row[field] is not None}
    only = [*values.get("only", ()), *(named[values["listed"]] if "listed" in values else ())]
    missing = [value for value in (*only, *values.get("except", ())) if value not in of_rows]
    if missing:
        problem = f"found {missing[0]!r}, expected a value that a query has{closest(missing[0], of_rows)}"
        raise TextError(f"rows.{field} of the query set: {problem}; {len(missing)} of the values have none")
    left_out = values.get("except", ())
    chosen = {
        name: row for name, row in rows.items() if (not only or row[field] in only) and row[field] not in left_out
    }
    if not chosen:
        raise TextError(f"rows.{field} of the query set: found no query that is left, expected at least one")
    return chosen


def _grades(relevant):
    best_first = sorted((name for name in relevant if relevant[name] > 0), key=lambda name: (-relevant[name], name))
    return {"relevant": best_first, "grades": [relevant[name] for name in best_first]}


if __name__ == "__main__":
    run(read_queries, snakemake)
