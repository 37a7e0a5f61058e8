"""What a person sees of a run that asks: progress, and all jobs in a line."""

import asyncio
import itertools
import json
import logging
import os
import re
from collections import Counter
from pathlib import Path
from types import SimpleNamespace

import pytest

from calling import questions
from clocks import VirtualTime
from ragassay.calls import progress
from ragassay.calls.complete import complete, converse
from ragassay.calls.model import ModelError, Request
from ragassay.calls.progress import Progress

QUIET = {"in_flight": 0, "waiting": 0, "pause": 0.0, "cap": None, "trouble": {}, "last_failure": ""}
QUIET |= {"total": 0, "known": 0}
QUIET |= dict.fromkeys(progress.COUNTS, 0) | {"dollars": 0.0, "ended": False}


def job(rule, done, **more):
    return QUIET | {"rule": rule, "keys": ["gpt", "2026-09"], "model": "gpt", "done": done} | more


def line_of(folder, *jobs, estimate=None, seconds=60.0):
    """The line about these jobs after a minute."""
    folder.mkdir(exist_ok=True)
    for number, report in enumerate(jobs):
        (folder / f"{number}.json").write_text(json.dumps(report))
    run = progress.Overview(folder, estimate)
    run.recent.marks[0] = (0.0, 0)
    return run.line(seconds)


@pytest.fixture
def run(tmp_path, monkeypatch):
    """A run in a folder of its own."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv(progress.FOLDER, "")
    progress.begin()
    yield Path(os.environ[progress.FOLDER])
    progress.end(well=False)


def test_the_line_adds_up_all_jobs_and_names_those_with_most_left(tmp_path):
    jobs = [
        job("extract_claims", 100, total=100, dollars=0.5, ended=True, retries=2),
        job("judge_scope", 700, total=2_000, in_flight=60, known=200, dollars=0.75, retries=1),
        job("respond", 0, total=900, in_flight=4, cap=20.0),
    ]
    assert line_of(tmp_path / "run", *jobs) == (
        "all jobs: 800 of 3,000 calls done, 2,200 left, 64 in flight, 3 retried, 10.0/s, $1.2500 (budget of gpt: $20),"
        " 0:03:40 left; judge_scope gpt 2026-09 700 of 2,000, respond gpt 2026-09 0 of 900"
    )


def test_an_estimate_says_how_much_is_to_come(tmp_path):
    line = line_of(tmp_path / "run", job("respond", 60, total=100), estimate={"requests": 5_000, "dollars": 4.5})
    assert "60 of 5,000 calls done, 4,940 left" in line and "$0.0000 of $4.5000 estimated" in line


def test_failures_and_pauses_are_told_once_for_all_jobs(tmp_path):
    trouble = {"trouble": {"http 429": 3}, "last_failure": "HTTP 429 from m", "pause": 20.4}
    jobs = [job("respond", 1, **trouble, waiting=60), job("judge_scope", 1, **trouble | {"pause": 7.0}, waiting=4)]
    line = line_of(tmp_path / "run", *jobs)
    assert "; failed since the last line: 6 http 429; the last: HTTP 429 from m; gpt asked for a pause, 20 s" in line
    assert line.endswith(" 20 s more, and 64 requests wait")


def test_with_no_job_that_asks_nothing_is_line_of(tmp_path):
    assert line_of(tmp_path / "run") == line_of(tmp_path / "run", job("respond", 5, ended=True)) == ""


def test_jobs_tell_the_run_what_they_asked_and_a_second_time_that_they_asked_nothing(
    run, serve, model, tmp_path, capsys
):
    paid = model(serve(), price={"input": 1.0, "output": 2.0})
    ledger = tmp_path / "ledger/judge_scope/gpt/2026-09"
    list(complete(questions(20), paid, ledger))
    [report] = [json.loads(path.read_text()) for path in run.iterdir()]
    assert (report["rule"], report["keys"], report["ended"]) == ("judge_scope", ["gpt", "2026-09"], True)
    assert (report["done"], report["requests"], report["known"], report["in_flight"]) == (20, 20, 0, 0)
    progress.end(well=True)
    costs = capsys.readouterr().err
    assert re.search(r"^judge_scope +tested +20 +0 +0 +20 .* 0\.0\d+$", costs, re.M)
    assert re.search(r"^this run +20 ", costs, re.M)
    progress.begin()
    list(complete(questions(20), paid, ledger))
    progress.end(well=True)
    assert capsys.readouterr().err == ""


def test_a_job_that_fails_has_told_what_it_paid(run, serve, model, tmp_path):
    def asked():
        yield from questions(3)
        raise ModelError("enough")

    with pytest.raises(ModelError):
        list(complete(asked(), model(serve()), tmp_path / "ledger/respond/m"))
    [report] = [json.loads(path.read_text()) for path in run.iterdir()]
    assert report["ended"] and report["samples"] == report["requests"]


@pytest.mark.parametrize(("well", "left"), [(False, {"requests": 10, "dollars": 1.0}), (True, None)])
def test_what_was_asked_is_no_longer_estimated(tmp_path, monkeypatch, serve, model, well, left):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv(progress.FOLDER, "")
    progress.RUNS.parent.mkdir()
    progress.ESTIMATE.write_text(json.dumps({"requests": 30, "dollars": 1.0}))
    progress.begin()
    free = model(serve(), price={"input": 0, "output": 0})
    list(complete(questions(20), free, tmp_path / "ledger/respond/m"))
    progress.end(well)
    assert (json.loads(progress.ESTIMATE.read_text()) if progress.ESTIMATE.exists() else None) == left


def caller(**more):
    """What progress looks at of a caller to which nothing has happened."""
    purse, pace = SimpleNamespace(spent=more.pop("spent", 0.0)), SimpleNamespace(pause_left=more.pop("pause", 0.0))
    about = {"model": SimpleNamespace(name="judge", mode="online")}
    nothing = {"known": 0, "in_flight": 8, "waiting": 3, "batched": False, "failures": Counter(), "last_failure": ""}
    return SimpleNamespace(**{**about, **nothing, **more}, purse=purse, pace=pace)


def steps(total=None, done=0, **more):
    """Progress whose clock starts at zero."""
    going = Progress(caller(**more), total)
    going.recent.marks[0], going.done = (0.0, 0), done
    return going


@pytest.fixture
def often(monkeypatch):
    """Lines in place of each minute's every fifth of a second."""
    monkeypatch.setattr(progress, "FIRST_SECONDS", 0.2)
    monkeypatch.setattr(progress, "SECONDS", 0.2)


