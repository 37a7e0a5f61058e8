"""What `make lint` reports of advisories: each is a line and an error, and an audit that did not happen is reported."""

import json

from project import ROOT
from tools import audit
from tools.audit import outcome, requirements


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
