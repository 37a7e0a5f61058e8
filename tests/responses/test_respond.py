"""respond: every question is asked with its own document, every answer is a row, what was cut off is marked."""

import pytest

from ragassay.studies.scope.model_answers import asked_questions
from scripts.responses.respond import respond
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
