"""Run Snakemake in a folder as a user does, and read what it says."""

import os
import re
import subprocess
import sys

TINY = ("--configfile", "tests/tiny/config.yaml")
NOTHING = "Nothing to be done"


def snakemake(project, *arguments, check=True):
    """The finished process, standard output and error together in `stdout`."""
    done = subprocess.run(
        [sys.executable, "-m", "snakemake", *arguments],
        cwd=project,
        env={name: value for name, value in os.environ.items() if name != "PYTHONPATH"},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    assert not check or done.returncode == 0, done.stdout
    return done


def planned(project, *arguments):
    """rule -> number of jobs that a run would start now; target rules are left out."""
    output = snakemake(project, "--dry-run", *arguments).stdout
    if NOTHING in output:
        return {}
    table = output.split("Job stats:")[-1].split("total")[0]
    jobs = {rule: int(count) for rule, count in re.findall(r"^(\w+)\s+(\d+)$", table, re.MULTILINE)}
    return {rule: count for rule, count in jobs.items() if rule not in ("report", "documents", "scope")}
