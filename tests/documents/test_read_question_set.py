"""read_question_set: three tables that refer to each other."""

import json
import logging
from pathlib import Path

import pytest

from files_of_users import pdf
from ragassay.base import tables
from ragassay.documents.sources import document_files
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


def test_documents_of_a_folder_are_called_by_their_paths_and_those_that_cannot_be_read_are_left_out(
    settings, tmp_path, caplog
):
    folder = tmp_path / "handbook"
    (folder / "more").mkdir(parents=True)
    (folder / "ferry.md").write_text("# The ferry\n\nIt sails at nine and carries forty cars.\n")
    (folder / "more/bridge.pdf").write_bytes(pdf("The bridge fell in May, and nobody was hurt."))
    (folder / "locked.docx").write_bytes(bytes.fromhex("d0cf11e0") + bytes(600))
    (folder / "empty.txt").touch()
    (tmp_path / "asked.csv").write_text(
        "doc_id,question,out_of_scope\nferry.md,When?,\nmore/bridge.pdf,Who was hurt?,no\n"
    )
    made = {name: tmp_path / f"{name}.parquet" for name in ("documents", "questions", "human_labels")}
    files = {"document_files": document_files(folder), "question_files": [str(tmp_path / "asked.csv")]}
    read_question_set(**files, vote_files=[], **made, **settings, annotators={}, below=[str(folder)])
    rows = tables.read(DOCUMENTS, made["documents"]).to_pylist()
    named = {row["source_id"]: row["title"] for row in rows}
    assert named == {"ferry.md": "The ferry", "more/bridge.pdf": "bridge"}
    asked = tables.read(QUESTIONS, made["questions"]).to_pylist()
    assert {row["doc_id"] for row in asked} == {row["doc_id"] for row in rows}
    assert f"left out {folder / 'locked.docx'}: encrypted: " in caplog.text
    assert f"left out {folder / 'empty.txt'}: empty_text: found no text" in caplog.text
