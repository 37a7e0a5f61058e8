"""Settings are checked, chances depend on nothing but the seed and the request, and latencies have their shape."""

import email.utils
import math
import statistics
from types import SimpleNamespace

import pytest

from clocks import VirtualTime
from tools.loopback import Loopback
from tools.provider import limits
from tools.provider.behaviour import Behaviour, chance
from tools.provider.limits import duration, retry_headers


@pytest.mark.parametrize(
    "settings, message",
    [
        ({"lateness": 1}, "unknown setting 'lateness'"),
        ({"latency": "slow"}, "latency: found 'slow', expected float"),
        ({"latency": -1}, "latency: found -1.0"),
        ({"latency": math.inf}, "latency: found inf"),
        ({"seed": True}, "seed: found True, expected int"),
        ({"texts": [1]}, "texts: found [1], expected a list of strings"),
        ({"faults": {"lost": 0.1}}, "faults: unknown fault 'lost'"),
        ({"faults": {"200": 0.1}}, "faults: unknown fault '200'"),
        ({"faults": {"drop": 2}}, "faults.drop: found 2, expected a rate"),
        ({"faults": {"drop": 0.6, "cut": 0.6}}, "faults: the rates add up to 1.2"),
        ({"odd_answers": {"drop": 0.1}}, "odd_answers: unknown fault 'drop'"),
        ({"faults_at": {"3": "lost"}}, "faults_at.3: unknown fault 'lost'"),
        ({"route_faults": {"batches.create": ["lost"]}}, "route_faults.batches.create: unknown fault 'lost'"),
        ({"refused_words": {"war": 200}}, "refused_words.war: found 200"),
        ({"batch_missing": 1.5}, "batch_missing: found 1.5"),
        ({"retry_after_form": "weeks"}, "retry_after_form: found 'weeks'"),
    ],
)
def test_wrong_settings_are_refused_before_anything_starts(settings, message):
    with pytest.raises(ValueError) as error:
        Loopback(**settings)
    assert message in str(error.value)


def test_chances_are_even_and_repeat():
    drawn = [chance(1, str(number), "fault") for number in range(20_000)]
    assert drawn == [chance(1, str(number), "fault") for number in range(20_000)]
    assert drawn != [chance(2, str(number), "fault") for number in range(20_000)]
    assert abs(statistics.mean(drawn) - 0.5) < 0.01 and abs(statistics.pstdev(drawn) - 12**-0.5) < 0.01
    assert 0 < min(drawn) < 0.001 and 0.999 < max(drawn) < 1


def test_faults_come_at_their_rates():
    behaviour = Behaviour(faults={"429": 0.02, "drop": 0.01}, faults_at={"7": "cut"})
    found = [behaviour.fault(str(number), number) for number in range(20_000)]
    assert 0.015 < found.count("429") / 20_000 < 0.025 and 0.007 < found.count("drop") / 20_000 < 0.013
    assert found[7] == "cut" and found.count("cut") == 1


@pytest.mark.parametrize("sigma", [0.0, 0.6])
def test_latencies_are_lognormal(sigma):
    behaviour = Behaviour(latency=0.5, latency_sigma=sigma)
    drawn = [math.log(behaviour.seconds(str(number))) for number in range(20_000)]
    assert abs(statistics.median(drawn) - math.log(0.5)) < 0.04 and abs(statistics.pstdev(drawn) - sigma) < 0.02


def test_a_limit_fills_again_with_time_and_no_further_than_its_burst(monkeypatch):
    clock = VirtualTime()
    monkeypatch.setattr(limits, "time", clock)
    bucket = limits.Limits().bucket("requests", 120, 1)
    bucket.left = 0.0
    assert bucket.wait(1) == 0.5
    for seconds, left in ((0.25, 0.5), (0.25, 1.0), (100, 2.0)):
        clock.now += seconds
        bucket.refill()
        assert bucket.left == pytest.approx(left, abs=1e-5)


@pytest.mark.parametrize(
    "seconds, text",
    [(0.0121, "13ms"), (1, "1s"), (6.5, "6.5s"), (59.9999, "1m0s"), (360, "6m0s"), (7322.25, "2h2m2.25s")],
)
def test_durations_are_written_as_openai_does(seconds, text):
    assert duration(seconds) == text


def test_four_ways_to_say_when_to_come_back(monkeypatch):
    assert retry_headers(0.05, "seconds") == {"retry-after": "0.05"}
    assert retry_headers(2, "seconds") == {"retry-after": "2"}
    assert retry_headers(1.25, "ms") == {"retry-after-ms": 1250, "retry-after": 2}
    assert retry_headers(2, "none") == {}
    monkeypatch.setattr("tools.provider.limits.time", SimpleNamespace(time=lambda: 1_000_000.5))
    date = email.utils.parsedate_to_datetime(retry_headers(90, "date")["retry-after"]).timestamp()
    assert 1_000_090 <= date <= 1_000_091.5
