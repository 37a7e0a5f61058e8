"""`ragassay run`: Snakemake on this pipeline, in the folder of a project. It takes the place of this process, so that
signals, exit status and last lines are those of the run. `ragassay demo` runs a project like any other, whose documents
and configuration come along.
"""

import os
import shutil
import sys
from pathlib import Path

from ragassay.base import pipeline
from ragassay.base.errors import AssayError
from ragassay.running.summary import OPEN

DEMO = Path("ragassay-demo")
PARTS = ("config", "resources/demo")


class DemoError(AssayError):
    """The demo cannot be put into this folder."""


def run_pipeline(words: list[str], slurm: bool = False, **environment: str) -> None:
    """`words` are targets and options of Snakemake's."""
    profile = ["--profile", pipeline.profile("slurm")] if slurm else []
    command = pipeline.snakemake(*words, *profile)
    sys.stdout.flush()
    os.execve(command[0], command, os.environ | environment)


def run_demo(folder: Path | None, words: list[str]) -> None:
    enter_demo(folder)
    run_pipeline(words, **{OPEN: "1"})


def enter_demo(folder: Path | None = None) -> None:
    """Go to the folder of the demo: a clone, one that has the demo already, or a new one."""
    if folder is None:
        folder = Path() if pipeline.in_clone() or all(Path(part).is_dir() for part in PARTS) else DEMO
    lay_out(folder)
    os.chdir(folder)


def lay_out(folder: Path) -> None:
    """Documents and configuration of the demo; what lies there from an earlier time stays as it is."""
    missing = [part for part in PARTS if not (folder / part).is_dir()]
    if len(missing) == len(PARTS) and folder.is_dir() and any(folder.iterdir()):
        raise DemoError(f"{folder}: found other files, expected no folder or an empty one; name one with --folder")
    for part in missing:
        shutil.copytree(pipeline.PIPELINE / part, folder / part, ignore=shutil.ignore_patterns("__pycache__"))
    if missing:
        sys.stdout.write(f"demo: its documents and configuration are in {folder.resolve()}\n")
