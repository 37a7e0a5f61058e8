"""What an entry of a model need not say: a price that is listed, with its age, and the variable with the key."""

import datetime

import pytest

from ragassay.config import prices
from ragassay.config.schema import merged
from ragassay.config.settings import checked

SCHEMA = merged()
GPT = {"provider": "openai", "model": "gpt-4o-mini"}
LOCAL = {"base_url": "http://localhost:8000/v1"}
LLAMA = {"provider": "together", "model": "meta-llama/Llama-3.3-70B-Instruct-Turbo"}


def entry(given):
    return checked({"models": {"mine": given}}, [], SCHEMA)["models"]["mine"]


@pytest.mark.parametrize("given", [GPT, LLAMA])
def test_a_listed_model_has_its_price(given):
    listed = prices.listed()[given["provider"]]["models"][given["model"]]
    assert entry(given)["price"] == {"cached_input": None, "batch": 1} | listed


@pytest.mark.parametrize("given", [GPT, LLAMA])
def test_a_hosted_model_has_the_key_of_its_provider(given):
    assert entry(given)["key_variable"] == f"{given['provider'].upper()}_API_KEY"


def test_what_the_entry_says_counts():
    own = {"price": {"input": 3, "output": 4}, "key_variable": "MY_KEY"}
    assert entry(GPT | own)["price"]["input"] == 3 and entry(GPT | own)["key_variable"] == "MY_KEY"
    assert entry(GPT | {"key_variable": None})["key_variable"] is None


@pytest.mark.parametrize("given", [GPT | LOCAL, GPT | {"model": "gpt-4o-minimal"}, GPT | {"provider": "together"}])
def test_no_other_model_is_given_a_price(given):
    assert "price" not in entry(given)
    assert "found no price, and " in prices.without_price(entry(given))


def test_another_server_and_a_replay_need_no_key_of_the_providers():
    assert entry(GPT | LOCAL)["key_variable"] is None
    assert entry(GPT | {"mode": "replay"})["key_variable"] is None


@pytest.mark.parametrize("provider", ["recorded", "rules", "script", "transformers"])
def test_what_computes_on_this_machine_costs_nothing(provider):
    filled = entry({"provider": provider, "model": "x"})
    assert filled["price"] == {"input": 0, "output": 0, "cached_input": None, "batch": 1}
    assert filled["key_variable"] is None


@pytest.mark.parametrize(("days", "told"), [(90, False), (91, True)])
def test_old_prices_that_a_run_counts_with_are_named_with_the_list_to_look_at(days, told, capsys):
    models = checked({"models": {"mine": GPT, "here": {"provider": "rules", "model": "hasty"}}}, [], SCHEMA)["models"]
    today = prices.listed()["openai"]["date"] + datetime.timedelta(days=days)
    prices.warn(models, [{"models": {"mine": GPT}}, {}], today)
    line = f"Prices of mine are {days} days old: compare resources/prices.yaml with https://openai.com/api/pricing"
    assert capsys.readouterr().err.startswith(line) == told


def test_a_price_that_somebody_wrote_down_is_not_called_old(capsys):
    given = {"mine": GPT | {"price": {"input": 0.15, "output": 0.6}}}
    prices.warn(checked({"models": given}, [], SCHEMA)["models"], [{"models": given}], datetime.date(2099, 1, 1))
    assert capsys.readouterr().err == ""


def test_every_listed_price_is_one_that_the_schema_takes():
    for provider, listed in prices.listed().items():
        assert listed["date"] < datetime.datetime.now(datetime.UTC).date() and listed["list"].startswith("https://")
        for model, price in listed["models"].items():
            filled = entry({"provider": provider, "model": model})["price"]
            assert 0 < filled["input"] <= filled["output"] and price["input"] >= (price.get("cached_input") or 0)
