"""What the trial of runs on Slurm says of its rounds, and which it does."""

import contextlib
import importlib.util
import signal
import sys

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import cluster
from clusters import project, slurm
from common import figures

HELD = {"exit_status": (0, "status", "== 0"), "jobs_left": (0, "jobs", "== 0")}
PLACES = ("pages", "rejects/pages")
FAILED = {"exit_status": (-1, "status", "== 0"), "jobs_left": (3, "jobs", "== 0")}


@pytest.fixture(autouse=True)
def machine(monkeypatch):
    """One that has Slurm and no accounting."""
    monkeypatch.setattr(figures, "short", [])
    monkeypatch.setattr(cluster, "missing", lambda: [])
    monkeypatch.setattr(cluster.accounting, "missing", lambda: ["slurmdbd"])


def chosen(monkeypatch, *words):
    monkeypatch.setattr(sys, "argv", ["cluster.py", *words])
    return cluster.chosen()


def interrupted(*_):
    raise KeyboardInterrupt


@pytest.mark.parametrize(
    ("rounds", "count"), [([HELD, HELD], 2), ([HELD, FAILED], 0), ([FAILED, HELD], 1), ([HELD], 1), ([], 0)]
)
def test_a_scenario_has_its_worst_round_and_how_often_in_a_row_it_held(capsys, rounds, count):
    cluster.report("requeued", rounds, 2)
    lines = [line.split()[1:4] for line in capsys.readouterr().out.splitlines()]
    assert lines[0] == ["requeued_held_in_a_row", str(count), "of_2"]
    assert ("requeued_held_in_a_row" in figures.short) == (count < 2)
    if rounds:
        status, left = ("-1", "3") if FAILED in rounds else ("0", "0")
        assert lines[1:] == [["requeued_exit_status", status, "status"], ["requeued_jobs_left", left, "jobs"]]


def test_without_names_all_that_this_machine_can_do_is_tried(monkeypatch, capsys):
    names, times = chosen(monkeypatch, "--times", "3")
    assert names[:3] == ["plans", "whole", "plain"] and times == 3
    assert not any(name.startswith("accounted_") for name in names)
    assert "nothing is tried with accounting: found no slurmdbd" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("name", "words"), [("requeue", "found requeue, expected"), ("accounted_plain", "no slurmdbd")]
)
def test_names_that_mean_nothing_here_are_refused(monkeypatch, capsys, name, words):
    with pytest.raises(SystemExit):
        chosen(monkeypatch, "requeued", name)
    assert words in capsys.readouterr().err


@pytest.mark.parametrize(
    ("programs", "executor", "lacking"),
    [(True, True, []), (True, False, [slurm.EXECUTOR]), (False, True, list(slurm.PROGRAMS))],
)
def test_slurm_is_its_programs_and_an_executor_for_it(monkeypatch, programs, executor, lacking):
    monkeypatch.setattr(slurm, "found", lambda program: program if programs else None)
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: name if executor else None)
    assert slurm.missing() == lacking


def test_a_run_that_is_interrupted_says_what_it_tried_and_where(monkeypatch, capsys):
    monkeypatch.setattr(cluster, "chosen", lambda: (["requeued"], 3))
    monkeypatch.setattr(cluster, "Trial", contextlib.nullcontext)
    monkeypatch.setattr(cluster, "Slurm", interrupted)
    monkeypatch.setattr(signal, "signal", lambda *_: None)
    with pytest.raises(SystemExit, match="1"):
        cluster.main()
    assert capsys.readouterr().out.split()[1:4] == ["requeued_held_in_a_row", "0", "of_3"]


def test_pages_of_two_runs_differ_by_more_than_the_moment_they_came(tmp_path):
    page = {"url": "a", "fetched_at": 1, "headers": "{}", "body": "one"}
    digests = []
    for row in (page, page | {"fetched_at": 2, "headers": '{"date": "2"}'}, page | {"body": "two"}):
        pq.write_table(pa.Table.from_pylist([row]), tmp_path / "one.parquet")
        digests.append([project.digest(f"results/{name}/one", tmp_path / "one.parquet") for name in PLACES])
    first, second, third = digests
    assert first[0] == second[0] != third[0]
    assert len({first[1], second[1], third[1]}) == 3
