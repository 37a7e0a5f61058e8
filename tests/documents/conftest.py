"""A small question set in files, and the settings that its stages get."""

import pytest

from ragassay.base.atomic import write_lines

DOCUMENTS = {"a": "The ferry sails at nine. It carries forty cars.", "b": "A bridge fell in May. Nobody was hurt."}
QUESTIONS = [
    {"doc_id": "a", "question": "When does the ferry sail?", "out_of_scope": False, "m": "At nine.", "j": "no"},
    {"doc_id": "a", "question": "Who is the captain?", "out_of_scope": True, "m": "", "j": "yes"},
    {"doc_id": "b", "question": "When did the bridge fall?", "out_of_scope": False, "m": "In May.", "j": "yes"},
    {"doc_id": "b", "question": "Who built the bridge?", "out_of_scope": True, "m": "Nobody.", "j": None},
]
NAMES = {
    "documents": ["doc_id", "text", "title", "url", "date", "topic"],
    "questions": ["question_id", "doc_id", "question", "out_of_scope"],
    "responses": ["question_id", "responder", "response"],
    "human_votes": ["question_id", "annotator", "task", "responder", "label"],
}


@pytest.fixture
def files(tmp_path):
    """The set's files, as a stage gets them."""
    texts, asked = tmp_path / "documents.jsonl", tmp_path / "questions.jsonl"
    write_lines(texts, [{"doc_id": name, "text": text} for name, text in DOCUMENTS.items()])
    write_lines(asked, QUESTIONS)
    return {"document_files": [str(texts)], "question_files": [str(asked)]}


@pytest.fixture
def settings():
    return {"name": "mine", "columns": {name: {one: one for one in columns} for name, columns in NAMES.items()}}
