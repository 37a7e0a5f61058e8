"""What jobs are granted of a model's limits: an even share, nothing that another one has, and what replies name."""

import itertools
import json
import math
import time
from types import SimpleNamespace

import pytest

from calling import InMemory
from ragassay.calls.ledger.register import Register
from ragassay.calls.limits.rates import LEAST, RAMP, SECOND, SharedLimits, dealt
from ragassay.calls.model import Model


def job(folder, **settings):
    return SharedLimits(Model("tested", "x", "x", **{"concurrency": 64, **settings}), Register(folder, "ledger"))


def replied(limits, **named):
    """The job, after a first reply."""
    limits.share(0, 1)
    limits.learn(named)
    return limits


@pytest.mark.parametrize(
    ("wants", "most", "shares"),
    [
        ({"a": 50, "b": 50}, 16, {"a": 8, "b": 8}),
        ({"a": 50, "b": 3}, 16, {"a": 13, "b": 3}),
        ({"a": 1, "b": 0}, 16, {"a": 1, "b": 0}),
        ({"a": 9, "b": 9, "c": 9}, 2, {"a": 1, "b": 1, "c": 0}),
        ({"a": 9, "b": 9, "c": 9}, 4, {"a": 2, "b": 1, "c": 1}),
        ({"a": 9}, 0, {"a": 0}),
    ],
)
def test_slots_are_dealt_evenly_to_those_who_want_them(wants, most, shares):
    assert dealt(wants, most, turn=0) == shares


def test_what_cannot_be_divided_goes_round():
    turns = [dealt(dict.fromkeys("abc", 9), 2, turn) for turn in range(6)]
    assert [sum(shares[name] for shares in turns) for name in "abc"] == [4, 4, 4]


def test_a_newcomer_gets_what_others_give_back_and_nothing_that_they_have(tmp_path):
    first, second = replied(job(tmp_path)), job(tmp_path)
    assert first.share(0, 100) == 64
    assert second.share(0, 100) == 0
    assert first.share(64, 100) == 32  # and 32 too many in flight
    assert second.share(0, 100) == 0
    assert first.share(40, 100) == 32
    assert second.share(0, 100) == 24
    assert first.share(32, 100) == 32
    assert second.share(24, 100) == 32


def test_what_one_does_not_need_the_other_has(tmp_path):
    first, second = replied(job(tmp_path)), job(tmp_path)
    assert first.share(0, 4) == 64
    assert second.share(0, 100) == 0
    assert first.share(2, 4) == 4
    assert second.share(0, 100) == 60


def test_who_leaves_gives_all_back(tmp_path):
    first, second = replied(job(tmp_path)), job(tmp_path)
    first.share(0, 100)
    first.leave()
    assert second.share(0, 100) == 64


NOW = [1000.0]  # the time of the file system, which stands still unless a test says otherwise
FILES = SimpleNamespace(monotonic=lambda: NOW[0])


def job_at_rest(name, kept, **settings):
    return SharedLimits(Model("tested", "x", "x", **settings), InMemory(name, kept, FILES))


@pytest.fixture
def clock(monkeypatch):
    """Seconds that pass when a test says so, on both clocks."""
    monkeypatch.setattr("time.monotonic", lambda: NOW[0] - 950.0)
    NOW[0] = 1000.0
    return NOW


def test_points_of_all_jobs_lie_on_one_timeline(clock):
    kept, points = {}, []
    limits = [job_at_rest(name, kept, concurrency=64, requests_per_minute=6000) for name in "abc"]
    for _ in range(30):
        clock[0] += 0.01
        points += [point for each in limits for point in each.book([0] * 2)[0]]
    assert min(after - before for before, after in itertools.pairwise(points)) > 0.010
    assert points[0] == pytest.approx(50.01)
    assert points[-1] <= 50.3 + limits[0].ahead


def test_nobody_gets_a_point_far_ahead_but_hears_when_to_come_again(clock):
    one, other = job_at_rest("a", {}, requests_per_minute=600), job_at_rest("b", {}, requests_per_minute=6000)
    (first,), again = one.book([0] * 9)
    assert again == pytest.approx(first + SECOND / 10)
    assert one.book([0] * 9) == ([], again)
    clock[0] += again - 50.0 + 0.001
    assert one.book([0] * 9)[0] == pytest.approx([first + SECOND / 10])
    assert len(other.book([0] * 99)[0]) == math.ceil((other.ahead - SECOND / 100) * 100 / SECOND)


def test_a_process_that_had_to_wait_between_two_looks_at_clocks_is_not_late_for_ever(monkeypatch):
    clock, NOW[0] = iter([50.0, 50.4, *[50.0] * 5, *[50.3] * 50]), 1000.0  # at last somebody sets the clock by 0.3 s
    limits = job_at_rest("a", {}, requests_per_minute=6000)
    monkeypatch.setattr("time.monotonic", lambda: next(clock))
    begins = [limits.book([])[1] for _ in range(40)]
    assert begins[:26] == pytest.approx([begins[0]] * 26)
    assert begins[-1] == pytest.approx(begins[0] + 0.3)


