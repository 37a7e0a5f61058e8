"""What an entry of `models` need not say: the price of a common model, and the variable with its provider's key.

Prices stand in resources/prices.yaml, with the day of the list that they are from. A model that is not listed, or that
another server answers for, has no price until somebody writes one: none is guessed.
"""

import datetime
import sys

from ragassay.base import pipeline, plain_yaml
from ragassay.base.errors import closest

FILE = pipeline.PIPELINE / "resources/prices.yaml"
FRESH = 90  # days
KEYS = {"openai": "OPENAI_API_KEY", "together": "TOGETHER_API_KEY"}
FREE = ("recorded", "rules", "script", "transformers")  # they compute on this machine, and nobody sends a bill
EXAMPLE = "price: {input: 0.5, output: 1.5}"


def listed() -> dict[str, dict]:
    """provider -> date, list (its address) and models: name -> price."""
    return plain_yaml.read(FILE)


def _of(provider):
    """model -> price; none of a provider whose list nobody has copied here."""
    return listed().get(provider, {}).get("models", {})


def completed(config: dict) -> dict:
    """With what entries of `models` leave out, as far as that is certain."""
    models = config.get("models", {}).items()
    entries = {name: _completed(entry) if "provider" in entry else entry for name, entry in models}
    return config | ({"models": entries} if entries else {})


def _completed(entry):
    provider, more = entry["provider"], {}
    if provider in FREE:
        more["price"] = {"input": 0, "output": 0}
    elif "price" not in entry and not entry.get("base_url"):
        price = _of(provider).get(entry["model"])
        more |= {"price": price} if price else {}
    if key := usual_key(entry):
        more["key_variable"] = key
    return more | entry


def usual_key(entry: dict) -> str | None:
    """The variable with the key, where the entry names none; a server of one's own may need none."""
    asks = not entry.get("base_url") and entry.get("mode") != "replay"
    return KEYS.get(entry.get("provider")) if asks else None


def without_price(entry: dict) -> str:
    """What is wrong with an entry that has none, and what to write."""
    provider, model = entry["provider"], entry["model"]
    if entry["base_url"]:
        why = f"and what {entry['base_url']} asks for {model!r} is not known"
    else:
        why = f"and {model!r} is none of the models of {provider} in resources/{FILE.name}"
        why += closest(model, _of(provider))
    return f"found no price, {why}; expected dollars for a million tokens: add {EXAMPLE}, or zeros if it costs nothing"


def warn(models: dict, given: list[dict], today: datetime.date | None = None) -> None:
    """A line for each provider whose prices are old and are those of models; `given` is what files say, where a price
    that stands counts as looked up.
    """
    today = today or datetime.datetime.now(datetime.UTC).date()
    stated = {name for file in given for name, entry in (file.get("models") or {}).items() if "price" in (entry or {})}
    for provider, prices in listed().items():
        names = [name for name, entry in models.items() if entry["provider"] == provider and name not in stated]
        age = (today - prices["date"]).days
        if names and age > FRESH:
            sys.stderr.write(
                f"Prices of {', '.join(names)} are {age} days old: compare resources/{FILE.name} with {prices['list']},"
                f" and write models.{names[0]}.price into your configuration\n"
            )
