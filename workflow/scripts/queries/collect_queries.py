"""The kept questions of a study are queries, each about the document that it was written for."""

from ragassay.base import tables
from ragassay.base.stage import log, run
from ragassay.schemas.corpora import QUERIES
from ragassay.schemas.scope_questions import SELECTED_QUESTIONS
from ragassay.studies.scope.votes import KEPT


def collect_queries(selected_questions, queries):
    columns = ["question_id", "doc_id", "text", "intended", "status"]
    rows = tables.read_all(SELECTED_QUESTIONS, selected_questions, columns).to_pylist()
    kept = [row for row in rows if row["status"] == KEPT]
    with tables.Writer(QUERIES, queries) as writer:
        for row in kept:
            own = {"query_id": row["question_id"], "text": row["text"], "kind": row["intended"]}
            writer.add(dict.fromkeys(QUERIES.schema.names) | own | {"passage_id": row["doc_id"]})
    log.info("%d of %d questions", len(kept), len(rows))


if __name__ == "__main__":
    run(collect_queries, snakemake)
