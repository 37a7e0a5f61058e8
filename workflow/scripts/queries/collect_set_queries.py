"""The questions of a set are queries, each about the document that it came with. All are used."""

from ragassay.base import tables
from ragassay.base.stage import log, run
from ragassay.schemas.corpora import QUERIES
from ragassay.schemas.scope_questions import QUESTIONS


def collect_set_queries(questions, queries):
    rows = tables.read(QUESTIONS, questions, ["question_id", "doc_id", "text", "intended"]).to_pylist()
    with tables.Writer(QUERIES, queries) as writer:
        for row in rows:
            own = {"query_id": row["question_id"], "text": row["text"], "kind": row["intended"]}
            writer.add(dict.fromkeys(QUERIES.schema.names) | own | {"passage_id": row["doc_id"]})
    log.info("%d questions", len(rows))


if __name__ == "__main__":
    run(collect_set_queries, snakemake)
