"""One line for all jobs of a run, what they cost at its end, and what is left of an estimate."""

import json
import os
import re
from pathlib import Path

import pytest

from calling import questions
from ragassay.calls import _progress, overview
from ragassay.calls.complete import complete
from ragassay.calls.model import ModelError

QUIET = {"in_flight": 0, "waiting": 0, "pause": 0.0, "cap": None, "trouble": {}, "last_failure": ""}
QUIET |= {"total": 0, "known": 0}
QUIET |= dict.fromkeys(_progress.COUNTS, 0) | {"dollars": 0.0, "ended": False}


def job(rule, done, **more):
    return QUIET | {"rule": rule, "keys": ["gpt", "2026-09"], "model": "gpt", "done": done} | more


def line_of(folder, *jobs, estimate=None, seconds=60.0):
    """The line about these jobs after a minute."""
    folder.mkdir(exist_ok=True)
    for number, report in enumerate(jobs):
        (folder / f"{number}.json").write_text(json.dumps(report))
    run = overview.Overview(folder, estimate)
    run.recent.marks[0] = (0.0, 0)
    return run.line(seconds)


@pytest.fixture
def run(tmp_path, monkeypatch):
    """A run in a folder of its own."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv(_progress.FOLDER, "")
    overview.begin()
    yield Path(os.environ[_progress.FOLDER])
    overview.end(well=False)


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
    overview.end(well=True)
    costs = capsys.readouterr().err
    assert re.search(r"^judge_scope +tested +20 +0 +0 +20 .* 0\.0\d+$", costs, re.M)
    assert re.search(r"^this run +20 ", costs, re.M)
    overview.begin()
    list(complete(questions(20), paid, ledger))
    overview.end(well=True)
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
    monkeypatch.setenv(_progress.FOLDER, "")
    overview.RUNS.parent.mkdir()
    overview.ESTIMATE.write_text(json.dumps({"requests": 30, "dollars": 1.0}))
    overview.begin()
    free = model(serve(), price={"input": 0, "output": 0})
    list(complete(questions(20), free, tmp_path / "ledger/respond/m"))
    overview.end(well)
    assert (json.loads(overview.ESTIMATE.read_text()) if overview.ESTIMATE.exists() else None) == left
