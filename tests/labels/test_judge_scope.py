"""judge_scope: all votes in one request, every vote a row, what is no verdict abstains with its reason."""

from ragassay.base import tables
from ragassay.schemas.people import ANNOTATION_ITEMS
from rows import row
from scripts.labels.judge_scope import judge_scope
from study import document, question
from tools.loopback import Loopback


def run(study, votes, **more):
    prompts = {"prompt": "judge_scope"}
    return study.run(judge_scope, ["documents", "questions"], ["scope_votes"], prompts, votes=votes, **more)


def test_every_vote_is_a_row_and_only_missing_ones_are_paid(study):
    questions = [question("a", number, "in_scope", f"Question {number}?") for number in (1, 2)]
    study.write(documents=[document("a", "text of a")], questions=questions)
    with Loopback(respond="answers:vote", fresh_samples=True) as server:
        study.asks(server.url)
        [rows] = run(study, 4)
        summary = server.summary()
        assert (summary["billed"], summary["samples"]) == (2, 8)
        [more] = run(study, 6)
        assert server.summary()["samples"] == 12
    assert [(row["question_id"], row["vote"]) for row in rows] == [
        (f"question-{q}", v) for q in (1, 2) for v in (1, 2, 3, 4)
    ]
    assert [(row["verdict"], row["abstained"]) for row in rows[:4]] == [
        (True, None), (False, None), (None, "no_verdict"), (True, None)
    ]  # fmt: skip
    assert [row for row in more if row["vote"] <= 4] == rows
    assert {(row["judge"], row["doc_id"]) for row in rows} == {("m", "a")}


def test_with_a_sample_only_its_questions_are_asked_about(study):
    questions = [question("a", number, "in_scope", f"Question {number}?") for number in (1, 2, 3)]
    study.write(documents=[document("a", "text of a")], questions=questions)
    item = {"item_id": "item-1", "question_id": "question-2", "task": "scope"}
    tables.write(ANNOTATION_ITEMS, study.path("sample"), [row(ANNOTATION_ITEMS, **item)])
    with Loopback(respond="answers:vote") as server:
        study.asks(server.url)
        [votes] = run(study, 3, sample=[study.path("sample")])
        assert server.summary()["billed"] == 1
    assert [vote["question_id"] for vote in votes] == ["question-2"] * 3
