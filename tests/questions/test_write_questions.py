"""write_questions: wanted = written + rejected, with lineage; count, length and form are checked."""

import pytest

from ragassay.calls.model import Answer
from ragassay.studies.scope.model_answers import flaw, read_questions
from scripts.questions.write_questions import Wanted, write_questions
from study import document, novel
from tools.loopback import Loopback

CLAIMS = {2: "The boat is red.", 3: "The boat is old.", 5: "The boat sank."}
FIVE = "Who built the boat?"


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("Who built the boat that lies in the harbour now?", None),
        ("Who decides when and where the boat will be shown?", None),
        ("Which of the two, the sailmaker or the net dealer, got the lease?", None),
        ("Who built the boat now?", None),
        ("Who built the boat that lies in the harbour of the old market town?", None),
        ("Who built it?", "too_short"),
        ("Who built the boat that lies in the harbour of the old town of Brackwater now?", "too_long"),
        ("Somebody built the boat that lies in the harbour.", "no_question"),
        ("Who built the boat? And who paid for it?", "two_questions"),
        ("Who built the boat, and when was it first sold?", "two_questions"),
    ],
)
def test_the_form_of_a_question(text, reason):
    found = flaw(text, 5, 14)
    assert (found and found[0]) == reason


@pytest.mark.parametrize(
    ("intended", "text", "finish", "expected"),
    [
        ("out_of_scope", f"2. {FIVE}\n5. {FIVE}", "stop", {2: FIVE, 3: "left_out", 5: FIVE}),
        ("out_of_scope", f"1. {FIVE}\n2. {FIVE}", "stop", dict.fromkeys(CLAIMS, "wrong_number")),
        ("out_of_scope", "None", "stop", dict.fromkeys(CLAIMS, "left_out")),
        ("out_of_scope", "", "stop", dict.fromkeys(CLAIMS, "empty")),
        ("out_of_scope", f"2. {FIVE}\n3. Who", "length", {2: FIVE, 3: "truncated", 5: "truncated"}),
        ("in_scope", f"1. {FIVE}", "stop", {1: FIVE, 2: "count_mismatch"}),
        ("in_scope", f"1. {FIVE}\n2. {FIVE}\n3. {FIVE}", "stop", {1: FIVE, 2: FIVE}),
    ],
)
def test_questions_are_taken_by_the_numbers_of_their_claims(intended, text, finish, expected):
    claims = {number: {"text": claim} for number, claim in CLAIMS.items()}
    one = Wanted({}, intended, claims if intended == "out_of_scope" else dict.fromkeys((1, 2)))
    found = read_questions(Answer(text, finish), one.claims, one.about)
    assert {number: question or why[0] for number, (question, why) in found.items()} == expected


def run(study):
    prompts = {"out_of_scope_prompt": "write_out_of_scope_questions", "in_scope_prompt": "write_in_scope_questions"}
    settings = {"in_scope_per_document": 4, "fewest_words": 3, "most_words": 9}
    return study.run(write_questions, ["documents", "novel_claims"], ["questions", "rejects"], prompts, **settings)


def test_what_is_wanted_is_written_with_its_lineage_or_rejected_with_a_reason(study):
    study.write(
        documents=[document(doc, f"text of {doc}") for doc in "ab"],
        novel_claims=[novel("a", 2, "The boat is red."), novel("a", 3, "The boat is old.")],
    )
    with Loopback(respond="answers:questions") as server:
        study.asks(server.url)
        rows, rejects = run(study)
        assert run(study) == [rows, rejects] and server.summary()["billed"] == 3
    assert [(row["doc_id"], row["intended"], row["slot"], row["text"]) for row in rows] == [
        ("a", "in_scope", 1, "Who built the boat?"),
        ("a", "out_of_scope", 2, "Who painted the boat red?"),
        ("b", "in_scope", 1, "Who built the boat?"),
    ]
    lineage = [(row["recovered_id"], row["claim_id"], row["round"]) for row in rows]
    assert lineage == [(None, None, None), ("recovered-a-3-2", "claim-a-2", 3), (None, None, None)]
    assert len({row["question_id"] for row in rows}) == 3 and {row["n_words"] for row in rows} == {4, 5}
    assert rows[0]["prompt"] == rows[2]["prompt"] != rows[1]["prompt"]
    reasons = {row["item"]: row["reason"] for row in rejects}
    assert reasons["recovered-a-3-3"] == "left_out" and len(reasons) == 7
    assert [reasons[f"b in scope {n}"] for n in (2, 3, 4)] == ["too_long", "repeated", "count_mismatch"]
