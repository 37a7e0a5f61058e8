"""Money: prices are told, the worst case is set aside before a request, and the cap is never passed."""

import asyncio
import json
import random

import pytest

from ragassay.calls import model as models
from ragassay.calls.complete import complete
from ragassay.calls.ledger.records import Ledger
from ragassay.calls.limits.money import OverBudget, Price, Purse, at_most, price_of
from ragassay.calls.limits.quirks import Quirks
from ragassay.calls.model import Answer, Model, ModelError, Request, Usage


def priced(price):
    return Model("tested", "openai", "loopback", price=price)


@pytest.mark.parametrize(
    ("usage", "batched", "dollars"),
    [
        (Usage(1_000_000, 0, 0), False, 2.0),
        (Usage(1_000_000, 1_000_000, 0), False, 0.5),
        (Usage(1_000_000, 250_000, 100_000), False, 0.75 * 2 + 0.25 * 0.5 + 0.1 * 8),
        (Usage(0, 0, 1_000_000), True, 4.0),
        (Usage(), False, 0.0),
    ],
)
def test_a_price_is_for_a_million_tokens(usage, batched, dollars):
    assert Price(2.0, 0.5, 8.0, 0.5).of(usage, batched) == pytest.approx(dollars, rel=1e-12)


def test_cached_tokens_cost_what_others_do_unless_it_is_said():
    assert price_of(priced({"input": 2.0, "output": 8.0})) == Price(2.0, 2.0, 8.0)


@pytest.mark.parametrize("price", [None, {}, {"input": 1.0}, {"output": 1.0}, {"input": 1, "output": 1, "inptu": 2}])
def test_an_unknown_price_is_an_error_and_not_zero(price):
    with pytest.raises(ModelError, match=r"model tested: found .*, expected what a million tokens cost in dollars"):
        price_of(priced(price))


def test_a_request_takes_at_most_its_bytes_and_its_longest_answers():
    request = Request([{"role": "user", "content": "größer"}, {"role": "system", "content": ""}], {"max_tokens": 10}, 3)
    assert at_most(request, 3) == Usage(8 + 3 * 16, 0, 30)


def test_a_cap_needs_answers_of_limited_length():
    with pytest.raises(ModelError, match="set max_tokens"):
        at_most(Request([]), 1, capped=True)


async def reserve(purse, dollars):
    await purse.make_room(dollars)
    purse.take(dollars)


def test_a_request_that_may_pass_the_cap_waits_for_those_in_flight():
    """They cost less than was set aside for them, nearly always."""

    async def spend():
        purse, paid = Purse(1.0, Quirks(priced(None))), []

        async def ask(number):
            await reserve(purse, 0.4)
            assert purse.spent + purse.reserved <= 1.0
            await asyncio.sleep(0.001)
            purse.settle(0.4, 0.01)
            paid.append(number)

        await asyncio.gather(*(ask(number) for number in range(50)))
        return purse.spent, len(paid)

    assert asyncio.run(spend()) == (pytest.approx(0.5), 50)


def test_over_the_cap_with_nothing_in_flight_is_an_error():
    async def spend():
        purse = Purse(1.0, Quirks(priced(None)), spent=0.9)
        await reserve(purse, 0.05)
        purse.settle(0.05, 0.05)
        await reserve(purse, 0.06)

    expected = r"budget_usd 1: 0\.9500 spent, the next request may cost 0\.0600; .*run again"
    with pytest.raises(OverBudget, match=expected):
        asyncio.run(spend())


def test_what_is_in_flight_or_lost_counts_at_the_price_that_was_seen_since():
    async def spend():
        quirks = Quirks(priced(None))
        purse = Purse(1.0, quirks, spent=0.1, lost=0.01)
        await reserve(purse, 0.01)
        quirks.exceeded(20.0)
        assert purse.counted() == pytest.approx(0.1 + 2 * 0.02 * 20)
        purse.settle(0.01, paid=0.4)
        await reserve(purse, 0.01)

    expected = r"0\.9000 spent, the next request may cost 0\.4000 \(answers have cost up to 20\.0 times"
    with pytest.raises(OverBudget, match=expected):
        asyncio.run(spend())


# --- whole runs -----------------------------------------------------------------------------------------------------


class Provider(models.Provider):
    """Answers at once, at a price of its own for each reply; one in ten is lost, one in ten cannot be read."""

    billed = 0.0

    async def send(self, messages, sampling, samples):
        draw = random.Random(messages[0]["content"] + str(self.billed))
        await asyncio.sleep(0)
        tokens = draw.randint(1, 10), draw.randint(0, sampling["max_tokens"]) * len(samples)
        price = self.model.price
        Provider.billed += (tokens[0] * price["input"] + tokens[1] * price["output"]) / 1e6
        chance = draw.random()
        if chance < 0.1:
            raise models.Failure("connection", "gone", again=True, lost=True)
        return "torn" if chance < 0.2 else f"{tokens[0]} {tokens[1]} {len(samples)}", {}

    def read(self, body):
        if body == "torn":
            raise models.Failure("cut off", "torn", again=True, lost=True)
        prompt, completion, samples = map(int, body.split())
        return [Answer("yes", "stop")] * samples, Usage(prompt, 0, completion)


