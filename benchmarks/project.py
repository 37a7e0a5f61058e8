"""What a project of one's own costs before it says anything. `python benchmarks/project.py commands` measures only what
is named.

`report` installs the wheel that a clone builds, makes a project of 25 documents with `ragassay init` and runs it with
the rules, to its report. `commands` asks for help, plans the default and estimates 2,000 documents. `gate` loads the
gate of a folder of documents.
`thirteen` runs a project of thirteen equal months: how much more does the last cost than the second? The ten between
are one run, which leaves the same files as ten.
"""

import contextlib
import os
import random
import re
import sys
import sysconfig
import venv
from collections.abc import Iterator
from pathlib import Path

from common.clone import cloned, timed
from common.figures import count, figure, parts

BUILD = "from setuptools import build_meta; build_meta.build_wheel('dist')"
LOAD = """
import sys, time
begin = time.perf_counter()
from ragassay import Gate
Gate.load(sys.argv[1])
print(time.perf_counter() - begin)
"""
TIMES = 5
WORDS = "ferry library orchard lighthouse census bridge herring cheese glacier council harbour market".split()
VERBS = "opens closes costs carries serves moves repairs counts sells plants".split()
YEAR, EQUAL = [f"2025-{number:02}" for number in range(1, 13)] + ["2026-01"], 25  # documents of each month
OUTPUTS = re.compile(r"^ +output: (.*)$", re.MULTILINE)


@contextlib.contextmanager
def installed() -> Iterator[tuple[Path, Path]]:
    """The command in an environment with the wheel of a clone, which borrows all other packages from this one but that
    for Slurm, which only `ragassay[slurm]` installs; and an empty folder.
    """
    with cloned() as clone:
        folder = clone.parent / "environment"
        timed(clone, sys.executable, "-c", BUILD)
        venv.create(folder, symlinks=True)
        site = folder / sysconfig.get_path("purelib", vars={"base": "", "installed_base": ""}).lstrip("/")
        for path in Path(sysconfig.get_path("purelib")).iterdir():
            if not (path.name.startswith("snakemake_executor_plugin_slurm") or (site / path.name).exists()):
                (site / path.name).symlink_to(path)
        pip = [sys.executable, "-m", "pip", "--python", folder / "bin/python", "install", "--no-deps", "--no-index"]
        seconds, _ = timed(clone, *pip, next((clone / "dist").glob("*.whl")))
        count("seconds_of_the_installation_of_the_wheel", seconds, "s")
        work = clone.parent / "work"
        work.mkdir()
        yield folder / "bin/ragassay", work


def documents(folder: Path, number: int, sentences: int = 25) -> Path:
    """So many texts, each about a few things of its own."""
    folder.mkdir(parents=True)
    for at in range(number):
        dice = random.Random(f"{folder.name} {at}")
        subjects = dice.sample(WORDS, 3)
        lines = [
            f"The {dice.choice(subjects)} of place {at} {dice.choice(VERBS)} {dice.randint(2, 900)} in"
            f" {dice.randint(1900, 2026)}, and the {dice.choice(WORDS)} does not."
            for _ in range(sentences)
        ]
        (folder / f"page-{at:04}.md").write_text(f"# Place {at}\n\n{' '.join(lines)}\n")
    return folder


def report() -> None:
    with installed() as (ragassay, work):
        documents(work / "pages", 25)
        begun, _ = timed(work, ragassay, "init", "mine", "--documents", "pages")
        seconds, _ = timed(work / "mine", ragassay, "run")
        figure("init_of_25_documents", begun, "s", "<= 5")
        figure("report_of_25_documents_behind_the_installation", begun + seconds, "s", "<= 120")


def commands() -> None:
    with installed() as (ragassay, work):
        figure("help", min(timed(work, ragassay, "--help")[0] for _ in range(TIMES)), "s", "<= 0.3")
        demo = timed(work, ragassay, "demo", "--folder", "demo", "--dry-run", "--quiet")[0]
        again = [timed(work / "demo", ragassay, "run", "--dry-run", "--quiet")[0] for _ in range(3)]
        figure("plan_of_the_default", min(demo, *again), "s", "<= 2")
        documents(work / "pages", 2000)
        timed(work, ragassay, "init", "mine", "--documents", "pages")
        figure("estimate_of_2000_documents", timed(work / "mine", ragassay, "estimate")[0], "s", "<= 10")


def gate() -> None:
    with installed() as (ragassay, work):
        documents(work / "pages", 25)
        (work / "asked.csv").write_text("question\n" + "".join(f"What does the {word} cost?\n" for word in WORDS))
        seconds, _ = timed(work, ragassay, "check-questions", "asked.csv", "--documents", "pages")
        figure("check_of_12_questions_against_25_documents", seconds, "s", "<= 60")
        python, folder = ragassay.with_name("python"), "results/gates/asked/minilm"
        loads = [float(timed(work, python, "-c", LOAD, folder)[1]) for _ in range(TIMES)]
        figure("loading_a_gate", min(loads), "s", "<= 1")


def thirteen() -> None:
    with installed() as (ragassay, work):
        for month in YEAR:
            documents(work / f"pages/{month}", EQUAL)
        timed(work, ragassay, "init", "mine", "--documents", f"pages/{YEAR[0]}")
        project = work / "mine"
        settings = (project / "ragassay.yaml").read_text()
        (project / "ragassay.yaml").write_text(settings.replace("scope: {", "scope: {responding: {prompts: [basic]}, "))
        timed(project, ragassay, "run")
        second, jobs_of_second = _added(ragassay, project, YEAR[1:2])
        _added(ragassay, project, YEAR[2:-1])
        last, jobs_of_last = _added(ragassay, project, YEAR[-1:])
    count("month_2_jobs", jobs_of_second, "jobs")
    count("month_13_jobs", jobs_of_last, "jobs")
    figure("month_13_against_month_2", last / second, "x", "<= 1.1")
    count("month_2", second, "cpu_s")
    count("month_13", last, "cpu_s")


def _added(ragassay, project, months) -> tuple[float, int]:
    """Seconds of a processor, of all processes together, that a run with these further months takes, and its jobs."""
    for month in months:
        timed(project, ragassay, "init", "--month", month, "--documents", f"../pages/{month}")
    jobs = len(OUTPUTS.findall(timed(project, ragassay, "run", "--dry-run")[1]))
    before = os.times()
    timed(project, ragassay, "run")
    after = os.times()
    sys.stderr.write(f"{', '.join(months)}: {jobs} jobs\n")
    return after.children_user + after.children_system - before.children_user - before.children_system, jobs


if __name__ == "__main__":
    parts({"report": report, "commands": commands, "gate": gate, "thirteen": thirteen})
