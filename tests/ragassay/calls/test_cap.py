"""The cap at servers whose answers ignore max_tokens, each by a factor of its own: jobs in virtual time, some killed
with requests in flight, by the bill of the server.
"""

import asyncio
import contextlib
import itertools
import random
from types import SimpleNamespace

import pytest

from calling import InMemory, questions
from ragassay.calls import model
from ragassay.calls._caller import Caller, GaveUp
from ragassay.calls.ledger.records import Ledger
from ragassay.calls.limits.money import OverBudget
from ragassay.calls.limits.quirks import HEADROOM
from ragassay.calls.model import Answer, Failure, Model, Usage

LIMIT, FACTOR, CONCURRENCY = 1000, 20, 64  # tokens of an answer, by how many times the longest exceeds it, in flight
PRICE = {"input": 0.0, "output": 1e6 / LIMIT}  # an answer that keeps to its limit costs at most a dollar


class Server(model.Provider):
    """Bills a request as soon as it comes, answers it after a while, and loses some replies."""

    def __init__(self, model, factors, chance):
        super().__init__(model)
        self.factors, self.chance = factors, chance
        self.billed = self.unforeseen = 0.0  # dollars; those beyond what was set aside for each answer
        self.dearest, self.in_flight, self.most_in_flight = 1.0, 0, 0
        self.waits, self.beside = False, []  # after a surprise: how many the next request finds in flight

    def set_aside(self):
        return self.dearest * HEADROOM if self.dearest > 1.0 else 1.0

    async def send(self, messages, sampling, samples):
        factor = next(self.factors)
        self.billed += factor
        self.unforeseen += max(0.0, factor - self.set_aside())
        if self.waits:
            self.waits = False
            self.beside.append(self.in_flight)
        self.in_flight += 1
        self.most_in_flight = max(self.most_in_flight, self.in_flight)
        try:
            await asyncio.sleep(self.chance.uniform(0.5, 2.0))
        finally:
            self.in_flight -= 1
        if self.chance.random() < 0.02:
            raise Failure("connection", "gone", again=True, lost=True)
        if factor > self.set_aside():
            self.waits = True
        self.dearest = max(self.dearest, factor)
        return str(round(factor * LIMIT)), {}

    def read(self, body):
        return [Answer("yes", "stop")], Usage(1, 0, int(body))


@pytest.fixture
def simulated(tmp_path, clock, unsynced):
    """A function that lets jobs ask one server under one cap, kills some of them and runs them again."""

    def run(seed, factors, cap, jobs, requests, **more):
        chance, kept, names = random.Random(seed), {}, itertools.count()
        settings = {"concurrency": CONCURRENCY, "price": PRICE, "budget_usd": cap, "timeout": 1e6, **more}
        asked = Model("tested", "x", "x", **settings)
        server = Server(asked, factors(random.Random(seed)), chance)

        async def job(number):
            folder, killed = tmp_path / f"{seed}" / f"{number}", True
            while killed:
                ledger = Ledger(folder)
                register = InMemory(f"here 1 {next(names)}", kept, clock, folder)
                lease = SimpleNamespace(register=register, lost=False, read_only=False, name="lease")
                caller = Caller(asked, ledger, server, lease)
                left = iter(questions(requests, max_tokens=LIMIT))

                async def work(caller=caller, left=left):
                    for request in left:
                        with contextlib.suppress(GaveUp):
                            await caller.ask(request)

                work = asyncio.gather(*(work() for _ in range(CONCURRENCY)))
                killed = chance.random() < 0.4
                try:
                    async with asyncio.timeout(chance.uniform(1.0, 30.0) if killed else None):
                        await work
                    killed = False
                except OverBudget:
                    caller.halt(OverBudget("over"))
                    killed = False
                except TimeoutError:
                    pass
                if killed:  # nothing is reported, and its slots come free
                    caller.slots._looking and caller.slots._looking.cancel()
                    kept.get("jobs", {}).pop(register.name, None)
                else:
                    await caller.close()
                ledger.close()

        async def all_of_them():
            await asyncio.gather(*(job(number) for number in range(jobs)))

        clock.run(all_of_them())
        return server

    return run


def drawn(draw):
    while True:
        yield draw.uniform(1, FACTOR)


def skewed(draw):
    while True:
        yield FACTOR ** draw.random()


def rare(draw):
    """Nearly all keep to the limit."""
    yield 1.5
    while True:
        yield FACTOR if draw.random() < 0.02 else draw.random()


def creeping(draw):
    """Each a little longer than those before."""
    factor = 1.01
    while True:
        yield factor
        factor = min(FACTOR, factor * 1.1)


def adverse(draw):
    """A long row of short ones, then only long ones."""
    for _ in range(draw.randint(1, 200)):
        yield 1.1
    while True:
        yield FACTOR


def servers(simulated, factors, answers, requests, **more):
    """(seed, server, cap) of a dozen simulations, whose cap allows so many of the longest answers."""
    for seed in range(12):
        cap, jobs = answers * FACTOR, 1 + seed % 4
        yield seed, simulated(seed, factors, cap, jobs, requests // jobs, **more), cap


LONGEST = {"longest_answer": FACTOR * LIMIT}  # of the model: then nothing is unforeseen


@pytest.mark.parametrize(
    ("factors", "answers", "requests", "more"),
    [*((factors, 30, 1200, {}) for factors in (drawn, skewed, rare, creeping)), (adverse, 5, 400, LONGEST)],
)
def test_a_cap_holds_whatever_the_factors_of_answers(simulated, factors, answers, requests, more):
    used = []
    for seed, server, cap in servers(simulated, factors, answers, requests, **more):
        assert server.billed <= cap, seed
        used.append(server.billed / cap)
    assert max(used) > 0.5


def test_no_more_than_what_could_not_be_foreseen_goes_beyond_the_cap(simulated):
    """Even where the answers seen so far say nothing about those to come."""
    for seed, server, cap in servers(simulated, adverse, 5, 400):
        assert server.billed <= cap + server.unforeseen, seed


def test_after_a_surprise_few_are_in_flight(simulated):
    """The first answer is one, and each that is longer than twice the longest before; in between more and more go. What
    was in flight beside it counts, too, so that requests go again when half of it has come back.
    """

    def doubling(draw):
        for factor in (1.5, 4.0, 9.0, 19.0):
            yield factor
            yield from [1.0] * 100
        while True:
            yield 1.0

    server = simulated(0, doubling, 1e6, 1, requests=600)
    assert server.beside[0] == 0
    assert len(server.beside) >= 3
    assert max(server.beside) < CONCURRENCY / 2
    assert server.most_in_flight == CONCURRENCY


def test_answers_that_keep_to_their_limit_cost_no_time(simulated):
    server = simulated(0, lambda draw: iter(lambda: 0.5, None), 1e6, 1, requests=200)
    assert server.most_in_flight == CONCURRENCY
