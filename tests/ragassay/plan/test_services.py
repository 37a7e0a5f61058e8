"""Entries of `services`: how they stand among the models, and what is wrong with them."""

import json

import pytest
import yaml
from snakemake.io import expand

from ragassay.config import schema
from ragassay.config.grid import Cell
from ragassay.config.services import without_services
from ragassay.config.settings import ConfigError, of_files
from ragassay.plan import models, question_sets, questions, service_poison, services
from ragassay.plan.services import check

ENTRY = {"address": "http://127.0.0.1:8000/ask", "version": "1", "price": 0}


@pytest.fixture
def config(tmp_path):
    """The configuration with such a service."""

    def of(top=(), **more):
        file = tmp_path / "mine.yaml"
        entry = {name: value for name, value in {**ENTRY, **more}.items() if value is not None}
        file.write_text(yaml.safe_dump({"services": {"mine": entry}, **dict(top)}))
        return of_files([file], schema.merged(), lambda config, schema: [*check(config), *service_poison.check(config)])

    return of


def test_a_service_stands_among_the_models(config):
    filled = config({"scope": {"responders": ["careful", "service:mine"]}}, price=0.5, budget_usd=3)
    settings = {**models.model(filled, "service:mine"), **models.access(filled, "service:mine")}
    assert settings["price"]["request"] == 0.5 and settings["budget_usd"] == 3 and settings["model"] == "1"
    assert settings["service"]["reply"]["answer"] == "$.answer"
    assert "services" not in models.shown(filled) and "service:mine" in models.shown(filled)["models"]


def test_how_it_is_asked_re_runs_and_how_often_at_once_does_not(config):
    changes = ({}, {"timeout": 9}, {"version": "2"})
    first, second, third = (models.model(config(**more), "service:mine") for more in changes)
    assert first == second != third


def test_the_card_is_drawn_where_a_service_is_measured_and_shown(config):
    cards = {"Assay card": "card.html"}
    assert services.pages(config(), ["service:mine"]) == cards and services.pages(config(), []) == {}
    for section, expected in (("services", cards), ("documents", {})):
        assert services.pages(config({"report": {"sections": [section]}}), ["service:mine"]) == expected
    assert services.gates(config({"report": {"sections": ["services"]}})) == []


@pytest.mark.parametrize("role", ["generators", "judges"])
def test_a_service_can_only_respond(config, role):
    with pytest.raises(ConfigError, match=f"scope.{role}: found the model 'service:mine', expected one of: careful"):
        config({"scope": {role: ["service:mine"]}})


WRONG = {
    "no address": ({"address": None}, "services.mine.address: found nothing, expected one for a service of the kind"),
    "no function": ({"kind": "python", "address": None}, "services.mine.function: found nothing"),
    "both": ({"function": "a:b"}, "services.mine.function: found one, expected none"),
    "no question": ({"body": {"q": "question"}}, "services.mine.body: found no {question}"),
    "no key": ({"headers": {"X-Api-Key": "{key}"}}, "services.mine.headers: found {key}, expected key_variable"),
    "a key": ({"headers": {"X-Api-Key": "abc"}}, "services.mine.headers.X-Api-Key: found a place for a secret"),
    "a bearer's key": ({"headers": {"Authorization": "Bearer abc"}}, "headers.Authorization: found a place for a sec"),
    "a cookie": ({"headers": {"cookie": "id=abc"}}, "services.mine.headers.cookie: found a place for a secret"),
    "a key in the address": ({"address": "http://host/?q=1&Api_Key=abc"}, "services.mine.address: found what looks"),
    "no header": ({"headers": {"a b": "c"}}, "services.mine.headers.a b: found no header"),
    "server alone": ({"local_server": "demo.rag_service"}, "services.mine.local_server: found one alone"),
    "port alone": ({"address": "http://127.0.0.1:0/ask"}, "services.mine.address: found one alone"),
    "no server": ({"address": "http://127.0.0.1:0/ask", "local_server": "demo.rag"}, "found 'demo.rag', expected a mo"),
    "no path": ({"reply": {"answer": "$.a["}}, "services.mine.reply.answer: found '$.a[', no JSONPath"),
    "no most": ({"budget_usd": 1, "reply": {"cost": "$.c"}}, "services.mine.price: found 0 beside reply.cost"),
    "password": ({"address": "http://a:b@host/"}, "services.mine.address: found what looks like a secret"),
    "no version": ({"version": None}, "expected the keys version, price"),
    "no price": ({"price": None}, "expected the keys version, price"),
}


@pytest.mark.parametrize(("more", "expected"), WRONG.values(), ids=WRONG)
def test_what_is_wrong_with_an_entry_is_one_line(config, more, expected):
    with pytest.raises(ConfigError) as caught:
        config(**more)
    [line] = str(caught.value).splitlines()
    assert expected in line


def test_a_replay_needs_no_key_where_headers_have_one(config):
    config(headers={"X-Api-Key": "{key}"}, mode="replay")


def test_a_service_is_no_model(config):
    entry = {"provider": "service", "model": "x", "price": {"input": 0, "output": 0}}
    with pytest.raises(ConfigError, match=r"models\.x\.provider: found service, expected an entry of `services`"):
        config({"models": {"x": entry}})


