"""Limits: spread evenly, no second above its share, pauses honoured, what headers say believed. Seconds are those of
virtual time, but where there is a server.
"""

import asyncio
import contextlib
import random

import pytest

from calling import InMemory, questions
from clocks import VirtualTime
from ragassay.calls.complete import Stopped, complete
from ragassay.calls.limits import rates
from ragassay.calls.limits.pace import Pace, Slots
from ragassay.calls.limits.rates import SharedLimits
from ragassay.calls.model import Model, Request


def pace_of(sleep=asyncio.sleep, **limits):
    return Pace(SharedLimits(Model("tested", "x", "x", **limits)), sleep)


@pytest.fixture
def released(clock):
    """A function that tells when each of `count` requests may go, in seconds from the start."""

    def times(pace, count, tokens=0, workers=50):
        start, moments, left = clock.monotonic(), [], iter(range(count))

        async def work():
            for _ in left:
                await pace.wait(tokens)
                moments.append(clock.monotonic() - start)

        async def run():
            await asyncio.gather(*(work() for _ in range(workers)))

        clock.run(run())
        return moments

    return times


def most_in_a_second(times):
    return max(sum(start <= moment < start + 1.0 for moment in times) for start in times)


@pytest.mark.parametrize(("limit", "count"), [(1200, 70), (6000, 300), (90, 4)])
def test_no_second_has_more_than_its_share_and_nearly_all_of_it_is_used(released, limit, count):
    times = released(pace_of(requests_per_minute=limit), count)
    assert most_in_a_second(times) <= -(-limit // 60)
    assert times[-1] <= 1.15 * (count - 1) * 60 / limit + 0.3


@pytest.mark.parametrize("limit", [90, 600, 2400])
@pytest.mark.parametrize(("stall", "used"), [(0.004, 0.9), (0.3, 0.4)])
def test_no_second_has_more_than_its_share_whatever_jobs_and_the_machine_do(clock, limit, stall, used):
    """Jobs start, end and are killed; who sleeps wakes up late, and each request takes its time to arrive."""
    chance, kept, arrived, left, jobs = random.Random(limit), {}, [], iter(range(1 + limit // 2)), []

    async def late(seconds):
        await asyncio.sleep(seconds + stall * chance.random() * chance.choice([0, 1]))

    async def ask(pace):
        for _ in left:
            await pace.wait(0)
            arrived.append(clock.monotonic() + rates.ARRIVAL * chance.random())

    async def job(number):
        shared = SharedLimits(Model("tested", "x", "x", requests_per_minute=limit), InMemory(str(number), kept, clock))
        pace = Pace(shared, late)
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(chance.choice([1, 5, 1000] if number else [1000])):
                await asyncio.gather(*(ask(pace) for _ in range(10)))
        if pace._releasing:  # it was killed
            pace._releasing.cancel()
        kept["jobs"].pop(str(number), None)

    async def run():
        for number in range(60):
            if sum(not job.done() for job in jobs) < 8:
                jobs.append(asyncio.create_task(job(number)))
            await asyncio.sleep(chance.random())
        await asyncio.gather(*jobs)

    clock.run(run())
    arrived.sort()
    assert most_in_a_second(arrived) <= -(-limit // 60)
    assert len(arrived) / (arrived[-1] - arrived[0]) >= used * limit / 60


def test_tokens_are_paced_too(released):
    times = released(pace_of(tokens_per_minute=60_000), 21, tokens=100)
    assert times[-1] >= 2.0 - 0.1


def test_without_limits_nobody_waits():
    async def never(_):
        raise AssertionError("it waited")

    async def fifty():
        pace = pace_of(never)
        for _ in range(50):
            await pace.wait(0)

    asyncio.run(fifty())


def test_many_refusals_pause_everybody_and_one_does_not(released, clock):
    waits = []
    for refusals in (4, 1):
        refused = pace_of()
        refused.limits.share(0, 1)
        for _ in range(refusals):
            refused.pause(0.5, clock.monotonic())
        refused.pause(0.1, clock.monotonic())  # a shorter one does not end it
        waits.append(min(released(refused, 10)) >= 0.49)
    assert waits == [True, False]


@pytest.mark.parametrize(
    ("ours", "told", "then"), [(600, 60, 60), (60, 600, 60), (None, 60, 60), (600, None, 600), (None, None, None)]
)
def test_a_lower_limit_that_a_reply_names_holds(ours, told, then):
    pace = pace_of(requests_per_minute=ours)
    pace.learn({"requests_per_minute": told} if told else {})
    assert pace.limits.in_force["requests_per_minute"] == then


# --- with a server that counts ---------------------------------------------------------------------------------------


@pytest.mark.clock
def test_a_refused_request_comes_back_when_the_provider_said(serve, model, tmp_path, quick):
    server = serve(faults_at={"5": "429"}, retry_after=1.0, latency=0.01)
    assert len(list(complete(questions(30), model(server, concurrency=1), tmp_path))) == 30
    log = [line for line in server.log() if line["event"] == "asked"]
    (refused,) = [line["time"] for line in log if line["kind"] == "429"]
    later = sorted(line["time"] for line in log if line["time"] > refused)
    assert len(later) >= 20
    assert later[0] >= refused + 0.95


@pytest.mark.clock
def test_requests_that_waited_behind_refusals_do_not_go_all_at_once(serve, model, tmp_path):
    """Ten are refused at once; what comes next waits for the first answer."""
    server = serve(refused_words={"war": 400}, latency=2.0)
    asked = [Request([{"role": "user", "content": f"{'war' if 0 < n < 11 else 'peace'} {n}"}]) for n in range(50)]
    assert len(list(complete(asked, model(server, concurrency=40, requests_per_minute=1200), tmp_path))) == 50
    assert most_in_a_second([line["time"] for line in server.log() if line["event"] == "asked"]) <= 20


# --- slots -----------------------------------------------------------------------------------------------------------


class Shares:
    """So many slots for this job, and more after a while."""

    known, seconds_between_visits = True, 0.01

    def __init__(self, *most):
        self.most = list(most)

    def share(self, used, wanted):
        return self.most.pop(0) if len(self.most) > 1 else self.most[0]

    def leave(self):
        pass


def run(slots, conversation, count):
    async def all_of_them():
        try:
            await asyncio.gather(*(conversation(number) for number in range(count)))
        finally:
            await slots.close()

    VirtualTime().run(all_of_them())


def inside(slots, count):
    """(slots of the job, how many are in use) whenever one is taken."""
    holders, seen = [], []

    async def one(number):
        async with slots:
            holders.append(number)
            seen.append((slots.most, len(holders)))
            await asyncio.sleep(0.002)
            holders.remove(number)

    run(slots, one, count)
    assert len(seen) == count
    return seen


def test_no_more_at_once_than_there_are_slots_and_more_when_there_are_more():
    seen = inside(Slots(Shares(3, 6)), 200)
    assert {most: max(count for limit, count in seen if limit == most) for most, _ in seen} == {3: 3, 6: 6}


def test_a_job_without_slots_waits_until_it_has_some_and_gives_back_what_is_too_many():
    seen = inside(Slots(Shares(0, 0, 2, 2, 1)), 30)
    assert all(count <= most for most, count in seen)
    assert {most for most, _ in seen} == {2, 1}


def test_slots_are_given_in_the_order_in_which_they_were_asked_for():
    """Otherwise a job that asks again at once would keep those out that wait."""
    slots, order = Slots(Shares(1)), []

    async def one(number):
        for _ in range(3):
            async with slots:
                order.append("abc"[number])
                await asyncio.sleep(0)

    run(slots, one, 3)
    assert "".join(order) == "abcabcabc"


def test_who_stops_waiting_for_a_slot_keeps_nobody_out():
    slots, entered, tasks = Slots(Shares(1)), [], {}

    async def one(number):
        tasks[number] = asyncio.current_task()
        if number == 3:
            asyncio.get_running_loop().call_later(0.001, tasks[1].cancel)
            asyncio.get_running_loop().call_later(0.001, tasks[3].cancel)
        with contextlib.suppress(asyncio.CancelledError):
            async with slots:
                entered.append(number)
                await asyncio.sleep(0.01)

    run(slots, one, 5)
    assert entered == [0, 2, 4]


@pytest.mark.parametrize("where", ["slots", "pace"])
def test_those_who_wait_hear_that_the_run_is_over(where):
    """Whether a slot or a moment would ever come or not."""

    async def over(_):
        await asyncio.sleep(0.01)
        raise Stopped("asked to end")

    slots, pace = Slots(Shares(0), over), pace_of(over, requests_per_minute=1)

    async def one(_):
        with pytest.raises(Stopped):
            if where == "slots":
                async with slots:
                    pass
            for _ in range(3):
                await pace.wait(1)

    run(slots, one, 5)
