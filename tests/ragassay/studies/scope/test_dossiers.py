"""Dossiers: answers of several models to a question stand beside each other."""

from ragassay.schemas.documents import DOCUMENTS
from ragassay.schemas.scope_questions import SELECTED_QUESTIONS
from ragassay.studies.scope.dossiers import dossiers
from rows import row


def test_responses_are_with_their_question_by_responder_and_prompt():
    document = row(DOCUMENTS, doc_id="d", text="T")
    asked = [row(SELECTED_QUESTIONS, question_id=name, doc_id="d", intended="in_scope", slot=1) for name in "ab"]
    answers = [
        {"question_id": "a", "responder": who, "prompt": how, "text": f"{who} {how}", "label": None}
        for who, how in [("z", "basic"), ("m", "cot"), ("m", "basic")]
    ]
    [found] = dossiers([document], [], [], [], asked, [], [], [], answers)
    assert [one["text"] for one in found["questions"][0]["responses"]] == ["m basic", "m cot", "z basic"]
    assert found["questions"][1]["responses"] == []


def test_a_document_without_questions_is_left_out():
    assert dossiers([row(DOCUMENTS, doc_id="d")], [], [], [], [], [], [], []) == []
