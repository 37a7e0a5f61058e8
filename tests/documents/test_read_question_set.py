"""read_question_set: three tables that refer to each other."""

import json
import logging
from pathlib import Path

import pytest

from ragassay.base import tables
from ragassay.schemas.documents import DOCUMENTS
from ragassay.schemas.people import HUMAN_LABELS
from ragassay.schemas.scope_questions import QUESTIONS
from scripts.documents.read_question_set import read_question_set


def test_documents_questions_and_votes_of_people(files, settings, tmp_path):
    made = {name: tmp_path / f"{name}.parquet" for name in ("documents", "questions", "human_labels")}
    read_question_set(**files, vote_files=[], **made, **settings, annotators={"ann": "j"})
    documents, questions, labels = (
        tables.read(table, made[table.name]).to_pylist() for table in (DOCUMENTS, QUESTIONS, HUMAN_LABELS)
    )
    assert {row["source_id"] for row in documents} == {"a", "b"} and {row["shard"] for row in documents} == {"mine"}
    assert {row["doc_id"] for row in questions} == {row["doc_id"] for row in documents}
    texts = {row["question_id"]: row["text"] for row in questions}
    assert {texts[row["question_id"]]: row["label"] for row in labels} == {
        "When does the ferry sail?": "in_scope",
        "Who is the captain?": "out_of_scope",
        "When did the bridge fall?": "out_of_scope",
    }


@pytest.mark.parametrize(("column", "warned"), [("j", False), ("opposite", True)])
def test_the_log_counts_the_labels_and_warns_where_people_say_the_opposite(
    files, settings, tmp_path, caplog, column, warned
):
    rows = [json.loads(line) for line in Path(files["question_files"][0]).read_text().splitlines()]
    rows = [row | {"opposite": "no" if row["out_of_scope"] else "yes"} for row in rows]
    Path(files["question_files"][0]).write_text("".join(json.dumps(row) + "\n" for row in rows))
    made = {name: tmp_path / f"{name}.parquet" for name in ("documents", "questions", "human_labels")}
    with caplog.at_level(logging.INFO, "ragassay"):
        read_question_set(**files, vote_files=[], **made, **settings, annotators={"ann": column})
    assert "4 questions: 2 out of scope, 2 in scope, 0 without a label" in caplog.text
    expected = "people say the opposite of 4 of the 4 labels that they voted on; a column that says"
    assert (expected in caplog.text) == warned == ("columns.questions.in_scope" in caplog.text)
