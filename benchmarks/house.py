"""Time the house itself: the two commands from a clean clone, plans, second runs.

Figures: `make setup`, `make demo` and `make test` from a clone in an empty folder, `make demo` for one study, the
second `make demo` and `make setup`, the tiny pipeline of the tests, building the default plan and a plan of a thousand
shards. The limit of a plan is Snakemake building about as many jobs from a bare Snakefile. Of `make demo` the jobs are
counted, and the share of the processors' time that no stage's own function was running; idle processors count, too.
`python benchmarks/house.py demos` measures only what is named: demos, again, tests, plans.
"""

import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from common.figures import figure, finish

ROOT = Path(__file__).resolve().parent.parent
BARE = """
rule all:
    input: [f"out/{{n}}" for n in range({n})]
rule one:
    output: "out/{{n}}"
    shell: "touch {{output}}"
"""


STUDIES = {"scope": "<= 100", "detectors": None, "relevance": None, "attacks": None, "raguard": None, "revprag": None}
CALL = re.compile(r"^( +)(stage\(\*\*snakemake.+)$", re.MULTILINE)  # in ragassay.base.stage
WITH_SECONDS = r"""\1import os, time
\1start = time.perf_counter()
\1\2
\1Path(os.environ["STAGE_SECONDS"], str(os.getpid())).write_text(str(time.perf_counter() - start))"""


def timed(folder, *command, **more) -> tuple[float, str]:
    environment = {
        name: value for name, value in os.environ.items() if name not in ("PYTHONPATH", "MAKEFLAGS", "MAKELEVEL")
    }
    start = time.perf_counter()
    done = subprocess.run(
        command, cwd=folder, env=environment | more, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
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


def demos(clone, scratch):
    """The demo, again, and of one study alone; each job writes down the seconds of its stage's function."""
    stage, written = clone / "workflow/ragassay/base/stage.py", scratch / "seconds"
    written.mkdir()
    stage.write_text(CALL.sub(WITH_SECONDS, stage.read_text()))
    seconds, output = timed(clone, "make", "demo", STAGE_SECONDS=str(written))
    figure("demo", seconds, "s", "<= 300")
    figure("demo_jobs", int(re.search(r"^total +(\d+)", output, re.MULTILINE).group(1)), "jobs")
    inside = sum(float(path.read_text()) for path in written.iterdir())
    figure("demo_outside_of_stages", 1 - inside / (seconds * os.cpu_count()), "share")
    seconds, output = timed(clone, "make", "demo")
    figure("demo_again", seconds, "s", "<= 4")
    figure("demo_again_does_nothing", "Nothing to be done" in output, "yes", "== 1")
    for study, target in STUDIES.items():
        forget(clone)
        seconds, _ = timed(clone, "make", "demo", f"STUDY={study}", STAGE_SECONDS=str(written))
        figure(f"demo_{study}", seconds, "s", target)
    forget(clone)
    timed(clone, "git", "checkout", "--quiet", str(stage))


def forget(clone):
    """All that a run has made, what it asked and embedded included."""
    timed(clone, "make", "clean")
    for name in ("ledger", "embeddings"):
        shutil.rmtree(clone / name, ignore_errors=True)


def again(clone, scratch):
    figure("setup_again", best(clone, "make", "setup"), "s", "< 0.8")
    tiny = ("--configfile", "tests/tiny/config.yaml")
    figure("tiny_pipeline", timed(clone, clone / ".venv/bin/snakemake", *tiny)[0], "s", "< 120")


def tests(clone, scratch):
    figure("tests_in_the_clone", timed(clone, "make", "test")[0], "s", "<= 720")


PARTS = {"demos": demos, "again": again, "tests": tests, "plans": plans}


def main(*names):
    scratch = Path(tempfile.mkdtemp(prefix="ragassay-bench-"))
    try:
        clone, bare = scratch / "clone", scratch / "bare"
        bare.mkdir()
        timed(scratch, "git", "clone", "--quiet", str(ROOT), str(clone))
        (scratch / "shared").symlink_to(ROOT.parent / "shared")  # acceptance data lie beside the project
        figure("setup", timed(clone, "make", "setup")[0], "s")
        for name in names or PARTS:
            PARTS[name](clone, bare)
    finally:
        shutil.rmtree(scratch)
    finish()


if __name__ == "__main__":
    main(*sys.argv[1:])
