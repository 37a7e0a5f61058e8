"""Messages of errors, and audits of locks."""

import json
import re

import pytest

from project import ROOT
from ragassay.base import tables
from ragassay.base.errors import AssayError
from ragassay.calls.prompts import Prompt
from ragassay.news.opt_outs import OptOuts
from ragassay.release.publishing import publish
from ragassay.results import Results
from ragassay.schemas.documents import DOCUMENTS
from tools import audit, error_messages
from tools.audit import outcome, requirements

PAGE = error_messages.WORKFLOW.parent / "docs/troubleshooting.md"
CODE = '''
"""Weigh things. Not more."""

class ScaleError(AssayError):
    """A scale cannot be used. It is told once."""

class Other(ValueError):
    """Nobody has to act on it."""

def weigh(scale, grams):
    """Grams of a thing; raises."""
    told, remedy = f"found {grams} grams", "take the larger scale"
    rest = 0
    rest += 1
    if scale:
        raise ScaleError(f"{scale.name}: {told}, expected at most 100; " + remedy)
    if grams:
        raise AssayError(f"found no scale at all, expected some, {rest} | <more>")
    raise Other(f"found {grams} grams, which is nobody's business to put right")

def problems(things):
    for thing in things:
        yield f"{thing}: found no thing of this name among those on the scale; buy one"
        yield "something else altogether"
'''


def test_messages_are_put_together_from_what_the_code_says(tmp_path):
    (tmp_path / "lib/weighing").mkdir(parents=True)
    (tmp_path / "lib/weighing/scale.py").write_text(CODE)
    (tmp_path / "lib/base.py").write_text("class AssayError(Exception):\n    pass\n")
    found = error_messages.messages(tmp_path)
    assert [(one.text, one.when, one.remedy) for one in found] == [
        ("found no scale at all", "Weigh things", "expected some, … | <more>"),
        ("…: found no thing of this name among those on the scale", "Weigh things", "buy one"),
        ("…: found … grams, expected at most 100", "A scale cannot be used", "take the larger scale"),
    ]
    assert {one.room for one in found} == {"weighing"}
    assert "| found no scale at all | Weigh things | expected some, … \\| \\<more> |" in error_messages.tables(found)


def no_results(folder):
    Results(folder / "nothing")


def no_table(folder):
    tables.read(DOCUMENTS, folder / "nothing.parquet")


def no_prompt(folder):
    Prompt.load(folder / "nothing.yaml")


def no_opt_outs(folder):
    OptOuts.read(folder / "nothing.txt")


def no_version(folder):
    publish("", [], "2026-11-23")


@pytest.mark.parametrize(
    "cause", [no_results, no_table, no_prompt, no_opt_outs, no_version], ids=lambda one: one.__name__
)
def test_what_is_raised_stands_on_the_page(tmp_path, cause):
    with pytest.raises(AssayError) as raised:
        cause(tmp_path)
    rows = [line.strip("| ").split(" | ") for line in PAGE.read_text().splitlines() if line.startswith("| ")]
    problem = str(raised.value)
    remedies = [row[2] for row in rows if len(row) == 3 and _form(row[0]).match(problem)]
    assert any(_form(remedy.strip(" |").removeprefix("expected ")).search(problem) for remedy in remedies), problem


def _form(cell):
    """What a cell stands for: anything where it has a gap."""
    plain = re.sub(r"\\([|<*\\])", r"\1", cell)
    return re.compile(re.escape(plain).replace("…", ".*"), re.DOTALL)


def report(*packages):
    return json.dumps({"dependencies": packages, "fixes": []})


WELL = {"name": "pebble", "version": "1.0", "vulns": []}
ADVISORY = {"id": "GHSA-1", "fix_versions": ["2.1"], "aliases": [], "description": "an advisory"}
OPEN = {"name": "quarry", "version": "2.0", "vulns": [ADVISORY, ADVISORY | {"id": "GHSA-2", "fix_versions": []}]}
SKIPPED = {"name": "boulder", "skip_reason": "Dependency not found"}


def test_each_advisory_is_a_line_that_says_what_to_take():
    code, lines = outcome([report(WELL, SKIPPED), report(OPEN)], 3, "")
    assert code == 1 and lines == [
        "audit: 2 of 3 packages have been audited, 2 advisories",
        "audit: quarry 2.0: advisory GHSA-1; take 2.1",
        "audit: quarry 2.0: advisory GHSA-2; no fixed version yet",
    ]
    assert outcome([report(WELL)], 1, "") == (0, ["audit: 1 of 1 packages have been audited, 0 advisories"])


def test_an_audit_that_did_not_happen_is_reported():
    assert "none of 1 packages was audited" in outcome([report(SKIPPED)], 1, "")[1][0]
    assert outcome([report(WELL), ""], 5, "no network") == (0, ["audit: none of 5 packages was audited: no network"])


def test_every_version_of_every_lock_is_asked_about_and_no_list_has_a_package_twice():
    lists = requirements([(ROOT / file).read_text() for file in audit.FILES])
    asked = [entry for entries in lists for entry in entries]
    locks = [ROOT / "requirements.lock", *(ROOT / "envs").glob("*.lock")]
    lines = [line for lock in locks for line in lock.read_text().splitlines() if "==" in line and line[0] not in " #"]
    assert len(asked) == len({*asked}) and {line.split()[0] for line in lines} <= {*asked}
    assert any(entry.startswith("torch==") for entry in asked)
    assert any(entry.startswith("snakemake-executor-plugin-slurm==") for entry in asked)
    assert any(entry.startswith("nvidia-") for entry in asked)
    for entries in lists:
        assert len({entry.split("==")[0] for entry in entries}) == len(entries)
    two = "pebble==1.0 ; python_version < '3.12' \\\n    --hash=sha256:ab\npebble==2.0 ; python_version >= '3.12'\n"
    assert requirements([two, 'TORCH = "torch==2.1"\n']) == [["pebble==1.0", "torch==2.1"], ["pebble==2.0"]]
