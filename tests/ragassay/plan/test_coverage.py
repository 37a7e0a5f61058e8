"""Which tables say what a corpus covers, and what does not go together."""

import pytest

from ragassay.plan import coverage, explorers, question_sets
from ragassay.plan.entries import having
from wildcards import Wildcards

ENTRIES = {
    "corpora": {"pages": {"files": ["a.csv"]}},
    "relevance": {"sets": {"pages": {"corpus": "pages", "in_knowledge": "questions"}}},
    "question_sets": {"asked": {"documents": ["a.csv"], "questions": ["q.csv"], "nearest": {}, "detectors": False}},
    "query_logs": {name: {"files": ["l.csv"], "corpus": name} for name in ("pages", "articles")},
    "coverage": {"mine": {"question_set": "asked", "corpus": "pages", "query_log": "pages"}},
}


@pytest.fixture
def covered(settings):
    return settings(ENTRIES)


def test_a_set_is_held_against_the_gate_of_its_corpus(covered):
    [cell] = coverage.cells(covered)
    assert cell == {"name": "mine", "corpus": "pages", "retriever": "minilm", "generator": "asked", "judge": "careful"}
    assert coverage.gated(covered, "{corpus}/{retriever}/{generator}", Wildcards(generator="asked")) == [
        "pages/minilm/asked"
    ]
    assert coverage.gated(covered, "{corpus}", Wildcards(generator="natural")) == []
    assert coverage.logs(covered).column("query_log") == ["pages"]
    assert coverage.measure_coverage(covered)["entries"]["mine"]["query_log"] == "pages"


def test_its_questions_have_a_page_where_the_section_is_shown(covered):
    assert coverage.pages(covered) == ["asked/careful"]
    covered["report"]["sections"] = ["coverage"]
    assert explorers.questions(covered) == {"Questions of asked": "asked/careful"}
    covered["report"]["sections"] = ["documents"]
    assert explorers.questions(covered) == {}


def test_a_set_without_documents_is_placed_and_the_others_are_not(covered):
    assert having(covered["question_sets"], "nearest") == ["asked"]
    assert question_sets.placed_questions(covered, Wildcards(question_set="asked")) == [
        "results/questions/asked/asked.parquet"
    ]
    assert question_sets.placed_questions(covered, Wildcards(question_set="natural")) == []
    settings = question_sets.place_questions(covered, Wildcards(question_set="asked"))
    assert settings["cut"] == {"words": 120, "overlap": 20} and settings["count"] == 3
    assert settings["encoder"]["name"] == "minilm" and settings["name"] == "asked"


def test_what_does_not_go_together_is_said(covered):
    assert list(coverage.check(covered)) == []
    covered["coverage"]["mine"]["query_log"] = "articles"
    [(key, problem)] = coverage.check(covered)
    assert key == ("coverage", "mine", "query_log") and "expected one of 'pages'" in problem
    covered["coverage"]["mine"] |= {"corpus": "short_articles", "query_log": None}
    [(key, problem)] = coverage.check(covered)
    assert key == ("coverage", "mine", "corpus") and "found the corpus of a relevance set 'short_articles'" in problem
    covered["question_sets"]["natural"]["columns"]["questions"]["doc_id"] = None
    assert ("question_sets", "natural", "columns", "questions", "doc_id") in dict(question_sets.check(covered))
