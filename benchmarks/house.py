"""Time the house itself: the two commands from a clean clone, plans, second runs.

Figures: `make demo` and `make test` from a clone in an empty folder (set-up included), the second `make demo` and
`make setup`, the tiny pipeline of the tests, building the default plan and a plan of a thousand shards. The limit of a
plan is Snakemake building about as many jobs from a bare Snakefile.
"""

import os
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from figures import figure, finish

ROOT = Path(__file__).resolve().parent.parent
BARE = """
rule all:
    input: [f"out/{{n}}" for n in range({n})]
rule one:
    output: "out/{{n}}"
    shell: "touch {{output}}"
"""


def timed(folder, *command) -> tuple[float, str]:
    environment = {
        name: value for name, value in os.environ.items() if name not in ("PYTHONPATH", "MAKEFLAGS", "MAKELEVEL")
    }
    start = time.perf_counter()
    done = subprocess.run(
        command, cwd=folder, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
    )
    if done.returncode:
        sys.exit(f"{' '.join(command)} failed:\n{done.stdout[-3000:]}")
    return time.perf_counter() - start, done.stdout


def best(folder, *command) -> float:
    return min(timed(folder, *command)[0] for _ in range(3))


def bare_plan(folder, jobs) -> float:
    (folder / "Snakefile").write_text(BARE.format(n=jobs))
    return best(folder, sys.executable, "-m", "snakemake", "--dry-run", "--quiet", "--cores", "2")


def plans(clone, scratch):
    snakemake = [sys.executable, "-m", "snakemake", "--dry-run", "--quiet"]
    jobs = timed(clone, sys.executable, "-m", "snakemake", "--dry-run", "--forceall")[1].split("total")[1].split()[0]
    figure("default_plan_jobs", int(jobs), "jobs", "< 300")
    figure("default_plan", best(clone, *snakemake, "--forceall"), "s", "< 3", bare_plan(scratch, int(jobs)))
    (clone / "data").mkdir()
    rows = ["shard\tdocuments"]
    for number in range(1000):
        (clone / f"data/{number}.txt").write_text("A text.")
        rows.append(f"s{number:04}\tdata/{number}.txt")
    (clone / "tests/tiny/shards.tsv").write_text("\n".join(rows) + "\n")
    tiny = ("--configfile", "tests/tiny/config.yaml")
    seconds = best(clone, *snakemake[:3], "documents", *snakemake[3:], *tiny)
    figure("plan_of_1000_shards_to_documents", seconds, "s", "< 10", bare_plan(scratch, 3000))
    seconds, limit = timed(clone, *snakemake, *tiny)[0], bare_plan(scratch, 11_000)
    figure("plan_of_1000_shards_with_the_scope_study", seconds, "s", f"<= {4 * limit:.3g}", limit)


def main():
    scratch = Path(tempfile.mkdtemp(prefix="ragassay-bench-"))
    try:
        clone, bare = scratch / "clone", scratch / "bare"
        bare.mkdir()
        timed(scratch, "git", "clone", "--quiet", str(ROOT), str(clone))
        figure("demo_from_a_clean_clone", timed(clone, "make", "demo")[0], "s", "< 360")
        seconds, output = timed(clone, "make", "demo")
        figure("demo_again", seconds, "s", "< 10")
        figure("demo_again_does_nothing", "Nothing to be done" in output, "yes", "== 1")
        figure("setup_again", best(clone, "make", "setup"), "s", "< 0.8")
        tiny = ("--configfile", "tests/tiny/config.yaml")
        figure("tiny_pipeline", timed(clone, clone / ".venv/bin/snakemake", *tiny)[0], "s", "< 120")
        figure("tests_in_the_clone", timed(clone, "make", "test")[0], "s", "< 600")
        plans(clone, bare)
    finally:
        shutil.rmtree(scratch)
    finish()


if __name__ == "__main__":
    main()