def test_jobs_slow_down_pause_and_recover_and_what_was_sent_before_slows_them_no_more(clock):
    """This job's clock is 950 seconds behind; a rate grows by itself in 30 seconds."""
    limits = job_at_rest("a", {}, concurrency=64)
    limits.share(0, 1)
    limits.slow(5.0, sent=49.0, rate=600)
    assert limits.pause_left == 5 and limits.book([0])[0] == []
    limits.slow(9.0, sent=50.0, rate=600)
    assert limits.pause_left == 5, "that was sent when jobs slowed down"
    clock[0] += 5 + 15
    (point,), again = limits.book([0] * 99)
    assert limits.pause_left == 0 and again - point == pytest.approx(SECOND / (600 * 1.5 / 60))
    limits.slow(5.0, sent=50.1, rate=1e9)
    assert limits.pause_left == 5
    clock[0] += 5
    (point,), again = limits.book([0] * 99)
    assert again - point == pytest.approx(SECOND / math.ceil(450 / 60)), "half of 900"
    clock[0] += 900.1
    limits.book([0])
    assert limits.slowed is None
    for _ in range(9):
        clock[0] += 9
        limits.slow(1.0, sent=clock[0] - 950, rate=1)
    assert limits.slowed[2] == LEAST


def test_a_request_of_many_tokens_takes_longer_than_one_of_few(clock):
    limits = job_at_rest("a", {}, requests_per_minute=6000, tokens_per_minute=600_000)
    clock[0] += 1
    points, again = limits.book([10, 10, 1000, 10])
    assert [round(b - a, 2) for a, b in itertools.pairwise(points)] == [0.01, 0.01]
    assert again == pytest.approx(points[-1] + 0.1 - (limits.ahead - SECOND / 100))


def test_before_the_first_reply_all_jobs_together_send_a_few_requests(tmp_path):
    first, second = job(tmp_path), job(tmp_path)
    assert [first.share(0, 5), second.share(0, 100)] == [RAMP, 0]
    second.learn({})
    assert first.share(5, 64) == 32
    assert job(tmp_path / "other", requests_per_minute=600).share(0, 100) == 64  # it is known


@pytest.mark.parametrize(("concurrency", "sent"), [(64, RAMP), (2, 2)])
def test_what_was_sent_before_a_limit_was_known_counts(clock, concurrency, sent):
    limits = replied(job_at_rest("a", {}, concurrency=concurrency), requests_per_minute=60)
    points, again = limits.book([0])
    assert not points and again == pytest.approx(50 + sent * SECOND)


def test_a_limit_that_one_job_learned_holds_for_all(tmp_path):
    first, second = job(tmp_path), job(tmp_path)
    first.share(0, 1)
    second.share(0, 1)
    first.learn({"requests_per_minute": 600})
    second.share(0, 1)
    assert second.in_force["requests_per_minute"] == 600
    second.learn({"requests_per_minute": 300, "tokens_per_minute": 9000})
    first.learn({"requests_per_minute": 600})
    first.share(0, 1)
    assert first.in_force == {"requests_per_minute": 300, "tokens_per_minute": 9000}
    third = job(tmp_path)
    third.share(0, 1)
    third.learn({"requests_per_minute": 450})
    assert third.in_force["requests_per_minute"] == 300, "a reply of this run has named less"


def test_the_next_run_starts_with_what_was_learned_and_its_first_reply_may_correct_that(tmp_path):
    replied(job(tmp_path), requests_per_minute=600).leave()
    limits = job(tmp_path)
    assert limits.share(0, 100) == 64
    assert limits.in_force["requests_per_minute"] == 600
    limits.learn({"requests_per_minute": 900})
    assert limits.in_force["requests_per_minute"] == 900
    limits.learn({})
    assert limits.in_force["requests_per_minute"] == 900


def test_another_endpoint_has_other_limits(tmp_path):
    replied(job(tmp_path), requests_per_minute=600).leave()
    limits = job(tmp_path, base_url="http://elsewhere/v1")
    assert limits.share(0, 100) == RAMP
    assert limits.in_force["requests_per_minute"] is None


def test_what_is_known_is_not_looked_up_for_each_reply(tmp_path, monkeypatch):
    limits = replied(job(tmp_path), requests_per_minute=600)
    monkeypatch.setattr(limits.register, "shared", None)
    limits.learn({"requests_per_minute": 600})
    limits.learn({})


def test_a_clock_that_was_set_back_holds_up_nobody_for_long(tmp_path):
    limits = job(tmp_path, requests_per_minute=600)
    (tmp_path / "grants.json").write_text(json.dumps({"next": time.time() + 1e6}))
    assert limits.book([0])[1] < time.monotonic() + 61


def test_a_clock_that_is_set_back_while_jobs_run_takes_the_timeline_along(clock):
    limits = job_at_rest("a", {}, requests_per_minute=600)
    (first,), _ = limits.book([0])
    clock[0] -= 3600
    again = limits.book([0])[1] + 3600
    assert again == pytest.approx(first + SECOND / 10)
