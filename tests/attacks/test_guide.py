"""The guide docs/attacks.md from end to end, as its reader does it: with its configuration, command and Python as they
stand there, on an invented handbook.
"""

import json
import shlex

import pytest

from project import NOTHING, copy_project, snakemake
from ragassay.results import Results
from workshop import MACHINES, pages, write_targets

QUICK = "intervals: {resamples: 20}\nquery_logs: {demo: {used: false}}\n"


@pytest.fixture(scope="module")
def study(tmp_path_factory):
    """The project after the guide's command, and the arguments of that command."""
    project = copy_project(tmp_path_factory.mktemp("guide") / "project")
    write_targets(project / "data")
    (project / "mine.yaml").write_text(pages("attacks")["yaml"][0])
    (project / "quick.yaml").write_text(QUICK)
    command = next(block for block in pages("attacks")[""] if "mine.yaml" in block)
    program, *arguments = shlex.split(command)
    assert program == ".venv/bin/snakemake"
    snakemake(project, *arguments, "quick.yaml")
    return project, [*arguments, "quick.yaml"]


def test_a_second_run_has_nothing_to_do(study):
    project, arguments = study
    assert NOTHING in snakemake(project, *arguments).stdout


def test_the_python_of_the_guide_shows_what_was_found_and_answered(study, monkeypatch, capsys):
    project, _ = study
    monkeypatch.chdir(project)
    found = {}
    exec(pages("attacks")["python"][0], found)
    assert len(found["share"]) == len(MACHINES) and found["share"].mean() >= 2 / 5, "two texts for each are found"
    counts = found["counts"]
    assert counts["none", "none"].get("correct", 0) > 0.8 * len(MACHINES)
    assert counts["none", "closed_book"].get("correct", 0) == 0
    assert counts["poisonedrag_black", "oracle"].equals(counts["none", "none"])
    assert counts["poisonedrag_black", "none"].get("target", 0) > 0.5 * len(MACHINES)
    assert "poisonedrag_black" in capsys.readouterr().out


def test_every_cell_of_the_configuration_is_in_the_report(study):
    project, _ = study
    rows = Results(project / "results").frame("metrics", section="attacks")
    keys = [json.loads(keys) for keys in rows.loc[(rows["table"] == "texts") & (rows["metric"] == "recall"), "keys"]]
    assert {(one["retriever"], one["attack"], one["texts"]) for one in keys} >= {
        (retriever, "poisonedrag_black", texts) for retriever in ("minilm", "bm25") for texts in ("1", "2")
    }
    assert (project / "results/report/mine/figures/attacks/success.svg").stat().st_size > 1000
