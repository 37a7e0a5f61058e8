"""Responses: asked for, given without documents or by a service, judged and labelled."""

import json

import pytest

from ballots import LABELS, NO, NOT, YES, votes
from ragassay.schemas.scope_answers import RESPONSES
from ragassay.studies.scope.model_answers import asked_questions
from rows import row
from scripts.responses.answer_closed_book import answer_closed_book
from scripts.responses.judge_defusion import judge_defusion
from scripts.responses.label_defusion import label_defusion
from scripts.responses.respond import respond
from services import ARCHIVE, asker, of_question, right
from study import document, question
from tools.loopback import Loopback


def run(study, prompt, **settings):
    inputs, prompts = ["documents", "questions"], {"prompt": f"respond_{prompt}"}
    return study.run(respond, inputs, ["responses"], prompts, prompt_name=prompt, **settings)


@pytest.fixture
def asked(study):
    texts = ["Who rowed?", "A long one?", "A mute one?"]
    questions = [question("a", number, "in_scope", text) for number, text in enumerate(texts)]
    questions.append(question("b", 3, "out_of_scope", "Who swam?"))
    study.write(documents=[document("a", "text of a"), document("b", "text of b")], questions=questions)
    return study


@pytest.mark.parametrize("prompt", ["basic", "two_shot", "cot"])
def test_each_question_is_answered_from_its_own_document(asked, prompt):
    with Loopback(respond="answers:answer") as server:
        asked.asks(server.url)
        [rows] = run(asked, prompt, sampling={"temperature": 0.7, "max_tokens": 300})
        assert server.summary()["billed"] == len(rows) == 4
        billed = [line for line in server.log() if line["event"] == "asked"]
    assert sum(row["prompt_tokens"] for row in rows) == sum(line["prompt_tokens"] for line in billed)
    assert all((row["completion_tokens"] > 0) == bool(row["text"]) for row in rows)
    found = {row["question_id"]: row for row in rows}
    assert "text of a" in found["question-0"]["text"] and "Who rowed?" in found["question-0"]["text"]
    assert "text of b" in found["question-3"]["text"] and "text of a" not in found["question-3"]["text"]
    assert {(row["responder"], row["prompt_name"]) for row in rows} == {("m", prompt)}
    assert len({row["prompt"] for row in rows}) == 1 and found["question-3"]["doc_id"] == "b"


def test_what_is_cut_off_is_marked_and_silence_is_kept(asked):
    with Loopback(respond="answers:answer") as server:
        asked.asks(server.url)
        [rows] = run(asked, "basic", sampling={"max_tokens": 300})
    said = {row["question_id"]: (row["truncated"], row["finish_reason"], len(row["text"])) for row in rows}
    assert said["question-1"][:2] == (True, "length") and said["question-1"][2] >= 1000
    assert said["question-2"] == (False, "stop", 0)
    assert [name for name, (truncated, *_) in said.items() if truncated] == ["question-1"]


def test_an_answer_that_is_kept_is_not_paid_again_and_another_prompt_is(asked):
    with Loopback(respond="answers:answer") as server:
        asked.asks(server.url)
        first = run(asked, "basic")
        assert run(asked, "basic") == first and server.summary()["billed"] == 4
        run(asked, "cot")
        assert server.summary()["billed"] == 8


def test_all_out_of_scope_questions_are_asked_and_a_share_of_the_others_which_more_questions_do_not_change(study):
    questions = [question("a", number, "in_scope") for number in range(200)]
    questions += [question("a", number, "out_of_scope") for number in range(200, 220)]
    study.write(questions=questions)
    asked = [row["question_id"] for row in asked_questions(study.path("questions"), 0.3)]
    assert len(asked_questions(study.path("questions"), 1.0)) == 220
    assert {f"question-{number}" for number in range(200, 220)} <= set(asked) and 60 < len(asked) < 100
    study.write(questions=questions[:100])
    fewer = {row["question_id"] for row in asked_questions(study.path("questions"), 0.3)}
    assert fewer == set(asked) & {f"question-{number}" for number in range(100)}


def test_prompts_of_one_document_follow_each_other(study):
    study.write(questions=[question("ab"[number % 2], number, "in_scope") for number in range(6)])
    assert [row["doc_id"] for row in asked_questions(study.path("questions"), 1.0)] == ["a"] * 3 + ["b"] * 3


def test_questions_are_asked_alone_and_every_answer_is_a_row(study):
    texts = ["Who rowed?", "A mute one?"]
    study.write(questions=[question("a", number, "in_scope", text) for number, text in enumerate(texts)])
    with Loopback(respond="answers:answer") as server:
        study.asks(server.url)
        prompts = {"prompt": "answer_closed_book"}
        [rows] = study.run(answer_closed_book, ["questions"], ["closed_book_answers"], prompts)
        assert server.summary()["billed"] == 2
    assert "Who rowed?" in rows[0]["text"] and "<document" not in rows[0]["text"]
    assert [(row["doc_id"], row["responder"], row["truncated"]) for row in rows] == [("a", "m", False)] * 2
    assert rows[1]["text"] == ""


@pytest.fixture
def service_asked(tmp_path):
    return asker(tmp_path)


def test_rows_hold_what_came(service_asked):
    rows = service_asked("right", of_question(right))
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


def test_without_passages_only_what_they_say_is_measured(service_asked, tmp_path):
    rows = service_asked("silent", of_question(lambda question: {"answer": right(question)["answer"], "passages": []}))
    assert {row["retrieved"] for row in rows["answers"]} == {0} and rows["passages"] == []
    assert all(row["supported"] is False for row in rows["answers"] if row["outcome"] == "answered")


def test_a_refused_question_is_a_row_that_abstains(service_asked):
    def broken(body):
        return {"error": {"code": 400, "message": "too odd"}} if "Pell" in body else right(json.loads(body)["question"])

    rows = service_asked("broken", broken, asks=1)
    [row] = [row for row in rows["answers"] if row["outcome"] == "abstained"]
    assert row["question_id"] == "question-0" and "too odd" in row["detail"] and row["retrieved"] is None


DEFUSED = {"out_of_scope": "defused", "in_scope": "not_defused"}  # YES is a verdict for either


@pytest.mark.parametrize(("verdicts", "label", "margin"), LABELS)
def test_labels_of_responses(study, verdicts, label, margin):
    same = {"question_id": "q", "doc_id": "a", "responder": "r", "prompt_name": "basic", "judge": "m", "prompt": "p"}
    study.write(defusion_votes=votes(verdicts, same))
    [[row]] = study.run(label_defusion, ["defusion_votes"], ["defusion_labels"], asking=False, least_share=0.5)
    counts = dict(
        zip(("defused_votes", "not_defused_votes", "abstained"), map(verdicts.count, (YES, NO, NOT)), strict=True)
    )
    assert row == same | counts | {"label": DEFUSED.get(label, label), "margin": pytest.approx(-margin)}


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


def judged(study, votes, prompt="judge_defusion"):
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
        [rows] = judged(answered, 3, prompt)
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
        [rows], samples = judged(answered, 3), server.summary()["samples"]
        [more] = judged(answered, 9)
        assert (samples, server.summary()["samples"]) == (9, 27)
    assert [one for one in more if one["vote"] <= 3] == rows


def test_the_careful_judge_tells_declining_from_answering(answered):
    answered.model = {"name": "m", "provider": "rules", "model": "careful", "price": {"input": 0, "output": 0}}
    found = by_question(judged(answered, 3)[0])
    assert found["question-1"] == [(False, None)] * 3 and found["question-2"] == [(True, None)] * 3
