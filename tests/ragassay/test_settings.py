"""What stages are told: pairs of generator and shard, ways to ask the judge, models as they are asked."""

import re

import pytest

from conftest import ROOT
from ragassay import settings
from ragassay.config import checked
from ragassay.shards import one_of

MODEL = {"provider": "embedded", "model": "reader", "price": {"input": 0, "output": 0}}


@pytest.fixture
def config():
    models = {"a": MODEL, "b": MODEL | {"cutoff": "2023-12-31"}, "c": MODEL}
    scope = {"generators": ["a", "b"], "judges": ["c", "a"], "responders": ["a", "b"]}
    scope |= {"defusion": {"votes": 5, "variants": {"plain": {"votes": 3}, "short": {}}}}
    return checked({"models": models, "scope": scope}, [], ROOT / "workflow/schemas/config.schema.yaml")


def test_pairs_are_two_lists_that_go_together(config):
    found = settings.pairs(config, {"s1": {}, "s2": {}})
    assert found == {"generator": ["a", "a", "b", "b"], "shard": ["s1", "s2", "s1", "s2"]}


def test_a_cutoff_is_told_to_who_measures_and_not_to_who_asks(config):
    assert settings.model(config, "b").keys() == settings.model(config, "a").keys()
    assert settings.response_metrics(config)["cutoffs"] == {"b": "2023-12-31"}


def test_what_a_model_is_and_how_it_is_called_make_up_its_entry(config):
    entry = config["models"]["a"]
    own, access = settings.model(config, "a"), settings.access_of(config, "judge")({"judge": "a"})
    assert not own.keys() & access.keys()
    assert {**own, **access} == {"name": "a", "register": "ledger/models/a", **entry}
    shown = settings.shown(config)["models"]["a"]
    assert shown == {key: entry[key] for key in entry if key not in access}


def test_judges_and_responders_say_what_is_out_of_scope_and_nobody_twice(config):
    assert settings.detectors(config) == ["c", "a", "b"]


def test_each_way_to_ask_the_judge_has_its_votes(config):
    assert settings.variants(config) == ["", "_plain", "_short"]
    votes = [settings.defusion(config)({"variant": variant})["votes"] for variant in settings.variants(config)]
    assert votes == [5, 3, 9]


@pytest.mark.parametrize(
    ("names", "fits", "fits_not"),
    [
        (["", "_plain"], ["", "_plain"], ["plain", "_plainer"]),
        ([""], [""], ["x"]),
        (["a.b"], ["a.b"], ["axb", ""]),
        ([], [], ["", "x"]),
    ],
)
def test_a_form_of_names_may_have_an_empty_one(names, fits, fits_not):
    form = one_of(names)
    assert form and all(re.fullmatch(form, name) for name in fits)
    assert not any(re.fullmatch(form, name) for name in fits_not)


@pytest.mark.parametrize(("name", "files"), [("own", ["results/models/demo-lm"]), ("a", []), ("a question set", [])])
def test_only_models_that_the_workflow_makes_have_weights_to_wait_for(config, name, files):
    config["models"]["own"] = MODEL | {"provider": "transformers", "model": "results/models/demo-lm"}
    assert settings.weights_of(config, "generator")({"generator": name}) == files
