"""ask_service: what came of each question, with the passages, from services that answer in known ways."""

import json

import pytest

from services import ARCHIVE, asker, of_question, right


@pytest.fixture
def asked(tmp_path):
    return asker(tmp_path)


def test_rows_hold_what_came(asked):
    rows = asked("right", of_question(right))
    answers = {(row["question_id"], row["ask"]): row for row in rows["answers"]}
    assert len(answers) == 16 and len(rows["responses"]) == 8 and len(rows["passages"]) == 16
    assert answers["question-0", 1] | {"text": ""} == {
        "question_id": "question-0", "ask": 1, "doc_id": "harbour", "intended": "in_scope", "text": "",
        "question_type": None,
        "finish_reason": "stop", "detail": None, "outcome": "answered", "retrieved": 1, "document_rank": 1,
        "support": 1.0, "supported": True, "citations": 1, "unknown_citations": 0, "responder": "service:right",
    }  # fmt: skip
    [first] = [row for row in rows["passages"] if (row["question_id"], row["ask"]) == ("question-0", 1)]
    assert (first["passage_id"], first["source"], first["score"]) == ("harbour", "harbour.txt", 1.0)
    assert first["of_document"] and first["text"] == ARCHIVE["harbour"][0]
    assert {row["prompt_name"] for row in rows["responses"]} == {"question_alone"}


def test_without_passages_only_what_they_say_is_measured(asked, tmp_path):
    rows = asked("silent", of_question(lambda question: {"answer": right(question)["answer"], "passages": []}))
    assert {row["retrieved"] for row in rows["answers"]} == {0} and rows["passages"] == []
    assert all(row["supported"] is False for row in rows["answers"] if row["outcome"] == "answered")


def test_a_refused_question_is_a_row_that_abstains(asked):
    def broken(body):
        return {"error": {"code": 400, "message": "too odd"}} if "Pell" in body else right(json.loads(body)["question"])

    rows = asked("broken", broken, asks=1)
    [row] = [row for row in rows["answers"] if row["outcome"] == "abstained"]
    assert row["question_id"] == "question-0" and "too odd" in row["detail"] and row["retrieved"] is None
