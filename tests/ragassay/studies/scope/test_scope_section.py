"""Examples: chosen by a hash, one of each kind where there is one, and shown from the document to the label."""

import datetime

import pytest

from ragassay.schemas.documents import DOCUMENTS
from ragassay.schemas.scope_questions import SCOPE_LABELS, SELECTED_QUESTIONS
from ragassay.studies.scope.scope_section import TITLES, chosen, lineage
from rows import row

HARD, KEPT, DISPUTED = (TITLES[name] for name in ("hard", "kept", "disputed"))


def questions(status, count, start=0, intended="out_of_scope", doc=None):
    values = {"intended": intended, "status": status}
    names = range(start, start + count)
    return [row(SELECTED_QUESTIONS, question_id=f"q{n}", doc_id=doc or f"d{n}", **values) for n in names]


@pytest.mark.parametrize(
    ("rows", "hard", "titles"),
    [
        ([], [], []),
        (questions("kept", 9) + questions("disputed", 5, 20), ["q3"], [HARD, KEPT, DISPUTED]),
        (questions("kept", 9) + questions("disputed", 5, 20), [], [KEPT, KEPT, DISPUTED]),
        (questions("kept", 9), ["q3"], [HARD, KEPT, KEPT]),
        (questions("kept", 9), [f"q{n}" for n in range(9)], [HARD, HARD, HARD]),
        (questions("disputed", 5), [], [DISPUTED]),
        (questions("kept", 9, intended="in_scope") + questions("undecided", 9), [], []),
        (questions("kept", 9, doc="d") + questions("disputed", 1, 20), [], [KEPT, DISPUTED]),
    ],
)
def test_there_is_one_of_each_kind_from_documents_of_their_own(rows, hard, titles):
    found = chosen(rows, set(hard))
    assert [title for title, _ in found] == titles
    assert len({question["doc_id"] for _, question in found}) == len(found)
    assert chosen(rows[::-1], set(hard)) == found


def test_the_lineage_goes_from_the_document_to_the_label():
    document = row(DOCUMENTS, title="T", site="a.example", text="The text.")
    document["published_at"] = datetime.datetime(2026, 9, 3, tzinfo=datetime.UTC)
    question = row(SELECTED_QUESTIONS, text="Why?", recovered_id="r2", judge="j", status="kept", label="out_of_scope")
    question["split"] = "train"
    guesses = [{"recovered_id": f"r{n}", "round": n, "to_original": n / 4, "text": f"Guess {n}."} for n in (1, 2)]
    label = row(SCOPE_LABELS, out_votes=7, in_votes=1, abstained=1)
    claim = {"slot": 3, "text": "Claim."}
    found = list(lineage(question, document, claim, guesses, label, {"nearness": 0.654}, {"score": 0.9}))
    assert found == [
        ("Headline", "T"),
        ("Published", "a.example, 2026-09-03"),
        ("Document", "The text."),
        ("Claim in slot 3", "Claim."),
        ("Round 1, similarity 0.25", "Guess 1."),
        ("Round 2, similarity 0.50; not supported, so asked about", "Guess 2."),
        ("Question", "Why?"),
        ("Votes of j", "7 out of scope, 1 in scope, 1 without a verdict"),
        ("Outcome", "kept, labelled out_of_scope, split train"),
        ("Nearness", "0.65 to its document's nearest claim; out of scope by shared words alone: 0.90"),
    ]


def test_what_is_not_known_is_left_out_or_said():
    given = (row(SELECTED_QUESTIONS), row(DOCUMENTS), {"slot": 1, "text": "C"}, [], row(SCOPE_LABELS))
    parts = dict(lineage(*given, None, None))
    assert parts["Headline"] == "(none)" and parts["Published"] == "no site, no date" and "Nearness" not in parts
    assert (
        dict(lineage(*given, {"nearness": 0.5}, {"score": None}))["Nearness"] == "0.50 to its document's nearest claim"
    )
