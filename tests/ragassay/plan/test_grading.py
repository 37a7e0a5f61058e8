"""Whom the relevance study asks what."""

import pytest

from ragassay.config.schema import merged
from ragassay.config.settings import checked
from ragassay.plan import grading
from wildcards import Wildcards

SET = {"corpus": "mine", "in_knowledge": "known", "near": ["near"], "far": ["far"], "synthetic": "written"}
SET |= {"answers": {"query_sets": ["known", "near"]}}
ASKED = {"responders": ["a", "b"], "retrievers": ["bm25", "minilm"]}
READER = {"provider": "rules", "model": "careful", "price": {"input": 0, "output": 0}}


@pytest.fixture
def config():
    own = {"corpora": {"mine": {"files": ["a.csv"]}}}
    own["models"] = dict.fromkeys(["a", "b", "careful"], READER)
    own |= {"query_sets": {name: {"files": ["q.csv"]} for name in ("known", "near", "far", "written")}}
    return checked(own | {"relevance": {"sets": {"one": SET}, "answers": ASKED}}, [], merged())


def test_the_first_retriever_serves_everything_and_others_the_in_knowledge_set(config):
    found = [tuple(cell.values()) for cell in grading.asked(config)]
    assert [row[1:] for row in found if row[0] == "a"] == [
        ("mine", "bm25", "known"),
        ("mine", "bm25", "near"),
        ("mine.held_out", "bm25", "known"),
        ("mine", "minilm", "known"),
    ]
    assert [row[1:] for row in found if row[0] == "b"] == [row[1:] for row in found if row[0] == "a"]


def test_without_passages_a_set_is_asked_once(config):
    assert grading.asked(config).over("{responder}/{query_set}") == ["a/known", "a/near", "b/known", "b/near"]


def test_a_corpus_in_two_sets_is_asked_once(config):
    config["relevance"]["sets"]["two"] = config["relevance"]["sets"]["one"]
    assert len(grading.asked(config)) == 2 * 4


def test_nobody_is_asked_where_no_responder_or_no_query_set_is_named(config):
    config["relevance"]["sets"]["one"]["answers"]["query_sets"] = []
    config["relevance"]["answers"]["retrievers"] = ["gone"]  # of another configuration, and of no use here
    assert grading.responders(config) == [] and not list(grading.check(config))
    config["relevance"]["sets"]["one"]["answers"]["query_sets"] = ["known"]
    config["relevance"]["answers"] = {"responders": [], "retrievers": []}
    assert not grading.asked(config)


def test_the_gate_of_answers_has_its_own_retriever_and_alpha(config):
    settings = grading.measure_answers(config)
    assert settings["options"]["retrievers"] == ["bm25", "minilm"] and settings["alphas"] == {"one": 0.05}
    assert "answers" not in settings["sets"]["one"]
    config["relevance"]["sets"]["one"]["answers"]["alpha"] = 0.2
    config["relevance"]["answers"]["retrievers"] = []
    settings = grading.measure_answers(config)
    assert settings["options"]["retrievers"] == ["minilm"] and settings["alphas"] == {"one": 0.2}


def test_stages_get_their_settings(config):
    job = Wildcards(responder="a", corpus="mine", retriever="bm25", query_set="known")
    settings = grading.answer_from_passages(config, job)
    assert settings["ledger"] == "ledger/answer_from_passages/a/mine/bm25/known" and settings["shown"] == 5
    assert not settings["about_known"] and settings["model"]["name"] == "a"
    job = Wildcards(responder="a", corpus="mine.held_out", retriever="bm25", query_set="known")
    assert grading.answer_from_passages(config, job)["about_known"]
