"""What a configuration plans for responses and labels of months."""

import re
from types import SimpleNamespace

import pytest

from ragassay.config.schema import merged
from ragassay.config.settings import checked
from ragassay.plan import grading, responses
from ragassay.plan.months import calls_of_shards
from wildcards import Wildcards


def test_each_way_to_ask_the_judge_has_its_votes(config):
    assert responses.variants(config) == ["", "_plain", "_short"]
    wildcards = [Wildcards(generator="g", judge="c", variant=variant) for variant in responses.variants(config)]
    assert [responses.judge_defusion(config, each)["votes"] for each in wildcards] == [5, 3, 9]


def test_a_variant_in_a_path_is_one_of_these_or_none(config):
    form = responses.wildcards(config)["variant"]
    assert [name for name in ("", "_plain", "plain", "_plainer") if re.fullmatch(form, name)] == ["", "_plain"]


def test_a_responder_is_asked_with_the_prompt_of_the_path(config):
    settings = responses.respond(config, Wildcards(generator="b", responder="a", prompt="cot", shard="s"))
    assert (settings["prompt_name"], settings["ledger"]) == ("cot", "ledger/respond/b/a/cot/s")


def test_a_share_of_in_scope_questions_is_asked_of_the_study_and_all_of_a_question_set(config):
    config["scope"]["responding"]["in_scope_share"] = 0.2
    for stage in (responses.respond, responses.answer_closed_book):
        asked = [Wildcards(generator=name, responder="a", prompt="cot", shard="s") for name in ("b", "mine")]
        assert [stage(config, wildcards)["in_scope_share"] for wildcards in asked] == [0.2, 1.0]


def test_nobody_is_asked_without_documents_if_that_is_switched_off(config):
    assert responses.knowing(config) == ["a", "b"]
    config["scope"]["closed_book"]["used"] = False
    assert responses.knowing(config) == []


def test_measuring_knows_the_cutoffs_of_responders(config):
    assert responses.measure_responses(config)["cutoffs"] == {"b": "2023-12-31"}


def test_measuring_knows_whether_the_first_judge_is_a_set_of_rules(config):
    first = config["scope"]["judges"][0]
    for provider in ("rules", "openai"):
        config["models"][first] = config["models"][first] | {"provider": provider}
        assert responses.measure_responses(config)["by_rules"] == (provider == "rules")


def test_calls_are_those_that_every_shard_has():
    of_shards = [
        f"results/calls/{rule}/{shard}.parquet" for rule in ("respond/g", "judge/g") for shard in ("may", "june")
    ]
    others = ["results/calls/answer_attacked/d/may.parquet", "results/calls/judge/g/natural.parquet"]
    asked = {"shards": {"may": {}, "june": {}}, "wildcards": SimpleNamespace(), "calls": [*of_shards, *others]}
    assert calls_of_shards(**asked) == of_shards, "a model called may made no calls of a shard"


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
