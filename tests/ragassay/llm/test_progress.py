"""Progress: one line that is written over for a person, a line a minute for a log file, nothing for short runs."""

import io
import logging
import sys
import time
from types import SimpleNamespace

import pytest

from ragassay.llm import progress
from ragassay.llm.progress import Progress

CALLER = SimpleNamespace(in_flight=8, purse=SimpleNamespace(spent=1.25))


@pytest.fixture
def clock(monkeypatch):
    """A clock that tests move."""
    now = [1000.0]
    monkeypatch.setattr(progress.time, "monotonic", lambda: now[0])
    return now


class Terminal(io.StringIO):
    def isatty(self):
        return True


def run(clock, seconds, total=None, rate=10):
    steps = Progress("judge", total)
    for _ in range(seconds * rate):
        clock[0] += 1 / rate
        steps.step(CALLER)
    steps.close()


def test_a_line_says_done_in_flight_rate_dollars_and_time_left(clock):
    steps = Progress("judge", 100_000)
    steps.done = 1_500
    assert steps.line(clock[0] + 60, 8, 1.25) == (
        "judge: 1,500 of 100,000 done, 8 in flight, 25.0/s, $1.2500, 1:05:40 left"
    )


def test_without_a_known_total_nothing_is_promised(clock):
    steps = Progress("judge")
    steps.done = 30
    assert steps.line(clock[0] + 60, 8, 0.0) == "judge: 30 done, 8 in flight, 0.5/s, $0.0000"


def test_answers_out_of_the_ledger_promise_nothing(clock):
    steps = Progress("judge", 20_000)
    steps.done = 10_000  # at once
    steps.line(clock[0] + 5, 8, 0.0)
    for minute in range(1, 4):
        steps.done += 60
        line = steps.line(clock[0] + 5 + 60 * minute, 8, 0.0)
    assert "1.0/s" in line


def test_a_log_file_gets_a_line_a_minute(clock, monkeypatch, caplog):
    monkeypatch.setattr(sys, "stderr", io.StringIO())
    with caplog.at_level(logging.INFO, "ragassay"):
        run(clock, 185, total=1850)
    assert len(caplog.messages) == 3
    assert sys.stderr.getvalue() == ""


def test_a_terminal_gets_one_line_that_is_written_over(clock, monkeypatch, caplog):
    monkeypatch.setattr(sys, "stderr", Terminal())
    with caplog.at_level(logging.INFO, "ragassay"):
        run(clock, 20, total=200)
    assert caplog.messages == []
    shown = sys.stderr.getvalue()
    assert shown.count("\r") == 15 or shown.count("\r") == 16
    assert shown.count("\n") == 1 and shown.endswith("\n")


@pytest.mark.parametrize("stderr", [io.StringIO, Terminal])
def test_short_runs_say_nothing(clock, monkeypatch, caplog, stderr):
    monkeypatch.setattr(sys, "stderr", stderr())
    with caplog.at_level(logging.INFO, "ragassay"):
        run(clock, 4, total=40)
    assert (caplog.messages, sys.stderr.getvalue()) == ([], "")


def test_nothing_done_is_no_division_by_zero():
    assert "0.0/s" in Progress("judge", 10).line(time.monotonic() + 5, 0, 0.0)
