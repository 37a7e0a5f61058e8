"""Queries asked with the passages that were found for them."""

import pytest

from ragassay.base import tables
from ragassay.base.tally import MostRejected
from ragassay.grading.asking import NoAnswers
from ragassay.schemas.corpora import QUERIES
from ragassay.schemas.relevance import PASSAGE_ANSWERS
from ragassay.schemas.report import CALLS
from rows import row
from scripts.grading.answer_from_passages import answer_from_passages
from tools.loopback import Loopback


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
