"""What `make lint` says of advisories: each hole is a line and an error, and no audit is not a good one."""

import json

from tools.audit import outcome


def report(*packages):
    return json.dumps({"dependencies": packages, "fixes": []})


WELL = {"name": "pebble", "version": "1.0", "vulns": []}
HOLE = {"id": "GHSA-1", "fix_versions": ["2.1"], "aliases": [], "description": "a hole"}
OPEN = {"name": "quarry", "version": "2.0", "vulns": [HOLE, HOLE | {"id": "GHSA-2", "fix_versions": []}]}
SKIPPED = {"name": "boulder", "skip_reason": "Dependency not found"}


def test_each_advisory_is_a_line_that_says_what_to_take():
    code, lines = outcome(report(WELL, OPEN, SKIPPED), 3, "")
    assert code == 1 and lines == [
        "audit: 2 of 3 packages have been audited, 2 advisories",
        "audit: quarry 2.0: GHSA-1; take 2.1",
        "audit: quarry 2.0: GHSA-2; there is no mended version",
    ]
    assert outcome(report(WELL), 1, "") == (0, ["audit: 1 of 1 packages have been audited, 0 advisories"])


def test_what_was_not_audited_is_said_to_be():
    assert "none of 1 packages was audited" in outcome(report(SKIPPED), 1, "")[1][0]
    assert outcome("", 5, "no network") == (0, ["audit: none of 5 packages was audited: no network"])
