"""`ragassay run`: Snakemake on this pipeline, in the folder of a project. It takes the place of this process, so that
signals, exit status and last lines are those of the run.
"""

import os
import sys

from ragassay.base import pipeline


def run_pipeline(words: list[str], slurm: bool = False, **environment: str) -> None:
    """`words` are targets and options of Snakemake's."""
    profile = ["--profile", pipeline.profile("slurm")] if slurm else []
    command = pipeline.snakemake(*words, *profile)
    sys.stdout.flush()
    os.execve(command[0], command, os.environ | environment)
