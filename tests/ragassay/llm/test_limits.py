"""What jobs are granted of a model's limits: an even share, nothing that another one has, and what replies name."""

import contextlib
import itertools
import json
import time

import pytest

from ragassay.ledger.register import Register
from ragassay.llm.limits import AHEAD, RAMP, Alone, Limits, dealt
from ragassay.llm.model import Model


def job(folder, **settings):
    return Limits(Model("tested", "x", "x", **{"concurrency": 64, **settings}), Register(folder, "ledger"))


def told(limits, **found):
    """The job, after a first reply."""
    limits.share(0, 1)
    limits.learn(found)
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
    first, second = told(job(tmp_path)), job(tmp_path)
    assert first.share(0, 100) == 64
    assert second.share(0, 100) == 0
    assert first.share(64, 100) == 32  # and 32 too many in flight
    assert second.share(0, 100) == 0
    assert first.share(40, 100) == 32
    assert second.share(0, 100) == 24
    assert first.share(32, 100) == 32
    assert second.share(24, 100) == 32


def test_what_one_does_not_need_the_other_has(tmp_path):
    first, second = told(job(tmp_path)), job(tmp_path)
    assert first.share(0, 4) == 64
    assert second.share(0, 100) == 0
    assert first.share(2, 4) == 4
    assert second.share(0, 100) == 60


def test_who_leaves_gives_all_back(tmp_path):
    first, second = told(job(tmp_path)), job(tmp_path)
    first.share(0, 100)
    first.leave()
    assert second.share(0, 100) == 64


class OneRegister(Alone):
    """What three jobs share, at a time that stands still."""

    def __init__(self, name, kept):
        self.name, self._kept = name, kept

    @contextlib.contextmanager
    def shared(self):
        yield self._kept, 1000.0


def test_moments_of_all_jobs_come_from_one_clock(monkeypatch):
    monkeypatch.setattr("time.monotonic", lambda: 50.0)
    model, kept = Model("tested", "x", "x", concurrency=64, requests_per_minute=6000), {}
    limits = [Limits(model, OneRegister(name, kept)) for name in "abc"]
    for each in limits:
        each.share(0, 100)
        each.book([0])  # which takes longer
    moments = [moment for each in (limits * 3) for moment in each.book([0] * 100)]
    assert min(after - before for before, after in itertools.pairwise(moments)) > 0.010
    assert moments[-1] < 50.0 + 3 * AHEAD + 0.5


def test_a_process_that_had_to_wait_between_two_looks_at_clocks_is_not_late_for_ever(monkeypatch):
    clock = iter([50.0, 50.4, 50.0, 99.0, 99.0])
    limits = Limits(Model("tested", "x", "x", requests_per_minute=6), OneRegister("a", {}))
    monkeypatch.setattr("time.monotonic", lambda: next(clock))
    first, *others = (limits.book([0])[0] - 10 * number for number in range(5))
    assert others == pytest.approx([first + 0.1, first + 0.1, first + 49.1, first + 49.1])


def test_a_job_books_its_share_of_half_a_second_and_at_least_one_request(tmp_path):
    first = job(tmp_path, requests_per_minute=6000)
    first.book([0])
    assert len(first.book([0] * 100)) == pytest.approx(100 * AHEAD, abs=3)
    job(tmp_path).share(0, 1)
    assert len(first.book([0] * 100)) == pytest.approx(50 * AHEAD, abs=2)
    assert len(job(tmp_path / "slow", requests_per_minute=1).book([0] * 100)) == 1


def test_a_request_of_many_tokens_takes_longer_than_one_of_few(tmp_path):
    limits = job(tmp_path, requests_per_minute=6000, tokens_per_minute=600_000)
    limits.book([0])
    moments = limits.book([10, 1000, 10, 10])
    assert [round(b - a, 2) for a, b in itertools.pairwise(moments)] == [0.01, 0.1, 0.01]


def test_before_the_first_reply_all_jobs_together_send_a_few_requests(tmp_path):
    first, second = job(tmp_path), job(tmp_path)
    assert [first.share(0, 5), second.share(0, 100)] == [RAMP, 0]
    second.learn({})
    assert first.share(5, 64) == 32
    assert job(tmp_path / "other", requests_per_minute=600).share(0, 100) == 64  # it is known


def test_what_was_sent_before_a_limit_was_known_counts(tmp_path):
    start = time.monotonic()
    limits = told(job(tmp_path), requests_per_minute=60)
    assert limits.book([0])[0] - start > 0.9 * RAMP


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


def test_the_next_run_starts_with_what_was_learned_and_its_first_reply_may_correct_that(tmp_path):
    told(job(tmp_path), requests_per_minute=600).leave()
    limits = job(tmp_path)
    assert limits.share(0, 100) == 64
    assert limits.in_force["requests_per_minute"] == 600
    limits.learn({"requests_per_minute": 900})
    assert limits.in_force["requests_per_minute"] == 900
    limits.learn({})
    assert limits.in_force["requests_per_minute"] == 900


def test_another_endpoint_has_other_limits(tmp_path):
    told(job(tmp_path), requests_per_minute=600).leave()
    limits = job(tmp_path, base_url="http://elsewhere/v1")
    assert limits.share(0, 100) == RAMP
    assert limits.in_force["requests_per_minute"] is None


def test_what_is_known_is_not_looked_up_for_each_reply(tmp_path, monkeypatch):
    limits = told(job(tmp_path), requests_per_minute=600)
    monkeypatch.setattr(limits.register, "shared", None)
    limits.learn({"requests_per_minute": 600})
    limits.learn({})


def test_a_clock_that_was_set_back_holds_up_nobody_for_long(tmp_path):
    limits = job(tmp_path, requests_per_minute=600)
    (tmp_path / "grants.json").write_text(json.dumps({"next": time.time() + 1e6}))
    assert limits.book([0])[0] < time.monotonic() + 61
