"""build_explorer: everything of a document is on the page, so packed that no text is markup, the same every time."""

import base64
import gzip
import json
import re

from corpora.large_study import CLAIMS_EACH, IN_SCOPE, ROUNDS, VOTES
from ragassay.schemas.documents import DOCUMENTS
from ragassay.schemas.scope_questions import SELECTED_QUESTIONS
from rows import row as filled
from scripts.hardness.build_explorer import dossiers
from study import build

EVIL = "</script><script>alert(1)</script>"


def content(page):
    """The index and the documents, as the browser unpacks them."""
    packed = re.findall(r'<script type="application/octet-stream" id="[\w-]+">([^<]*)</script>', page.read_text())
    index, *pieces = [json.loads(gzip.decompress(base64.b64decode(text))) for text in packed]
    return index, [document for piece in pieces for document in piece]


def facet(index, name):
    found = next(facet for facet in index["facets"] if facet["name"] == name)
    return [found["values"][code] for code in found["codes"]]


def test_documents_come_with_claims_rounds_questions_and_votes(tmp_path):
    index, documents = content(build(tmp_path, 30))
    assert len(documents) == len(index["titles"]) == 30 and len(index["text"]) == 300
    for at, document in enumerate(documents):
        assert len(document["claims"]) == CLAIMS_EACH and len(document["questions"]) == CLAIMS_EACH + IN_SCOPE
        for claim in document["claims"]:
            assert [guess["novel"] for guess in claim["rounds"]] == [False] * (ROUNDS - 1) + [True]
        own = [question for question, number in enumerate(index["document"]) if number == at]
        assert [index["id"][question] for question in own] == [row["id"] for row in document["questions"]]
        for question, row in zip(own, document["questions"], strict=True):
            [judge] = row["votes"]
            out, sides = judge["votes"].count("out_of_scope"), len(judge["votes"])
            assert sides == VOTES and index["margin"][question] == (2 * out - VOTES) / VOTES
            assert facet(index, "label")[question] == row["label"] and facet(index, "topic")[question]
            assert (row["slot"] is None) == (row["intended"] == "in_scope")


def test_responses_stand_beside_each_other_with_what_the_judge_says(tmp_path):
    _, documents = content(build(tmp_path, 30))
    shown = [row["responses"] for document in documents for row in document["questions"] if row["responses"]]
    assert len(shown) == CLAIMS_EACH
    for own in shown:
        assert [(one["responder"], one["prompt"], one["label"]) for one in own] == [
            ("r1", "basic", "defused"),
            ("r2", "basic", "not_defused"),
        ]
        assert own[0]["text"] == "r1 says nothing of it."


def test_the_first_responders_are_shown_if_there_is_no_room_for_all(tmp_path, monkeypatch):
    monkeypatch.setattr("scripts.hardness.build_explorer.MOST_CHARACTERS", CLAIMS_EACH * len("r2 says nothing of it."))
    _, documents = content(build(tmp_path, 30))
    rows = [row for document in documents for row in document["questions"]]
    assert {one["responder"] for row in rows for one in row["responses"]} == {"r2"}


def test_strata_stand_in_their_order_and_what_was_not_kept_is_not_graded(tmp_path):
    index, _ = content(build(tmp_path, 30))
    strata = next(facet for facet in index["facets"] if facet["name"] == "stratum")
    assert strata["values"] == ["below 0.40", "0.40 to 0.60", "from 0.60"]
    graded = set(zip(facet(index, "status"), facet(index, "hardness"), strict=True))
    assert graded == {("kept", "hard"), ("kept", "not_hard"), ("disputed", "not_graded")}


def test_no_text_reaches_the_page_as_it_is(tmp_path):
    def change(name, row):
        return row | {column: EVIL for column in ("text", "title", "topic", "generator") if column in row}

    page = build(tmp_path / "evil", 2, change, title=EVIL)
    index, documents = content(page)
    assert EVIL in index["text"] and documents[0]["text"] == documents[0]["claims"][0]["text"] == EVIL
    plain = build(tmp_path / "plain", 2).read_text()
    assert "alert" not in page.read_text().replace("&lt;script&gt;alert(1)", "")
    assert page.read_text().count("<script") == plain.count("<script")


def test_an_abstention_shows_its_reason_and_missing_values_are_named(tmp_path):
    def change(name, row):
        if name == "scope_votes" and row["vote"] == 2:
            row |= {"verdict": None, "abstained": "truncated"}
        if name == "documents":
            row |= {"topic": None, "title": None, "published_at": None, "url": None, "site": None}
        return row

    index, [document] = content(build(tmp_path, 1, change))
    assert document["questions"][0]["votes"][0]["votes"][1] == "truncated"
    assert set(facet(index, "topic")) == {"(none)"} and index["titles"] == [document["id"]]
    assert document["published"] is None


def test_a_second_page_has_the_same_bytes(tmp_path):
    assert build(tmp_path / "a", 3).read_bytes() == build(tmp_path / "b", 3).read_bytes()


def test_responses_are_with_their_question_by_responder_and_prompt():
    document = filled(DOCUMENTS, doc_id="d", text="T")
    asked = [filled(SELECTED_QUESTIONS, question_id=name, doc_id="d", intended="in_scope", slot=1) for name in "ab"]
    answers = [
        {"question_id": "a", "responder": who, "prompt": how, "text": f"{who} {how}", "label": None}
        for who, how in [("z", "basic"), ("m", "cot"), ("m", "basic")]
    ]
    [found] = dossiers([document], [], [], [], asked, [], [], [], answers)
    assert [one["text"] for one in found["questions"][0]["responses"]] == ["m basic", "m cot", "z basic"]
    assert found["questions"][1]["responses"] == []


def test_a_document_without_questions_is_left_out():
    assert dossiers([filled(DOCUMENTS, doc_id="d")], [], [], [], [], [], [], []) == []
