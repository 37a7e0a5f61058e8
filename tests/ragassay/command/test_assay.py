"""`ragassay assay`: what it runs, when it fails, and what it refuses before it runs anything."""

import json

import pytest
import yaml
from typer.testing import CliRunner

from ragassay.command import assay
from ragassay.command.app import app
from ragassay.report import assay_card
from ragassay.report.assay_card import CardError

ENTRY = {"address": "http://127.0.0.1:9/ask", "version": "7", "price": 0}
SETTINGS = {
    "services": {"mine": ENTRY, "idle": dict(ENTRY)},
    "scope": {"responders": ["careful", "service:mine"]},
    "report": {"name": "ours"},
}
ANSWERED = {"number": "answered_out_of_scope", "of": {"asked": "gold"}, "value": 0.5, "low": 0.3, "high": 0.7, "n": 40}


@pytest.fixture
def ours(project, monkeypatch):
    """A project with such settings; a list of the commands that were run, each of which leaves a card."""
    monkeypatch.chdir(project)
    (project / "mine.yaml").write_text(yaml.safe_dump(SETTINGS))
    commands = []

    def run(command):
        commands.append(command)
        write(project / "results/report/ours")
        return 0

    monkeypatch.setattr(assay.pipeline, "status_of", run)
    return project, commands


def write(folder, value=0.5):
    folder.mkdir(parents=True, exist_ok=True)
    number = ANSWERED | {"value": value, "abstained": 0, "sentence": "Half of them."}
    change = {key: ANSWERED[key] for key in ("number", "of", "n")} | {"value": 0.1, "low": -0.1, "high": 0.3}
    change |= {"p": None, "paired": False, "service": "mine", "now": 0.5, "before": 0.4}
    content = {"title": "T", "services": {"mine": {"version": "7", "numbers": [number]}}, "outcomes": {}}
    content |= {"differences": [], "against": {"versions": {"mine": "6"}, "differences": [change]}}
    assay_card.write(folder / "card.json", content)


OVER = ["--configfile", "mine.yaml"]


@pytest.mark.parametrize(("limit", "status"), [("> 0.2", 1), ("> 0.4", 0), ("< 0.8", 1), ("< 0.6", 0)])
def test_it_fails_where_the_whole_interval_lies_beyond_the_bound(ours, limit, status, capsys):
    assert assay.run_assay("mine", [f"answered_out_of_scope {limit}"], OVER) == status
    output = capsys.readouterr().out
    assert "Unanswerable questions answered (gold): 50% [30% to 70%], n = 40\n    Half of them.\n" in output
    assert f"{'failed' if status else 'passed'}: answered_out_of_scope {limit} (gold): " in output
    assert "since version 6: Unanswerable questions answered (gold): +10 points" in output
    [command] = ours[1]
    assert command[-4:] == ["results/report/ours/card.json", "results/report/ours/card.html", *OVER]


def test_it_writes_files_for_a_pipeline(ours, tmp_path):
    files = tmp_path / "out.xml", tmp_path / "badge.svg"
    assert assay.run_assay("mine", ["answered_out_of_scope > 0.2"], OVER, *files) == 1
    assert b'failures="1"' in files[0].read_bytes() and "failed: 1 of 1" in files[1].read_text()


def test_an_earlier_card_or_its_results_are_what_it_is_compared_with(ours):
    project, commands = ours
    write(project / "october/report/ours")
    for place in ("october/report/ours/card.json", "october"):
        assert assay.run_assay("mine", [], OVER, against=place) == 0
        option, earlier = commands.pop()[-1].split("report=")
        assert option == "--config=" and json.loads(earlier) == {"against": "october/report/ours/card.json"}


def test_a_run_that_failed_decides_nothing(ours, monkeypatch, capsys):
    monkeypatch.setattr(assay.pipeline, "status_of", lambda command: 1)
    assert assay.run_assay("mine", ["answered_out_of_scope > 0.2"], OVER) == assay.UNDECIDED
    assert capsys.readouterr().err.startswith("assay: the run failed, so that nothing is decided")


REFUSED = {
    "an unknown service": (["mein"], "found the service 'mein', expected one of: .*did you mean mine"),
    "one that is asked nothing": (["idle"], "services.idle: found no questions for it, expected service:idle in"),
    "an unknown number": (["mine", "--fail-if", "answered > 1"], "found the number 'answered', expected one of"),
    "no card": (["mine", "--against", "nowhere"], "nowhere: cannot read it .*expected a written assay card"),
    "settings beside a card": (["mine", "--against", "old", "--config", "a=1"], "found --config beside it"),
    "the card of this run": (["mine", "--against", "results"], "found the card that this run writes"),
}


@pytest.mark.parametrize(("words", "problem"), REFUSED.values(), ids=REFUSED)
def test_what_cannot_be_meant_is_refused_before_the_run(ours, words, problem):
    project, commands = ours
    write(project / "old")
    write(project / "results/report/ours")
    with pytest.raises(CardError, match=problem) as refused:
        CliRunner().invoke(app, ["assay", *words, *OVER], catch_exceptions=False)
    assert refused.value.exit_code == 2 and "\n" not in str(refused.value) and not commands


def test_a_wrong_configuration_is_no_verdict(ours):
    (ours[0] / "mine.yaml").write_text(yaml.safe_dump(SETTINGS | {"scop": {}}))
    with pytest.raises(CardError, match="did you mean scope") as refused:
        assay.run_assay("mine", [], OVER)
    assert refused.value.exit_code == 2
