"""How responders and the judge of responses are asked, and what is measured of them."""

import re

from ragassay.plan import responses
from wildcards import Wildcards


def test_each_way_to_ask_the_judge_has_its_votes(config):
    assert responses.variants(config) == ["", "_plain", "_short"]
    wildcards = [Wildcards(judge="c", variant=variant) for variant in responses.variants(config)]
    assert [responses.judge_defusion(config, each)["votes"] for each in wildcards] == [5, 3, 9]


def test_a_variant_in_a_path_is_one_of_these_or_none(config):
    form = responses.wildcards(config)["variant"]
    assert [name for name in ("", "_plain", "plain", "_plainer") if re.fullmatch(form, name)] == ["", "_plain"]


def test_a_responder_is_asked_with_the_prompt_of_the_path(config):
    settings = responses.respond(config, Wildcards(responder="a", prompt="cot", shard="s"))
    assert (settings["prompt_name"], settings["ledger"]) == ("cot", "ledger/respond/a/cot/s")


def test_measuring_knows_the_cutoffs_of_responders(config):
    assert responses.measure_responses(config)["cutoffs"] == {"b": "2023-12-31"}


def test_every_generator_and_judge_has_an_explorer_and_the_first_the_plain_name(config):
    found = responses.explorers(config)
    assert list(found) == ["All questions", *(f"All questions, {pair}" for pair in ("a/a", "b/c", "b/a"))]
    assert found["All questions"] == "explorer/a/c.html"
    for sections, pages in ((["relevance"], 0), (["relevance", "scope"], 4)):
        assert len(responses.explorers(config | {"report": {"sections": sections}})) == pages
