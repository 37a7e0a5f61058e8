"""Queries asked without any passage."""

from ragassay.base import tables
from ragassay.schemas.corpora import QUERIES
from ragassay.schemas.relevance import DIRECT_ANSWERS
from rows import row
from scripts.grading.answer_directly import answer_directly
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
