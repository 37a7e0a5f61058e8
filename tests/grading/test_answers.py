"""Answers to queries, with and without passages."""

import pytest

from ragassay.base import tables
from ragassay.base.tally import MostRejected
from ragassay.grading.asking import NoAnswers
from ragassay.schemas.corpora import QUERIES
from ragassay.schemas.relevance import DIRECT_ANSWERS, PASSAGE_ANSWERS
from ragassay.schemas.report import CALLS
from rows import row
from scripts.grading.answer_directly import answer_directly
from scripts.grading.answer_from_passages import answer_from_passages
from tools.loopback import Loopback


def outcomes(files, asking, **changes):
    settings = asking("answer_closed_book") | changes
    answer_directly(files("queries"), direct_answers=files("direct_answers"), **settings)
    return {own["query_id"]: own for own in tables.read(DIRECT_ANSWERS, files("direct_answers")).to_pylist()}


def test_a_reader_that_knows_nothing_by_itself_declines(files, asking):
    assert {name: own["outcome"] for name, own in outcomes(files, asking).items()} == dict.fromkeys(
        ("piers", "people", "onions"), "declined"
    )


def test_the_question_is_asked_with_its_options_and_without_a_passage(files, asking, loopback):
    options = {"options": ["7", "9"], "answers": ["9"]}
    tables.write(QUERIES, files("queries"), [row(QUERIES, query_id="a", text="How many?", **options)])
    with Loopback(respond="answers:answer") as server:
        [said] = outcomes(files, asking, model=loopback(server)).values()
    assert "How many? (7; 9)" in said["text"] and "<passage" not in said["text"]
    assert said["outcome"] == "wrong"  # it names both


@pytest.fixture
def ask(files, asking):
    """A function that runs the stage; query -> its row."""

    def run(shown=2, about_known=False, **changes):
        paths = {name: files(name) for name in ("passages", "queries", "neighbours", "passage_answers")}
        settings = asking("respond_passages") | {"shown": shown, "about_known": about_known} | changes
        answer_from_passages(**paths, **settings)
        return {own["query_id"]: own for own in tables.read(PASSAGE_ANSWERS, files("passage_answers")).to_pylist()}

    return run


def test_each_query_with_an_answer_is_asked_with_its_best_passages_and_graded(ask, files):
    rows = ask()
    assert {name: (row["outcome"], row["passages"]) for name, row in rows.items()} == {
        "piers": ("right", ["bridge", "ferry"]),
        "people": ("wrong", ["ferry", "bridge"]),
        "onions": ("declined", []),
    }
    assert "nine piers" in rows["piers"]["text"] and "540" in rows["people"]["text"]
    assert all(own["reason"] is None and own["responder"] == "reader" and own["prompt"] for own in rows.values())
    assert tables.read(CALLS, files("calls")).to_pylist()[0]["samples"] == 3


def test_fewer_passages_are_another_question_and_nothing_is_asked_twice(ask, files):
    assert ask(shown=1)["piers"]["passages"] == ["bridge"]
    assert tables.read(CALLS, files("calls")).to_pylist()[0]["samples"] == 3
    ask(shown=2)  # onions found nothing, whatever is shown
    assert tables.read(CALLS, files("calls")).to_pylist()[0]["samples"] == 5
    ask(shown=2)
    assert tables.read(CALLS, files("calls")).to_pylist()[0]["samples"] == 5


def test_only_queries_about_something_known_are_asked_if_that_is_wanted(ask):
    assert set(ask(about_known=True)) == {"piers", "people"}


def test_what_the_provider_refuses_is_an_abstention_with_its_words(ask, loopback):
    with Loopback(respond="answers:ignore", refused_words={"onions": 400}) as server:
        rows = ask(model=loopback(server))
    assert (rows["onions"]["outcome"], rows["onions"]["reason"]) == ("abstained", "refusal")
    assert rows["onions"]["detail"] and rows["piers"]["outcome"] == "wrong" and rows["piers"]["detail"] is None
    assert rows["piers"]["prompt_tokens"] > 0 and rows["piers"]["completion_tokens"] > 0


def test_a_model_that_says_nothing_stops_the_stage(ask, files, loopback):
    rows = [row(QUERIES, query_id=f"q{at}", text=f"A mute one, {at}?", answers=["x"]) for at in range(30)]
    tables.write(QUERIES, files("queries"), rows)
    with Loopback(respond="answers:answer") as server, pytest.raises(MostRejected, match="answers rejected"):
        ask(model=loopback(server), most_rejected=0.5)


def test_a_set_without_answers_is_refused_before_anything_is_asked(ask, files, tmp_path):
    tables.write(QUERIES, files("queries"), [row(QUERIES, query_id="a", text="Why?")])
    with pytest.raises(NoAnswers, match="found 1 queries and no answer to any"):
        ask()
    assert not (tmp_path / "ledger").exists()
