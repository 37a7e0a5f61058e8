"""Requests that are refused for now: one of many concerns itself alone, many slow all jobs down, in virtual time."""

import asyncio
import random
from types import SimpleNamespace

import pytest

from calling import InMemory, questions
from ragassay.calls import _caller, model
from ragassay.calls._caller import Caller
from ragassay.calls.ledger.records import Ledger
from ragassay.calls.model import Answer, Failure, Model, Usage


class Server(model.Provider):
    """Takes so many requests a second, with as many in store at most, and refuses some at random."""

    def __init__(self, model, clock, rate=None, at_random=0.0, after=None):
        super().__init__(model)
        self.clock, self.rate, self.at_random, self.after = clock, rate, at_random, after
        self.chance, self.left, self.since = random.Random(1), rate or 0, clock.monotonic()
        self.asked, self.taken = [], 0

    async def send(self, messages, sampling, samples):
        now = self.clock.monotonic()
        self.asked.append(now)
        if self.rate:
            self.left = min(self.rate, self.left + (now - self.since) * self.rate)
        self.since = now
        await asyncio.sleep(0.1)
        if (self.rate and self.left < 1) or self.chance.random() < self.at_random:
            raise Failure("http 429", "too many", again=True, after=self.after)
        self.left, self.taken = self.left - 1, self.taken + 1
        return "yes", {}

    def read(self, body):
        return [Answer(body, "stop")], Usage(1, 0, 1)


@pytest.fixture
def asked(monkeypatch, tmp_path, clock, unsynced):
    """A function that lets jobs of so many requests ask a server; returns the server and the seconds that it took."""
    monkeypatch.setattr(_caller, "time", clock)

    def run(jobs, **quirks):
        kept = {}
        tested = Model("tested", "x", "x", concurrency=64, price={"input": 0, "output": 0}, timeout=1e6)
        server = Server(tested, clock, **quirks)

        async def job(number, count):
            ledger = Ledger(tmp_path / f"{number}")
            register = InMemory(f"here 1 {number}", kept, clock, ledger.folder)
            lease = SimpleNamespace(register=register, lost=False, read_only=False, name="lease")
            asking, requests = Caller(tested, ledger, server, lease), iter(questions(count, f"{number} {{}}"))

            async def work():
                for request in requests:
                    await asking.ask(request)

            await asyncio.gather(*(work() for _ in range(64)))
            await asking.close()
            ledger.close()

        async def all_of_them():
            begun = clock.monotonic()
            await asyncio.gather(*(job(number, count) for number, count in enumerate(jobs)))
            return clock.monotonic() - begun

        seconds = clock.run(all_of_them())
        assert server.taken == sum(jobs)
        return server, seconds

    return run


def test_requests_refused_at_random_hold_up_nobody_else(asked):
    """1,000 calls of 100 ms, 64 at once, would take 1.6 s; the last ones that are refused wait for 2 s each time."""
    _, seconds = asked([1000], at_random=0.05, after=2.0)
    assert seconds < 10


def test_without_refusals_nothing_changes(asked):
    _, seconds = asked([1000])
    assert seconds < 1000 / 64 * 0.1 * 1.2 + 0.3


@pytest.mark.parametrize("after", [None, 0.5, 2.0])
def test_six_jobs_find_the_rate_of_a_server_that_names_none(asked, after):
    server, seconds = asked([40] * 6, rate=10, after=after)
    assert len(server.asked) < 2 * 240
    assert seconds < 2 * 24


def test_a_rate_that_was_lowered_grows_again(asked):
    """In a long run the server's rate is used, and few requests are refused."""
    server, seconds = asked([1500, 1500], rate=10)
    assert len(server.asked) < 1.15 * 3000
    assert seconds < 1.35 * 300


def test_all_jobs_heed_a_pause(asked):
    """After the burst that is refused nobody asks until it is over, and then slowly."""
    server, _ = asked([40] * 3, rate=5, after=7.0)
    gaps = [later - before for before, later in zip(server.asked, server.asked[1:], strict=False)]
    assert max(gaps) > 6.0
