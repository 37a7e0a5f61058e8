"""Five requests to a model, and what they show of its server."""

from dataclasses import replace

import pytest

from ragassay.base.errors import AssayError
from ragassay.calls import live
from ragassay.calls.complete import complete
from ragassay.calls.ledger.register import Register
from ragassay.calls.model import Model, Request, provider_for
from ragassay.plan import models

PRICE = {"input": 1.0, "output": 2.0}


@pytest.fixture
def entry():
    """An entry of the configuration for a server."""

    def of(server, **more):
        entry = {"provider": "openai", "model": "loopback", "base_url": server.url, "key_variable": "LOOPBACK_KEY"}
        return {**entry, "price": PRICE, "mode": "batch", "note": "a toy", "concurrency": 4} | more

    return of


def test_answers_tokens_and_price_are_those_of_the_replies(serve, entry, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    reply = live.check("mine", entry(serve(texts=["Paris", "Paris."])))
    assert len(reply.texts) == 2 and {*reply.texts} <= {"Paris", "Paris."}
    assert reply.refused == [] and reply.requests == 5
    tokens = reply.prompt_tokens, reply.completion_tokens
    assert min(tokens) > 0 and reply.dollars == pytest.approx((tokens[0] * 1.0 + tokens[1] * 2.0) / 1e6)
    first, second, third, *rest = reply.lines()
    assert "model mine: " in first and "'Paris" in first
    assert f"{tokens[0]:} tokens read" in second and "served as loopback" in second
    assert third == "  the server takes all that was sent"
    assert rest[0] == "  JSON: not written when asked for" and rest[1] == "  max_tokens: kept"
    assert rest[2].endswith("tokens are read") and rest[3] == "  limits that it names: none"
    assert not any(tmp_path.iterdir())


def test_what_the_server_does_not_take_is_named_and_kept_for_runs(serve, entry, tmp_path):
    refused = ["temperature", "seed", "response_format"]
    server, register = serve(texts=["Paris", "Paris."], unsupported=refused, most_samples=1), str(tmp_path / "register")
    reply = live.check("mine", entry(server), register)
    assert reply.refused == ["n", *sorted(refused)] and len(reply.texts) == 2
    assert "several samples in one request, response_format, seed, temperature" in reply.lines()[2]
    before = server.summary()["requests"]
    again = live.check("mine", entry(server), register)
    assert again.refused == reply.refused and again.requests == 6  # two samples, and four others: nothing is tried anew
    assert server.summary()["requests"] - before == 6


def test_a_check_leaves_the_amounts_of_a_running_job_as_they_are(serve, entry, tmp_path):
    """Answers that are too long, and a cap: a run's room, excess and money are not those of a check."""
    server = serve(texts=[" ".join(map(str, range(400)))], odd_answers={"too_long": 1.0}, unsupported=["seed"])
    register = Register(tmp_path / "register", tmp_path / "job")
    about = {"endpoint": ["openai", "loopback", server.url], "refused": ["top_p"], "answered": True}
    job = [0.0, 1, 1]
    with register.shared() as (kept, now):
        job[0] = now
        kept["jobs"][register.name] = job
        kept |= {
            "manners": about | {"excess": 1.5, "room": 1, "cut_after": 2048},
            "learned": {"requests_per_minute": 6000},
        }
        kept |= {"endpoint": about["endpoint"], "confirmed": True, "next": now, "slowed": None}
    register.spent(0.25)
    money = register.money.read_bytes()
    live.check("mine", entry(server, budget_usd=1.0), str(tmp_path / "register"))
    kept = register.kept()
    assert kept["manners"] == about | {"refused": ["seed", "top_p"], "excess": 1.5, "room": 1, "cut_after": None}
    assert kept["jobs"] == {register.name: job} and kept["learned"] == {"requests_per_minute": 6000}
    assert register.money.read_bytes() == money


def test_limits_that_replies_name_are_kept_for_runs(serve, entry, tmp_path):
    server = serve(texts=["Paris"], requests_per_minute=600)
    reply = live.check("mine", entry(server, budget_usd=1.0), str(tmp_path / "register"))
    kept = Register(tmp_path / "register", "").kept()
    assert kept["learned"] == reply.limits and reply.limits["requests_per_minute"] == 600
    assert kept["manners"]["excess"] == 1.0 and not kept["jobs"] and not (tmp_path / "register/money.json").exists()


def test_a_server_that_writes_json_and_too_much_is_seen_to_and_kept(serve, entry, tmp_path):
    register, writes = str(tmp_path / "register"), serve(texts=['{"city": "Paris"}'])
    reply = live.check("mine", entry(writes), register)
    assert "  JSON: written when asked for" in reply.lines()
    words = " ".join(map(str, range(400)))
    kept = Register(register, "").kept()["checked"]
    assert kept["json"] and kept["dollars"] == reply.dollars > 0 and kept["requests"] == reply.requests
    server = serve(texts=[words], odd_answers={"too_long": 1.0})
    reply = live.check("mine", entry(server), register)
    kept = Register(register, "").kept()["checked"]
    assert not kept["json"] and (kept["allowed"], kept["written"]) == (24, reply.counted.completion_tokens)
    assert kept["endpoint"] == ["openai", "loopback", server.url]
    assert reply.counted.completion_tokens > 100
    assert (
        f"  max_tokens: {reply.counted.completion_tokens} tokens were written where 24 were allowed" in reply.lines()[4]
    )


def test_a_server_that_cuts_prompts_without_a_word_is_seen_to(serve, entry):
    reply = live.check("mine", entry(serve(texts=["yes"])))
    whole, few = reply.long.prompt_tokens, reply.short.prompt_tokens
    assert whole == pytest.approx(live.expected_tokens(few), rel=0.05)
    cut = replace(reply, long=replace(reply.long, prompt_tokens=2048))
    assert "2,048 tokens are read of about" in cut.lines()[5] and "num_ctx" in cut.lines()[5]
    reply = live.check("mine", entry(serve(texts=["yes"], context_tokens=4000)))
    assert reply.long.finish_reason == "too_long" and reply.lines()[5].startswith("  long prompts: not known: ")


def test_a_run_says_that_the_server_cuts_prompts(serve, entry, model, tmp_path, monkeypatch, caplog):
    server, register = serve(texts=["yes"]), str(tmp_path / "register")
    monkeypatch.setattr(live, "CUT", 2.0)  # so that the server looks as if it read half
    cut_after = live.check("mine", entry(server), register).cut_after
    asked = [Request([{"role": "user", "content": f"Who is {name}?"}], {"temperature": 0}) for name in "ab"]
    list(complete(asked, model(server, register=register), tmp_path / "ledger"))
    assert caplog.text.count(f"its server reads {cut_after} tokens of a prompt and cuts the rest") == 1
    monkeypatch.setattr(live, "CUT", 0.5)
    assert live.check("mine", entry(server), register).cut_after is None
    assert Register(register, "").kept()["manners"]["cut_after"] is None
    monkeypatch.setattr(live, "CUT", 2.0)
    live.check("mine", entry(server), register)
    list(complete(asked, model(server, register=register), tmp_path / "other"))
    assert Register(register, "").kept()["manners"]["cut_after"] == cut_after
    live._hand_over(Register(register, "").kept(), Register(register, ""))
    assert Register(register, "").kept()["manners"]["cut_after"] == cut_after, (
        "a check that saw nothing forgets nothing"
    )


@pytest.mark.parametrize(
    ("provider", "headers"),
    [
        ("openai", {"x-ratelimit-limit-requests": "600", "x-ratelimit-limit-tokens": "90000"}),
        ("openai", {"anthropic-ratelimit-requests-limit": "600", "anthropic-ratelimit-tokens-limit": "90000"}),
        ("openai", {"x-ratelimit-limit-req-minute": "600", "x-ratelimit-limit-tokens-minute": "90000"}),
        ("openai", {"x-ratelimit-limit-requests": "600", "x-ratelimitbysize-limit-minute": "90000"}),
        ("together", {"x-ratelimit-limit": "10", "x-tokenlimit-limit": "1500"}),
    ],
)
def test_limits_are_read_under_the_names_of_each_provider(provider, headers):
    made = provider_for(Model("m", provider, "m", "http://127.0.0.1:9/v1", "LOOPBACK_KEY", price=PRICE))
    assert made.limits_in(headers) == {"requests_per_minute": 600, "tokens_per_minute": 90_000}
    assert made.limits_in({}) == {}
    assert made.limits_in(dict.fromkeys(headers, "many")) == {}


def test_a_server_with_an_identity_may_move_and_is_asked_nothing_again(serve, model, tmp_path):
    ask = [Request([{"role": "user", "content": "Who?"}], {"temperature": 0})]
    first, second, third = serve(), serve(), serve()
    for server in (first, second):
        answers = list(complete(ask, model(server, identity="llama-70b-awq"), tmp_path / "ledger"))
    assert [one.text for [one] in answers] and (first.summary()["requests"], second.summary()["requests"]) == (1, 0)
    list(complete(ask, model(third, identity="another"), tmp_path / "ledger"))
    assert third.summary()["requests"] == 1


def test_where_a_server_with_an_identity_stands_runs_nothing_again():
    entry = {"provider": "openai", "model": "m", "base_url": "http://a/v1", "identity": None, "price": PRICE}
    moved = entry | {"base_url": "http://b/v1"}
    plain = [models.model({"models": {"m": one}}, "m") for one in (entry, moved)]
    assert plain[0] != plain[1]
    named = [{"models": {"m": one | {"identity": "weights"}}} for one in (entry, moved)]
    assert models.model(named[0], "m") == models.model(named[1], "m")
    assert [models.access(one, "m")["base_url"] for one in named] == ["http://a/v1", "http://b/v1"]


def test_a_wrong_key_is_the_servers_word(serve, entry, monkeypatch):
    server = serve()
    monkeypatch.setenv("LOOPBACK_KEY", "another")
    with pytest.raises(AssayError, match="mine"):
        live.check("mine", entry(server))
