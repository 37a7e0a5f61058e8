"""Where the pipeline lies: Snakefile, rules, scripts, schemas, prompts, templates, profiles and the demo. A clone is
all of it; an installation has it beside the library, in a folder to which nobody writes.

A project elsewhere holds no more than its own files. It reaches those of the pipeline through a link in its .snakemake,
so that their paths are the same on each machine and in each version, and a new installation re-runs only what changed.
A file of the project's own under the path of one of the pipeline's, such as a prompt, takes its place.
"""

import argparse
import os
import signal
import subprocess
import sys
from pathlib import Path

LIBRARY = Path(__file__).resolve().parents[1]
INSTALLED = (LIBRARY / "pipeline/Snakefile").is_file()
PIPELINE = LIBRARY / "pipeline" if INSTALLED else LIBRARY.parents[1]
WORKFLOW = PIPELINE / "workflow"
LINK = Path(".snakemake/ragassay")
ALONE = Path(".snakemake/library")  # holds the library and nothing else, for environments that have none
COPY = Path("workflow/ragassay/base/pipeline.py")
SETTINGS = ("ragassay.yaml", "config/config.yaml")  # of a project


def in_clone() -> bool:
    """Whether the working directory has a pipeline of its own."""
    return COPY.is_file()


def settings_files() -> list[str]:
    """The project's own configuration, over which others are laid; empty where it has none."""
    names = SETTINGS[1:] if in_clone() else SETTINGS
    return [name for name in names if Path(name).exists()][:1]


def configfiles(words: list[str]) -> list[str]:
    """The files of `--configfile` among words of a command line."""
    return split_configfiles(words)[0]


def split_configfiles(words: list[str]) -> tuple[list[str], list[str]]:
    """The same, and the other words."""
    parser = argparse.ArgumentParser(add_help=False, allow_abbrev=False)
    parser.add_argument("--configfile", "--configfiles", nargs="+", action="extend", default=[])
    options, others = parser.parse_known_args(words)
    return options.configfile, others


def shipped(path):
    """A file of the pipeline, or several, as the working directory reaches them; a function if there are wildcards."""
    if isinstance(path, list):
        return [shipped(each) for each in path]
    if in_clone():
        return path
    return _of_wildcards(path) if "{" in path else _present(path)


def _present(path):
    if Path(path).exists():
        return path
    if not (LINK / path).exists():
        prepare()
    return f"{LINK}/{path}"


def _of_wildcards(pattern):
    def of_job(wildcards):
        return _present(pattern.format(**wildcards))

    return of_job


def original(path: str) -> str:
    """The path of a file in the pipeline, whichever way the working directory reaches it."""
    return path.removeprefix(f"{LINK}/")


def prepare(conda: bool = False) -> None:
    """Make the links in the working directory. An environment of Conda's has no library of its own."""
    if not in_clone():
        _link(LINK, PIPELINE)
    if INSTALLED and conda:
        _link(ALONE / "ragassay", LIBRARY)


def import_path(conda: bool = False) -> list[str]:
    """Where jobs find scripts and library, and what Python runs first in each of them."""
    alone = [str(ALONE.absolute())] if INSTALLED and conda else []
    return [str(WORKFLOW), str(WORKFLOW / "startup"), *alone]


def _link(link, target):
    if link.is_symlink() and Path(os.readlink(link)) == target:  # noqa: PTH115
        return
    link.parent.mkdir(parents=True, exist_ok=True)
    new = link.with_name(f"{link.name}.{os.getpid()}")
    new.unlink(missing_ok=True)
    new.symlink_to(target)
    new.replace(link)


def snakemake(*arguments: str) -> list[str]:
    """The command that runs Snakemake on this pipeline in the working directory."""
    elsewhere = [] if in_clone() else ["--snakefile", str(PIPELINE / "Snakefile")]
    return [sys.executable, "-P", "-m", "snakemake", *elsewhere, *arguments]


def status_of(command: list[str], **how) -> int:
    """The exit status of a run in a process of its own. Ctrl-C and SIGTERM are the run's, which says how it ended."""
    sys.stdout.flush()
    started, asked_to_end = [], []

    def end(*_):
        asked_to_end.append(True)
        for run in started:
            run.send_signal(signal.SIGTERM)

    before = signal.signal(signal.SIGINT, lambda *_: None), signal.signal(signal.SIGTERM, end)  # a terminal tells both
    try:
        with subprocess.Popen(command, **how) as run:
            started.append(run)
            if asked_to_end:
                end()
            status = run.wait()
        return status if status >= 0 else 128 - status
    finally:
        signal.signal(signal.SIGINT, before[0])
        signal.signal(signal.SIGTERM, before[1])


def study_command(study: str = "") -> str:
    """What a person types to run everything, or one study, from nothing."""
    if in_clone():
        return f"make demo STUDY={study}" if study else "make demo"
    return run_command(*filter(None, [study]))


def typed(command: str) -> str:
    """A command as a clone has it, in the words of the working directory."""
    if in_clone():
        return command
    for begin, instead in ((".venv/bin/snakemake", "ragassay run"), ("make demo STUDY=", "ragassay run ")):
        command = command.replace(begin, instead)
    return command.replace("make demo", "ragassay run").replace("make ", "ragassay ")


def profile(name: str) -> str:
    """One of the pipeline's profiles; a project's own takes its place."""
    path = f"profiles/{name}"
    return path if Path(path).is_dir() else str(PIPELINE / path)


def matching(pattern: str) -> dict[str, Path]:
    """name -> file of all that a path with `*` in its last part fits; the project's own take the pipeline's place."""
    folders = (PIPELINE, Path()) if not in_clone() else (Path(),)
    return {path.name: path for folder in folders for path in sorted(folder.glob(pattern))}


def run_command(*words: str) -> str:
    """What a person types to run this pipeline in the working directory."""
    return " ".join(["snakemake" if in_clone() else "ragassay run", *words])
