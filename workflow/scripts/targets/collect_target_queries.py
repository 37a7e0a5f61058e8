"""The questions of a dataset's targets are queries."""

from ragassay.base import tables
from ragassay.base.stage import run
from ragassay.schemas.attacks import TARGETS
from ragassay.schemas.corpora import QUERIES


def collect_target_queries(targets, queries):
    with tables.Writer(QUERIES, queries) as kept:
        for row in tables.read(TARGETS, targets).to_pylist():
            own = {"query_id": row["target_id"], "text": row["question"], "kind": "target"}
            own |= {"passage_id": row["document"], "answers": row["answers"]}
            kept.add(dict.fromkeys(QUERIES.schema.names) | own)


if __name__ == "__main__":
    run(collect_target_queries, snakemake)