BOTH = {"scope": {"responders": ["careful", "service:mine"], "responding": {"prompts": ["basic", "two_shot"]}}}


COLLECTION = {"kind": "folder", "address": "staging", "collection": "mine", "staging": True}
CELL = {"datasets": ["demo"], "retrievers": ["minilm"], "attacks": ["poisonedrag_black"], "defences": ["raguard"]}
WRONG_REHEARSAL = {  # what is different in the rehearsal, the collection and the cell
    "no staging: true": ({}, {"staging": False}, {}, "found rehearsal, whose entry has no staging: true"),
    "a service elsewhere": ({"local_settings": {"a": 1}}, {}, {}, "local_settings: found some, expected none"),
    "no gate": ({}, {}, {"services": {"names": ["mine"], "gate": True}}, "found true, and no gate"),
    "two guards": ({}, {}, {"defences": ["raguard", "echo"]}, "found raguard, echo, expected at most one"),
    "no vectors": ({}, {}, {"retrievers": ["bm25"]}, "found bm25, expected one by vectors"),
    "two datasets": ({}, {}, {"datasets": ["demo", "other"]}, "found 2, expected one"),
}


@pytest.fixture
def rehearsed(config, tmp_path):
    """The configuration with a service that is asked under attack."""

    def of(rehearsal=(), collection=(), cell=()):
        (tmp_path / "targets.csv").touch()
        datasets = {name: {"corpus": "mine", "targets": ["targets.csv"]} for name in ("demo", "other")}
        top = {"datasets": datasets, "corpora": {"mine": {"files": ["targets.csv"]}}}
        top |= {"collections": {"rehearsal": {**COLLECTION, **dict(collection)}}}
        top |= {"under_attack": {"cells": [{**CELL, "services": {"names": ["mine"]}, **dict(cell)}]}}
        return config(top, rehearsal={"collection": "rehearsal", **dict(rehearsal)})

    return of


def test_the_instance_under_attack_differs_where_its_entry_says(rehearsed):
    filled = rehearsed({"address": "http://127.0.0.1:8001/ask"})
    assert service_poison.measured(filled) == ["service:mine"]
    params = service_poison.poison_service(filled, Cell(responder="service:mine"))
    assert params["model"]["base_url"] == "http://127.0.0.1:8001/ask" and params["entry"]["staging"] is True
    assert models.model(filled, "service:mine") == params["model"] | {"base_url": ENTRY["address"]}
    assert "rehearsal" not in json.dumps(models.model(filled, "service:mine"))  # to measure it asks nothing else anew


@pytest.mark.parametrize("name", WRONG_REHEARSAL)
def test_what_cannot_be_attacked_is_refused_before_any_job(rehearsed, name):
    *different, problem = WRONG_REHEARSAL[name]
    with pytest.raises(ConfigError, match=problem):
        rehearsed(*different)


def test_services_meet_their_own_prompt_alone(config):
    filled = config(BOTH)
    pairs = [("careful", "basic"), ("careful", "two_shot"), ("service:mine", "question_alone")]
    assert services.answering(filled, filled["scope"]["responders"]) == pairs
    keys = questions.every(filled, {"s": {}})
    paths = expand("{responder}/{prompt}/{shard}", services.asked, **keys)
    assert paths == [f"{responder}/{prompt}/s" for responder, prompt in pairs]
    assert expand("{generator}/{prompt}", services.asked, **keys)[-1] == "careful/question_alone"


def test_services_neither_vote_nor_answer_without_documents(config):
    filled = config(BOTH)
    assert questions.deciding(filled) == questions.knowing(filled) == ["careful"]
    [cell] = services.assayed(filled, ["s"])
    assert cell == {"generator": "careful", "responder": "service:mine", "shard": "s", "judge": "careful"}


def test_a_question_set_may_name_who_answers_it(config):
    choices = {"named": ["service:mine"], "all": True, "none": False}
    files = {name: {"documents": [f"{name}.csv"], "questions": [f"{name}.csv"]} for name in choices}
    sets = {name: {**files[name], "responding": choice} for name, choice in choices.items()}
    filled = config({"question_sets": sets})
    asked = {name: services.responders_of(filled, name) for name in sets}
    assert asked == {"named": ["service:mine"], "all": ["careful"], "none": []}
    assert question_sets.own_responses(filled).column("name") == ["all"]
    rows = [tuple(cell.values()) for cell in question_sets.set_responses(filled)]
    assert ("named", "service:mine", "question_alone", "careful") in rows
    assert services.assayed(filled, ["s"]).by("generator", "shard").cells == [{"generator": "named", "shard": "named"}]


def test_a_configuration_that_was_filled_in_can_be_written_and_read_again(config, tmp_path):
    filled = config(BOTH)
    (tmp_path / "again.yaml").write_text(yaml.safe_dump(without_services(filled)))
    assert of_files([tmp_path / "again.yaml"], schema.merged()) == filled


def test_only_a_service_on_this_machine_takes_a_core(config):
    here = {"address": "http://127.0.0.1:0/ask", "local_server": "demo.rag_service"}
    entries = {"away": {}, "here": here, "function": {"kind": "python", "address": None, "function": "a:b"}}
    threads = {name: models.threads_of(config(**more), lambda *_: "service:mine", {}) for name, more in entries.items()}
    assert threads == {"away": 0, "here": 1, "function": 1}
