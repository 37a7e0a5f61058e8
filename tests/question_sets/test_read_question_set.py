"""read_question_set: three tables that refer to each other."""

from ragassay import tables
from ragassay.schemas.documents import DOCUMENTS
from ragassay.schemas.human_labels import HUMAN_LABELS
from ragassay.schemas.questions import QUESTIONS
from scripts.question_sets.read_question_set import read_question_set


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
