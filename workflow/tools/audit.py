"""Report advisories about the locked packages: pip-audit reads the versions in all locks, and torch's in envs/setup.py.
An advisory fails the audit. Without an index that has advisories, the audit passes and says that it audited nothing."""

import json
import subprocess
import sys
from pathlib import Path

from ragassay.base.pipeline import PIPELINE
from ragassay.release.descriptions import PINNED

AUDIT = "pip-audit==2.10.1"
OPTIONS = ["--no-deps", "--disable-pip", "--progress-spinner", "off", "--format", "json"]
FILES = ("requirements.lock", "envs/gpu.lock", "envs/slurm.lock", "envs/setup.py")


def main() -> int:
    lists = requirements([(PIPELINE / file).read_text() for file in FILES])
    command = [str(Path(sys.executable).with_name("uv")), "tool", "run", AUDIT, "--requirement", "/dev/stdin", *OPTIONS]
    runs = [
        subprocess.run(command, input="\n".join(entries), capture_output=True, text=True, check=False)
        for entries in lists
    ]
    reasons = [(done.stderr.strip().splitlines() or [""])[-1] for done in runs]
    code, lines = outcome([done.stdout for done in runs], sum(map(len, lists)), reasons[0])
    print(*lines, sep="\n", file=sys.stderr if code else sys.stdout)
    return code


def requirements(locks: list[str]) -> list[list[str]]:
    """All pinned versions, as lists in which no package stands twice: pip-audit takes one version of each."""
    versions = {}  # package -> its versions, of which environment markers choose one
    pins = [pin.groups() for lock in locks for line in lock.splitlines() if (pin := PINNED.match(line))]
    for name, version in dict.fromkeys(pins):
        versions.setdefault(name, []).append(version)
    most = max(map(len, versions.values()))
    return [[f"{name}=={each[at]}" for name, each in versions.items() if at < len(each)] for at in range(most)]


def outcome(reports: list[str], count: int, reason: str) -> tuple[int, list[str]]:
    """The exit code and the lines to print for pip-audit's reports; `reason` is its last line if one is missing."""
    try:
        packages = [package for report in reports for package in json.loads(report)["dependencies"]]
    except ValueError:
        return 0, [f"audit: none of {count} packages was audited: {reason or 'pip-audit gave no report'}"]
    audited = [package for package in packages if "skip_reason" not in package]
    advisories = [(package, advisory) for package in audited for advisory in package["vulns"]]
    lines = [f"audit: {len(audited)} of {count} packages have been audited, {len(advisories)} advisories"]
    if not audited:
        lines = [f"audit: none of {count} packages was audited: no index with advisories is reached from here"]
    for package, advisory in advisories:
        fixed = advisory["fix_versions"]
        remedy = f"take {' or '.join(fixed)}" if fixed else "no fixed version yet"
        lines.append(f"audit: {package['name']} {package['version']}: advisory {advisory['id']}; {remedy}")
    return int(bool(advisories)), lines


if __name__ == "__main__":
    sys.exit(main())
