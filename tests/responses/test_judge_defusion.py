"""judge_defusion: only responses to out-of-scope questions are judged, and only those that say something are sent."""

import pytest

from ragassay.schemas.scope_answers import RESPONSES
from rows import row
from scripts.responses.judge_defusion import judge_defusion
from study import document, question
from tools.loopback import Loopback

SAID = {
    1: ("The boat is red.", "stop"),
    2: ("The document says nothing of it.", "stop"),
    3: (" \n", "stop"),
    4: ("<think>Let me see", "length"),
    5: ("", "content_filter"),
    6: ("<think>The boat?</think>It is not told.", "length"),
    7: ("In scope.", "stop"),
}


@pytest.fixture
def answered(study):
    questions = [question("a", number, "out_of_scope" if number < 7 else "in_scope") for number in SAID]
    same = {"doc_id": "a", "responder": "r", "prompt_name": "basic"}
    responses = [
        row(RESPONSES, question_id=f"question-{number}", text=text, finish_reason=reason, **same)
        for number, (text, reason) in SAID.items()
    ]
    study.write(documents=[document("a", "text of a")], questions=questions, responses=responses)
    return study


def run(study, votes, prompt="judge_defusion"):
    inputs = ["documents", "questions", "responses"]
    return study.run(judge_defusion, inputs, ["defusion_votes"], {"prompt": prompt}, votes=votes)


def by_question(rows):
    found = {}
    for one in rows:
        found.setdefault(one["question_id"], []).append((one["verdict"], one["abstained"]))
    return found


@pytest.mark.parametrize("prompt", ["judge_defusion", "judge_defusion_plain"])
def test_each_response_to_a_question_out_of_scope_has_its_votes(answered, prompt):
    with Loopback(respond="answers:defusion", fresh_samples=True) as server:
        answered.asks(server.url)
        [rows] = run(answered, 3, prompt)
        summary = server.summary()
        assert (summary["billed"], summary["samples"]) == (3, 9)
    unclear = (None, "no_verdict")
    assert by_question(rows) == {
        "question-1": [(False, None), (False, None), unclear],
        "question-2": [(True, None), (True, None), unclear],
        "question-3": [(None, "empty")] * 3,
        "question-4": [(None, "truncated")] * 3,
        "question-5": [(None, "refusal")] * 3,
        "question-6": [(True, None), (True, None), unclear],  # what it thought of aloud is no part of the response
    }
    names = ("doc_id", "responder", "prompt_name", "judge")
    assert {tuple(one[name] for name in names) for one in rows} == {("a", "r", "basic", "m")}


def test_more_votes_pay_only_for_those_that_are_missing(answered):
    with Loopback(respond="answers:defusion", fresh_samples=True) as server:
        answered.asks(server.url)
        [rows], samples = run(answered, 3), server.summary()["samples"]
        [more] = run(answered, 9)
        assert (samples, server.summary()["samples"]) == (9, 27)
    assert [one for one in more if one["vote"] <= 3] == rows


def test_the_careful_judge_tells_declining_from_answering(answered):
    answered.model = {"name": "m", "provider": "rules", "model": "careful", "price": {"input": 0, "output": 0}}
    found = by_question(run(answered, 3)[0])
    assert found["question-1"] == [(False, None)] * 3 and found["question-2"] == [(True, None)] * 3
