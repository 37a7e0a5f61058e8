"""What the study of defences adds to the demo: jobs and seconds.

The demo is run from nothing, without activations: without defences and with them, twice each in turn. Of two runs the
faster counts: the first finds nothing in the system's cache, and others may meet a busy machine.
"""

import re
import shutil
import tempfile
from pathlib import Path

import yaml

from common.figures import figure, finish
from house import ROOT, forget, timed

WITHOUT_DEFENCE = {"none", "oracle", "closed_book"}


def main():
    scratch = Path(tempfile.mkdtemp(prefix="ragassay-bench-"))
    try:
        clone = scratch / "clone"
        timed(scratch, "git", "clone", "--quiet", str(ROOT), str(clone))
        timed(clone, "make", "setup")
        defended = without_revprag(yaml.safe_load((clone / "config/config.yaml").read_text()))
        rounds = [[run(clone, one) for one in (without_raguard(defended), defended)] for _ in range(2)]
        without, whole = (min(runs) for runs in zip(*rounds, strict=True))  # the jobs of a configuration are equal
        figure("jobs_that_raguard_adds", whole[0] - without[0], "jobs", "<= 50")
        figure("seconds_that_raguard_adds", whole[1] - without[1], "s", "<= 30")
        figure("demo_without_defences", without[1], "s")
        figure("demo_with_defences", whole[1], "s")
    finally:
        shutil.rmtree(scratch)
    finish()


def without_revprag(config):
    revprag = config["revprag"]
    unused = {name: entry | {"used": False} for name, entry in revprag["generalisation"].items()}
    return config | {"revprag": revprag | {"cells": [], "generalisation": unused}}


def without_raguard(config):
    """Cells without a defence, or with one of those that show what a defence could reach."""
    cells = [
        cell | ({"defences": kept} if kept else {})
        for cell in config["under_attack"]["cells"]
        if "screened" not in cell
        and ((kept := [name for name in cell.get("defences", ()) if name in WITHOUT_DEFENCE]) or "defences" not in cell)
    ]
    return config | {"under_attack": config["under_attack"] | {"cells": cells}}


def run(clone, config) -> tuple[int, float]:
    """Jobs and seconds of a run from nothing."""
    forget(clone)
    path = clone.parent / "config.yaml"
    path.write_text(yaml.safe_dump(config, sort_keys=False))
    seconds, output = timed(clone, clone / ".venv/bin/snakemake", "--cores", "2", "--configfile", str(path))
    return int(re.search(r"^total +(\d+)", output, re.MULTILINE).group(1)), seconds


if __name__ == "__main__":
    main()