@pytest.fixture
def spender(monkeypatch, quick, unsynced):
    monkeypatch.setattr("ragassay.calls.complete.provider_for", Provider)
    monkeypatch.setattr("ragassay.calls._caller.FIRST_WAIT", 0.0)
    monkeypatch.setattr(Provider, "billed", 0.0)


def test_runs_with_random_prices_never_pass_the_cap(spender, tmp_path):
    stopped, finished, used = 0, 0, []
    for number in range(300):
        draw = random.Random(number)
        price = {"input": 10 ** draw.uniform(-2, 2), "output": 10 ** draw.uniform(-2, 2)}
        requests = [Request([{"role": "user", "content": str(n)}], {"max_tokens": 100}, 1 + n % 2) for n in range(12)]
        cap = draw.uniform(0.2, 3) * 12 * (price["input"] * 60 + price["output"] * 100) / 1e6
        model = Model("tested", "x", "x", concurrency=draw.randint(1, 8), price=price, budget_usd=cap)
        ledger, Provider.billed = tmp_path / str(number), 0.0
        try:
            finished += len(list(complete(requests, model, ledger))) == 12
        except OverBudget:
            stopped += 1
        assert Provider.billed <= cap
        used.append(Provider.billed / cap)
    assert stopped + finished == 300
    assert min(stopped, finished) > 30
    assert max(used) > 0.5


def test_at_the_cap_nothing_is_lost_and_a_raised_one_goes_on(spender, tmp_path):
    requests = [Request([{"role": "user", "content": str(n)}], {"max_tokens": 100}) for n in range(50)]
    settings = {"concurrency": 4, "price": {"input": 1.0, "output": 1.0}}
    answered, spent = 0, []
    for cap in (0.001, 0.001, 0.003, 1.0):
        try:
            list(complete(requests, Model("tested", "x", "x", **settings, budget_usd=cap), tmp_path))
        except OverBudget:
            assert Provider.billed <= cap
        ledger = Ledger(tmp_path)
        assert ledger.counts["samples"] >= answered
        answered = ledger.counts["samples"]
        spent.append(Provider.billed)
    assert (answered, spent[0]) == (50, spent[1])


def test_what_a_killed_run_may_have_cost_counts(spender, tmp_path):
    ledger = Ledger(tmp_path)
    ledger.intent("0" * 32, [0], worst=0.9)
    ledger.close()
    request = Request([{"role": "user", "content": "x"}], {"max_tokens": 1000})
    model = Model("tested", "x", "x", price={"input": 100.0, "output": 100.0}, budget_usd=1.0)
    with pytest.raises(OverBudget, match=r"0\.9000 spent"):
        list(complete([request], model, tmp_path))


def test_what_is_given_up_in_flight_counts_for_the_other_jobs(spender, tmp_path, monkeypatch):
    async def send(self, messages, sampling, samples):
        if messages[0]["content"] == "refused":
            await asyncio.sleep(0.05)
            raise models.Failure("http 401", "no such key", again=False)
        await asyncio.Event().wait()

    monkeypatch.setattr(Provider, "send", send)
    monkeypatch.setattr("ragassay.calls._caller.Caller.halt.__defaults__", (0.0,))
    requests = [Request([{"role": "user", "content": name}], {"max_tokens": 100}) for name in ("lost", "refused")]
    model = Model("tested", "x", "x", concurrency=2, price={"input": 0, "output": 1e4}, register=str(tmp_path / "x"))
    with pytest.raises(ModelError, match="no such key"):
        list(complete(requests, model, tmp_path / "job"))
    assert json.loads((tmp_path / "x/money.json").read_text()) == {str(tmp_path / "job"): [0.0, 1.0]}


@pytest.mark.parametrize("usage", [Usage(), Usage(12, 0, 0)])
def test_a_reply_that_does_not_say_what_it_took_counts_as_the_dearest(spender, tmp_path, monkeypatch, usage):
    monkeypatch.setattr(Provider, "read", lambda self, body: ([Answer("yes", "stop")], usage))
    monkeypatch.setattr(random.Random, "random", lambda self: 0.5)
    request = Request([{"role": "user", "content": "x"}], {"max_tokens": 1000})
    list(complete([request], Model("tested", "x", "x", price={"input": 1.0, "output": 1.0}), tmp_path))
    assert Ledger(tmp_path).dollars == pytest.approx((33 + 1000) / 1e6)
