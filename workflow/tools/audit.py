"""What is known against the locked packages: pip-audit over requirements.lock. Without an index that has advisories it
says so: what was not audited does not pass in silence."""

import json
import re
import subprocess
import sys
from pathlib import Path

from ragassay.base.pipeline import PIPELINE

AUDIT = "pip-audit==2.10.1"
OPTIONS = ["--no-deps", "--disable-pip", "--progress-spinner", "off", "--format", "json"]


def main() -> int:
    pinned = re.findall(r"^[A-Za-z0-9._-]+==[^\s;\\]+", (PIPELINE / "requirements.lock").read_text(), re.MULTILINE)
    versions = dict(entry.split("==") for entry in pinned)  # of a package with two, the one for the newest Python
    asked = "".join(f"{name}=={version}\n" for name, version in versions.items())
    command = [str(Path(sys.executable).with_name("uv")), "tool", "run", AUDIT, "--requirement", "/dev/stdin", *OPTIONS]
    done = subprocess.run(command, input=asked, capture_output=True, text=True)
    code, lines = outcome(done.stdout, len(versions), (done.stderr.strip().splitlines() or [""])[-1])
    print(*lines, sep="\n", file=sys.stderr if code else sys.stdout)
    return code


def outcome(report: str, count: int, reason: str) -> tuple[int, list[str]]:
    """The exit code and what to say of pip-audit's report; `reason` is its last word if there is none."""
    try:
        packages = json.loads(report)["dependencies"]
    except ValueError:
        return 0, [f"audit: none of {count} packages was audited: {reason or 'pip-audit gave no report'}"]
    audited = [package for package in packages if "skip_reason" not in package]
    holes = [(package, hole) for package in audited for hole in package["vulns"]]
    lines = [f"audit: {len(audited)} of {count} packages have been audited, {len(holes)} advisories"]
    if not audited:
        lines = [f"audit: none of {count} packages was audited: no index with advisories is reached from here"]
    for package, hole in holes:
        remedy = f"take {' or '.join(hole['fix_versions'])}" if hole["fix_versions"] else "there is no mended version"
        lines.append(f"audit: {package['name']} {package['version']}: {hole['id']}; {remedy}")
    return int(bool(holes)), lines


if __name__ == "__main__":
    sys.exit(main())
