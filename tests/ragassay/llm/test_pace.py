"""Limits: spread evenly, no second above its share, pauses honoured, what headers say believed."""

import asyncio
import time

import pytest

from ragassay.llm.calls import complete
from ragassay.llm.model import Request
from ragassay.llm.pace import Pace, Slots

pytestmark = pytest.mark.clock


def released(pace, count, tokens=0, workers=50):
    """When each of `count` requests may go, in seconds from the start."""

    async def run():
        start, times, left = time.monotonic(), [], iter(range(count))

        async def work():
            for _ in left:
                await pace.wait(tokens)
                times.append(time.monotonic() - start)

        await asyncio.gather(*(work() for _ in range(workers)))
        return times

    return asyncio.run(run())


def most_in_a_second(times):
    return max(sum(start <= moment < start + 1.0 for moment in times) for start in times)


@pytest.mark.parametrize(("limit", "count"), [(1200, 70), (6000, 300), (90, 4)])
def test_no_second_has_more_than_its_share_and_nearly_all_of_it_is_used(limit, count):
    times = released(Pace(requests_per_minute=limit), count)
    assert most_in_a_second(times) <= -(-limit // 60)
    assert times[-1] <= 1.15 * (count - 1) * 60 / limit + 0.3


def test_late_wakers_do_not_make_a_second_too_full():
    """A machine that stalls for a moment wakes many at once."""

    async def late(seconds):
        await asyncio.sleep(seconds + 0.15 * (time.monotonic() % 0.5 < 0.25))

    assert most_in_a_second(released(Pace(requests_per_minute=2400, sleep=late), 120)) <= 40


def test_tokens_are_paced_too():
    times = released(Pace(tokens_per_minute=60_000), 21, tokens=100)
    assert times[-1] >= 2.0 - 0.1


def test_live_shards_share_a_limit():
    assert released(Pace(requests_per_minute=2400, shares=4), 21)[-1] >= 2.0 - 0.1


def test_without_limits_nobody_waits():
    assert released(Pace(), 5000)[-1] < 1


def test_a_pause_holds_everybody():
    pace = Pace()
    pace.pause(0.5)
    pace.pause(0.1)  # a shorter one does not end it
    times = released(pace, 10)
    assert min(times) >= 0.49


@pytest.mark.parametrize(
    ("ours", "told", "then"), [(600, 60, 60), (60, 600, 60), (None, 60, 60), (600, None, 600), (None, None, None)]
)
def test_a_lower_limit_that_a_reply_names_holds(ours, told, then):
    pace = Pace(requests_per_minute=ours)
    pace.learn({"requests_per_minute": told} if told else {})
    assert pace.limits["requests_per_minute"] == then


# --- with a server that counts ---------------------------------------------------------------------------------------


def questions(count):
    return [Request([{"role": "user", "content": f"Question {n}"}], {"max_tokens": 5}) for n in range(count)]


def test_limits_are_learned_from_headers_and_kept(serve, model, tmp_path):
    server = serve(requests_per_minute=1200, burst_seconds=1.0, retry_after=0.1)
    assert len(list(complete(questions(60), model(server), tmp_path))) == 60
    assert server.summary()["kinds"].get("429", 0) <= 2
    times = [line["time"] for line in server.log() if line["event"] == "asked"]
    assert times[-1] - times[0] >= 1.5


@pytest.mark.parametrize("form", ["seconds", "ms", "date"])
def test_nobody_asks_before_the_provider_said(serve, model, tmp_path, quick, form):
    server = serve(faults_at={"5": "429"}, retry_after=1.0, retry_after_form=form, latency=0.01)
    assert len(list(complete(questions(30), model(server, concurrency=2), tmp_path))) == 30
    log = [line for line in server.log() if line["event"] == "asked"]
    (refused,) = [line["time"] for line in log if line["kind"] == "429"]
    later = [line["time"] for line in log if line["time"] > refused + 0.1]  # without those that were on their way
    assert len(later) >= 20
    assert min(later) >= refused + 0.95


def test_no_more_at_once_than_there_are_slots_and_more_when_there_are_more():
    async def run():
        most, inside, seen = 3, 0, []
        slots = Slots(lambda: most)

        async def one():
            nonlocal inside, most
            async with slots:
                inside += 1
                seen.append(inside)
                await asyncio.sleep(0)
                inside -= 1
                most = 3 if len(seen) < 50 else 6

        await asyncio.gather(*(one() for _ in range(200)))
        return seen

    seen = asyncio.run(asyncio.wait_for(run(), 10))
    assert (len(seen), max(seen[:50]), max(seen)) == (200, 3, 6)


def test_slots_are_given_in_the_order_in_which_they_were_asked_for():
    """Else whoever asks again at once keeps those out who wait."""

    async def run():
        slots, order = Slots(lambda: 1), []

        async def one(name):
            for _ in range(3):
                async with slots:
                    order.append(name)
                    await asyncio.sleep(0)

        await asyncio.gather(*(one(name) for name in "abc"))
        return "".join(order)

    assert asyncio.run(asyncio.wait_for(run(), 10)) == "abcabcabc"


def test_one_slot_is_left_to_each_of_too_many_jobs():
    async def run():
        async with Slots(lambda: 0):
            return True

    assert asyncio.run(asyncio.wait_for(run(), 10))


def test_who_stops_waiting_for_a_slot_keeps_nobody_out():
    async def run():
        slots, entered = Slots(lambda: 1), []

        async def one(number):
            async with slots:
                entered.append(number)
                await asyncio.sleep(0.01)

        tasks = [asyncio.create_task(one(number)) for number in range(5)]
        await asyncio.sleep(0.001)
        tasks[1].cancel()
        tasks[3].cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        return entered

    assert asyncio.run(asyncio.wait_for(run(), 10)) == [0, 2, 4]
