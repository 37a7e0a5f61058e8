"""The guide docs/relevance.md from end to end, as its reader does it: with its configuration, commands and Python as
they stand there, on an invented manual.
"""

import datetime
import json
import shlex
import subprocess

import pytest

from project import NOTHING, copy_project, snakemake
from ragassay.base import tables
from ragassay.results import Results
from ragassay.schemas.relevance import QUERY_DRIFT
from ragassay.services.gate import ANSWER
from workshop import DAYS, DRIFT, EVERYDAY, FIRST, pages, write_files

QUICK = "intervals: {resamples: 20, flips: 49}\nrelevance: {runs: 2, sizes: [20]}\n"


@pytest.fixture(scope="module")
def study(tmp_path_factory):
    """The project after the guide's command, and the arguments of that command."""
    project = copy_project(tmp_path_factory.mktemp("guide") / "project")
    write_files(project / "data")
    files = []
    for number, block in enumerate([*pages()["yaml"], QUICK]):
        files.append(f"mine-{number}.yaml")
        (project / files[-1]).write_text(block)
    program, *arguments = shlex.split(pages()[""][0])
    assert program == ".venv/bin/snakemake" and arguments[-2:] == ["--configfile", "mine.yaml"]
    arguments[-1:] = files
    arguments = [argument.replace("/mine/", "/mine-0/") for argument in arguments]
    snakemake(project, *arguments)
    return project, arguments


def test_a_second_run_has_nothing_to_do(study):
    project, arguments = study
    assert NOTHING in snakemake(project, *arguments).stdout


def test_held_out_queries_come_first_then_near_ones(study):
    project, _ = study
    shown = Results(project / "results").frame("metrics", section="relevance")
    keys = [json.loads(keys) for keys in shown.loc[shown["table"] == "methods", "keys"]]
    assert list(dict.fromkeys(one["set"] for one in sorted(keys, key=lambda one: one["at"]))) == [
        "held out", "other_machines",
    ]  # fmt: skip
    areas = {}
    for keys, value in shown.loc[
        (shown["table"] == "methods") & (shown["metric"] == "auroc"), ["keys", "value"]
    ].values:
        areas[json.loads(keys)["set"], json.loads(keys)["method"]] = value
    assert areas["other_machines", "Fused MSS"] > 0.9 and areas["held out", "Fused MSS"] > 0.5
    assert (project / "results/report/mine-0/relevance.html").stat().st_size > 10_000


def test_the_gate_decides_where_it_was_copied(study, monkeypatch):
    project, _ = study
    monkeypatch.chdir(project)
    subprocess.run(shlex.split(pages()[""][1]), check=True)
    found = {}
    for block in pages()["python"]:
        exec(block.replace("results/gates/manual/minilm", "gate-of-the-manual"), found)
    assert found["decision"].in_knowledge and found["decision"].action == ANSWER
    assert found["decision"].passages[0] == "text 0" and len(found["decision"].passages) == 3
    assert found["turned_away"] == ["Why is the sky blue?"]
    decisions = found["gate"](list(EVERYDAY))
    assert sum(one.action == "search_wider" for one in decisions) >= len(EVERYDAY) - 1


def test_the_alarm_sounds_after_the_day_of_the_drift_and_not_before(study):
    project, _ = study
    windows = tables.read(QUERY_DRIFT, project / "results/query_drift/manual/minilm/support.parquet").to_pylist()
    drift = FIRST + datetime.timedelta(DRIFT - 1)
    alarm = next(row["last"].date() for row in windows if row["alarm"])
    assert drift <= alarm < FIRST + datetime.timedelta(DAYS)
    assert [row["alarm"] for row in windows] == sorted(row["alarm"] for row in windows)
    quiet, moved = (
        [row["ks_p"] for row in windows if (row["first"].date() >= drift) == late] for late in (False, True)
    )
    assert max(moved) < 0.15 < 0.5 < min(quiet) and min(moved) < 0.01  # nine texts drift, and count once in a window
