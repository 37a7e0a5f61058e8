"""What two studies add to the demo: jobs and seconds of `raguard`, and of `revprag` on top of it.

Three runs of the demo from nothing: without both, without `revprag`, and whole.
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
        whole = yaml.safe_load((clone / "config/config.yaml").read_text())
        defended = without_revprag(whole)
        least, more, most = (run(clone, one) for one in (without_raguard(defended), defended, whole))
        for name, before, after, jobs, seconds in (("raguard", least, more, 50, 30), ("revprag", more, most, 30, 60)):
            figure(f"jobs_that_{name}_adds", after[0] - before[0], "jobs", f"<= {jobs}")
            figure(f"seconds_that_{name}_adds", after[1] - before[1], "s", f"<= {seconds}")
        figure("demo_without_both", least[1], "s")
        figure("demo_whole", most[1], "s")
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
