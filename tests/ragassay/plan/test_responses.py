"""What a configuration plans for responses and labels of months."""

import re
from types import SimpleNamespace

from ragassay.plan import responses
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
