"""One question to a model, and what is told of its server."""

import pytest

from ragassay.base.errors import AssayError
from ragassay.calls import live

PRICE = {"input": 1.0, "output": 2.0}


@pytest.fixture
def entry():
    """An entry of the configuration for a server."""

    def of(server, **more):
        entry = {"provider": "openai", "model": "loopback", "base_url": server.url, "key_variable": "LOOPBACK_KEY"}
        return {**entry, "price": PRICE, "mode": "batch", "note": "a toy", "concurrency": 4} | more

    return of


def test_answer_tokens_and_price_are_those_of_the_reply(serve, entry, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    told = live.check("mine", entry(serve(texts=["Paris", "Paris."])))
    assert sorted(told.texts) == ["Paris", "Paris."] and told.refused == [] and told.requests == 1
    tokens = told.prompt_tokens, told.completion_tokens
    assert min(tokens) > 0 and told.dollars == pytest.approx((tokens[0] * 1.0 + tokens[1] * 2.0) / 1e6)
    first, second, third = told.lines()
    assert "model mine: " in first and "'Paris'" in first
    assert f"{tokens[0]} tokens read" in second and "served as loopback" in second
    assert third == "  the server takes all that was sent"
    assert not any(tmp_path.iterdir())


def test_what_the_server_does_not_take_is_named(serve, entry):
    told = live.check(
        "mine", entry(serve(texts=["Paris", "Paris."], unsupported=["temperature", "seed"], most_samples=1))
    )
    assert told.refused == ["n", "seed", "temperature"] and len(told.texts) == 2
    assert told.lines()[-1] == "  the server does not take: several samples in one request, seed, temperature"


def test_a_wrong_key_is_the_servers_word(serve, entry, monkeypatch):
    server = serve()
    monkeypatch.setenv("LOOPBACK_KEY", "another")
    with pytest.raises(AssayError, match="mine"):
        live.check("mine", entry(server))
