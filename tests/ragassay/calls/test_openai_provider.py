"""The provider for servers that speak OpenAI's protocol: what goes out, what comes back, what goes wrong."""

import asyncio
import json

import pytest

from ragassay.calls.complete import complete
from ragassay.calls.ledger.records import Ledger
from ragassay.calls.model import Answer, Failure, ModelError, Request, Usage, provider_for
from tools.provider.log import digest

MESSAGES = [{"role": "user", "content": "Is the harbour open?"}]


@pytest.fixture(params=["official", "fast"])
def client(request):
    return request.param


def request(content="Is the harbour open?", **sampling):
    return Request([{"role": "user", "content": content}], sampling)


def send(model, samples=(0,), **sampling):
    """One request by the provider alone."""

    async def once():
        provider = provider_for(model)
        try:
            return await provider.send(MESSAGES, sampling, list(samples))
        finally:
            await provider.close()

    return asyncio.run(once())


def failure(model):
    with pytest.raises(Failure) as error:
        send(model)
    return error.value


# --- what goes out and what comes back ------------------------------------------------------------------------------


def test_the_raw_body_is_handed_on_and_read(serve, model):
    body, limits = send(model(serve(texts=["It is.", "It is not."], requests_per_minute=600)), [0, 1])
    answers, usage = provider_for(model("http://x/v1")).read(body)
    assert sorted(answer.text for answer in answers) == ["It is not.", "It is."]
    assert {answer.finish_reason for answer in answers} == {"stop"}
    counts = json.loads(body)["usage"]
    assert usage == Usage(counts["prompt_tokens"], 0, counts["completion_tokens"], served="loopback")
    assert limits == {"requests_per_minute": 600}


def test_sampling_settings_and_options_are_sent(serve, model):
    server = serve()
    send(model(server), temperature=0.5, max_tokens=3, stop=["."], seed=4)
    body = {"model": "loopback", "messages": MESSAGES}
    expected = body | {"temperature": 0.5, "max_tokens": 3, "stop": ["."], "seed": 4}
    assert list(server.summary()["requests_per_key"]) == [digest(expected)]
    send(model(server, options={"reasoning_effort": "low"}))
    expected = body | {"reasoning_effort": "low"}
    assert list(server.summary()["requests_per_key"])[1:] == [digest(expected)]


def test_cached_tokens_are_counted_apart(serve, model, tmp_path):
    server = serve()
    shared = "The document says this. " * 1000
    list(complete([request(shared + str(n), max_tokens=5) for n in range(4)], model(server, concurrency=1), tmp_path))
    assert server.summary()["cached_tokens"] > 0
    counts = Ledger(tmp_path).counts
    assert [counts[name] for name in ("prompt", "cached", "completion")] == [
        server.summary()[f"{name}_tokens"] for name in ("prompt", "cached", "completion")
    ]


@pytest.mark.parametrize(
    ("odd", "answer"),
    [
        ("empty", Answer("", "stop")),
        ("null", Answer("", "stop")),
        ("refusal", Answer("I cannot help with this.", "stop")),
        ("filter", Answer("", "content_filter")),
        ("length", Answer("", "length")),
    ],
)
def test_odd_answers_are_answers_and_are_paid_once(serve, model, tmp_path, odd, answer):
    """What to make of them is for parsers to say; asking again until the model complies is not for us."""
    server = serve(texts=["It is"], odd_answers={odd: 1.0})
    for _ in range(2):
        ((received,),) = complete([request()], model(server), tmp_path)
        assert received.finish_reason == answer.finish_reason and received.prompt_tokens > 0
        assert odd == "length" or received.text == answer.text
    assert server.summary()["requests"] == 1


# --- what goes wrong ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("fault", "lost"), [("429", False), ("500", False), ("408", False), ("drop", True), ("abort", True), ("cut", True)]
)
def test_failures_that_may_pass_say_whether_they_may_have_cost(serve, model, fault, lost):
    failed = failure(model(serve(faults={fault: 1.0})))
    assert (failed.again, failed.lost) == (True, lost)


@pytest.mark.parametrize("form", ["seconds", "ms", "date"])
def test_when_to_come_back(serve, model, form):
    assert 1.9 <= failure(model(serve(faults={"429": 1.0}, retry_after=3.0, retry_after_form=form))).after <= 4.1


@pytest.mark.parametrize(
    ("header", "seconds"),
    [
        *(("31536000", 300), ("inf", 300), ("-5", 0), ("nan", 0), ("", None), ("soon", None)),
        ("Fri, 31 Dec 9999 23:59:59 GMT", 300),
        ("Thu, 01 Jan 1970 00:00:00 GMT", 0),
        ("Fri, 99 Dec 2026 23:59:59 GMT", None),
    ],
)
def test_nobody_waits_a_year_and_what_names_no_time_is_no_pause(model, header, seconds):
    failed = provider_for(model("http://x/v1")).failure(429, {"retry-after": header}, "slow down")
    assert (failed.again, failed.after) == (True, seconds)


@pytest.mark.parametrize("key", [None, "", "  "])
def test_a_missing_key_names_its_variable(model, monkeypatch, key):
    monkeypatch.delenv("LOOPBACK_KEY") if key is None else monkeypatch.setenv("LOOPBACK_KEY", key)
    with pytest.raises(ModelError, match="model tested: no key; set the environment variable LOOPBACK_KEY"):
        provider_for(model("http://x/v1"))


def test_what_cannot_be_a_key_is_not_shown(model, monkeypatch):
    monkeypatch.setenv("LOOPBACK_KEY", "sk-schlüssel-mit-umlaut")
    with pytest.raises(ModelError, match="what LOOPBACK_KEY holds cannot be a key"):
        provider_for(model("http://x/v1"))


@pytest.mark.parametrize(
    ("url", "expected"),
    [
        *((url, "the base_url is no address of a server, expected https://<host>/<path>, without a password")
          for url in ("localhost:8000/v1", "ftp://x/v1", "/v1", "http:///v1", "http://[1/v1", "http://me:secret@h/v1")),
        ("http://h/v1/chat/completions", "the base_url ends in /chat/completions, expected the address without it"),
    ],
)  # fmt: skip
def test_what_is_no_address_names_what_is_expected_and_shows_no_password(model, url, expected):
    with pytest.raises(ModelError, match=f"model tested: {expected}") as error:
        provider_for(model(url))
    assert "secret" not in str(error.value)


def test_the_identity_is_the_same_with_both_clients(model):
    settings = model("http://h/v1")
    expected = {"provider": "openai", "model": "loopback", "endpoint": "h/v1", "options": {}}
    assert provider_for(settings).identity() == expected
