"""The end of a run: the most important findings, the pages' addresses, the cost; a browser only on a screen."""

import shutil
import webbrowser
from pathlib import Path
from types import SimpleNamespace

import pytest

from project import like_a_clone
from ragassay.base import tables
from ragassay.running import summary
from ragassay.running.summary import Summary
from ragassay.schemas.report import FINDINGS


@pytest.fixture
def report(tmp_path, monkeypatch):
    """The folder of a report with a front page and one more."""
    folder = tmp_path / "my results/results/report"
    folder.mkdir(parents=True)
    monkeypatch.chdir(folder.parents[1])
    like_a_clone(folder.parents[1])
    for page in ("index.html", "scope.html"):
        (folder / page).touch()
    return folder


def write(*sentences):
    """Findings: (sentence, weight, certainty), and what else is another way."""
    blank = dict.fromkeys(FINDINGS.schema.names) | {"section": "scope", "kind": "finding", "verdict": "higher"}
    blank |= dict.fromkeys(("action", "metric_table", "keys", "metric", "reference", "form"), "")
    rows = [
        blank | {"finding": str(at), "sentence": sentence, "weight": weight, "certainty": certainty} | dict(*more)
        for at, (sentence, weight, certainty, *more) in enumerate(sentences)
    ]
    tables.write(FINDINGS, Path("results/findings/default.parquet"), rows)


def ended(asked=(), pages=("scope.html", "explorer/authors/careful.html")):
    Summary("results/report", "default", [*pages]).tell(dict(asked))


def test_the_most_important_findings_the_pages_that_are_there_and_the_cost(report, capsys):
    write(
        ("A trifle.", 1, 9.0),
        ("Careful declines 61% of them.", 3, 0.7, {"n": 1240, "low": 0.5512, "high": 0.67, "form": "share"}),
        ("", 3, 9.0),
        ("Nobody has labelled.", 3, 9.0, {"kind": "warning"}),
        ("Too few data to tell.", 3, 9.0, {"verdict": "too_few"}),
        ("Not measured yet.", 3, 9.0, {"verdict": "missing"}),
        ("The traffic drifted.\033[2J", 2, 0.5),
        ("Probes see it.", 3, 1.5, {"n": 80}),
    )
    ended({"requests": 9213, "dollars": 1.25})
    assert capsys.readouterr().out == (
        "\nfindings (3 of 4):\n"
        "  1. Probes see it. [n = 80]\n"
        "  2. Careful declines 61% of them. [55% to 67%, n = 1,240]\n"
        "  3. The traffic drifted.\\x1b[2J\n"
        f"report: {report.as_uri()}/index.html\n"
        "    and beside it scope.html\n"
        "cost: $1.2500 for 9,213 requests\n"
    )


def test_before_anything_is_measured_it_names_the_command_and_the_tables(report, capsys):
    (report / "index.html").unlink()
    ended()
    folder = Path("results").resolve().as_uri()
    assert capsys.readouterr().out == (
        "\nfindings: none yet; `.venv/bin/snakemake` computes them\n"
        f"tables: {folder} (`.venv/bin/snakemake` draws the report from them)\n"
        "cost: $0, no model was asked\n"
    )


def test_outside_of_a_clone_it_ends_with_the_command_that_comes_next(report, capsys):
    shutil.rmtree("workflow")
    write(("Careful declines 61% of them.", 3, 0.7))
    ended()
    assert capsys.readouterr().out.splitlines()[-1] == "next: ragassay show"
    (report / "index.html").unlink()
    ended()
    assert "(`ragassay run` draws the report from them)" in capsys.readouterr().out


def test_where_nothing_can_be_told_yet_it_says_how_much_is_open(report, capsys):
    write(("Too few data to tell.", 3, 0.0, {"verdict": "too_few"}), ("", 3, 0.0))
    ended()
    assert "findings: none; the report says what its open questions lack (1)" in capsys.readouterr().out


def test_a_table_of_findings_that_is_damaged_hides_nothing_else(report, capsys):
    Path("results/findings").mkdir()
    Path("results/findings/default.parquet").write_text("half")
    ended()
    shown = capsys.readouterr().out
    assert "findings: results/findings/default.parquet: " in shown and "report: file://" in shown


def test_a_browser_opens_on_a_screen_where_the_command_asks_for_one(report, monkeypatch):
    opened = []
    monkeypatch.setattr(webbrowser, "open", opened.append)
    monkeypatch.setenv("DISPLAY", ":0")
    monkeypatch.setenv(summary.OPEN, "1")
    ended()  # standard output is no terminal
    assert opened == []
    monkeypatch.setattr("sys.stdout", SimpleNamespace(write=len, flush=list, isatty=lambda: True))
    ended()
    assert opened == [f"{report.as_uri()}/index.html"]
    monkeypatch.delenv(summary.OPEN)
    ended()
    assert len(opened) == 1