def test_a_line_says_done_in_flight_rate_dollars_and_time_left():
    assert steps(100_000, done=1_500, spent=1.25).line(60) == (
        "judge: 1,500 of 100,000 calls done, 8 in flight, 25.0/s, $1.2500, 1:05:40 left"
    )


def test_without_a_known_total_nothing_is_promised():
    assert steps(done=30).line(60) == "judge: 30 calls done, 8 in flight, 0.5/s, $0.0000"


def test_answers_out_of_the_ledger_promise_nothing():
    going = steps(20_000, done=10_060, known=10_000)
    assert going.line(60).endswith("1.0/s, $0.0000, 2:45:40 left")


def test_the_rate_is_that_of_the_last_minute():
    going = steps(done=10_000)
    going.line(60)
    for minute in range(2, 4):
        going.done += 60
        line = going.line(60 * minute)
    assert "1.0/s" in line


def test_nothing_done_is_no_division_by_zero():
    assert steps(10).line(0.0) == "judge: 0 of 10 calls done, 8 in flight, 0.0/s, $0.0000"


def test_what_failed_is_told_once_with_the_last_of_it_and_the_pause():
    failures = Counter({"http 429": 1_200, "timeout": 3})
    going = steps(10, failures=failures, last_failure="no answer within 1 s", pause=21.3)
    assert going.line(60).endswith(
        "; failed since the last line: 1,200 http 429, 3 timeout; the last: no answer within 1 s"
        "; the provider asked for a pause, 21 s more, and 3 requests wait"
    )
    assert "failed" not in going.line(120)
    failures["timeout"] += 1
    assert "since the last line: 1 timeout; " in going.line(180)


def test_calls_of_conversations_are_counted_while_none_of_them_is_done(serve, model, tmp_path, often, caplog):
    async def three_turns(number, ask):
        for turn in range(3):
            while turn == 2 and not any(" 40 of 60 calls done" in line for line in caplog.messages):
                await asyncio.sleep(0.01)
            await ask(Request([{"role": "user", "content": f"{number}, {turn}"}]))

    with caplog.at_level(logging.INFO, "ragassay"):
        list(converse(range(20), three_turns, model(serve()), tmp_path, side_by_side=20, expected=60))
    reported = next(line for line in caplog.messages if " 40 of 60 calls done" in line)
    assert reported.startswith("tested: ") and reported.endswith(" left")


def test_a_provider_that_asks_for_pauses_is_told_of_while_nothing_is_done(serve, model, tmp_path, often, caplog):
    def lines():
        """Those since the first reply, for which a client may have to be loaded; a pause outlasts the test."""
        told = [line for line in caplog.messages if "calls done" in line]
        return list(itertools.dropwhile(lambda line: "http 429" not in line, told))

    async def ask_or_end(request, ask):
        if request:
            return await ask(request)
        while len(lines()) < 3:
            await asyncio.sleep(0.01)
        raise ModelError("enough")

    server = serve(faults={"429": 1.0}, retry_after=30.0)
    with caplog.at_level(logging.INFO, "ragassay"), pytest.raises(ModelError, match="enough"):
        list(converse([None, *questions(20)], ask_or_end, model(server), tmp_path))
    assert "tested: 0 calls done" in lines()[0] and " http 429; the last: HTTP 429 from " in lines()[0]
    assert all("; the provider asked for a pause, " in line for line in lines())
    assert lines()[-1].endswith(" s more, and 7 requests wait"), "of eight workers one waits for the end of the test"


def test_a_short_run_says_nothing(serve, model, tmp_path, caplog):
    with caplog.at_level(logging.INFO, "ragassay"):
        list(complete(questions(20), model(serve()), tmp_path))
    assert caplog.messages == []


@pytest.mark.parametrize(("done", "lines"), [(0, 0), (5, 1)])
def test_a_batch_that_is_waited_for_is_told_of_elsewhere(monkeypatch, caplog, done, lines):
    clock = VirtualTime()
    monkeypatch.setattr(progress, "time", clock)

    async def tell():
        telling = asyncio.create_task(steps(10, done, batched=True).tell())
        await asyncio.sleep(200)
        telling.cancel()

    with caplog.at_level(logging.INFO, "ragassay"):
        clock.run(tell())
    assert len(caplog.messages) == lines
