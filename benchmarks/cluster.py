"""Runs on a real Slurm, which is started on this machine: what is submitted, and what a kill leaves behind.

    make bench-cluster                              all scenarios, up to the documents of the tiny plan
    .venv/bin/python benchmarks/cluster.py whole    the whole tiny plan, on Slurm and here

It needs Debian's packages slurm-wlm and munge, and `make setup EXTRA=slurm`. After each scenario the tables are
compared byte for byte with those of a run without Slurm.
"""

import hashlib
import os
import re
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from clusters.slurm import Slurm, missing
from common.figures import figure, finish

ROOT = Path(__file__).resolve().parents[1]
DOCUMENTS = ("--until", "collect_documents")
ON_SLURM = ("--profile", "profiles/slurm")
HERE = ("--cores", "2")
PATIENCE = 1800  # seconds until a run counts as hanging


class Project:
    """A clone in a folder of its own, and the Slurm that its runs use."""

    def __init__(self, folder: Path, slurm: Slurm):
        self.folder, self.slurm = folder, slurm
        subprocess.run(["git", "clone", "--quiet", str(ROOT), str(folder)], check=True)

    def start(self, *words) -> subprocess.Popen:
        command = [sys.executable, "-m", "snakemake", *words, "--configfile", "tests/tiny/config.yaml"]
        with (self.folder / "told.txt").open("ab") as told:
            return subprocess.Popen(
                command, cwd=self.folder, env=self.slurm.environment, stdout=told, stderr=told, start_new_session=True
            )

    def run(self, *words) -> int:
        return self.start(*words).wait(PATIENCE)

    @property
    def told(self) -> str:
        return (self.folder / "told.txt").read_text()

    def wait_for_jobs(self, running: bool = True):
        """Until a job runs, or none is left."""
        deadline = time.monotonic() + PATIENCE
        while bool(self.slurm.command("squeue", "-h", "-t", "R")) != running:
            if time.monotonic() > deadline:
                raise RuntimeError(f"jobs did not {'start' if running else 'end'}; see {self.folder / 'told.txt'}")
            time.sleep(0.2)

    def tables(self) -> dict[str, str]:
        files = sorted(self.folder.glob("results/**/*.parquet"))
        return {str(one.relative_to(self.folder)): hashlib.sha256(one.read_bytes()).hexdigest() for one in files}


def plain(project):
    """Nothing happens."""
    return project.run(*ON_SLURM, *DOCUMENTS)


def killed_head(project):
    """The head is killed with -9 while jobs run, and started again."""
    head = project.start(*ON_SLURM, *DOCUMENTS)
    project.wait_for_jobs()
    os.kill(head.pid, signal.SIGKILL)
    head.wait()
    return project.run(*ON_SLURM, *DOCUMENTS)


def ended_head(project):
    """The head is asked to end; its jobs end with it."""
    head = project.start(*ON_SLURM, *DOCUMENTS)
    project.wait_for_jobs()
    os.kill(head.pid, signal.SIGTERM)
    head.wait(PATIENCE)
    project.wait_for_jobs(running=False)
    return project.run(*ON_SLURM, *DOCUMENTS)


def killed_job(project):
    """A job is killed; the run says so, and the next one goes on."""
    head = project.start(*ON_SLURM, *DOCUMENTS)
    project.wait_for_jobs()
    project.slurm.command("scancel", "--me", "--state=RUNNING", "--signal=KILL", "--full")
    assert head.wait(PATIENCE), "a run whose job was killed says that all is well"
    return project.run(*ON_SLURM, *DOCUMENTS)


def two_heads(project):
    """A second head is refused while the first one runs."""
    head = project.start(*ON_SLURM, *DOCUMENTS)
    project.wait_for_jobs()
    assert project.run(*ON_SLURM, *DOCUMENTS), "two runs in one folder at once"
    return head.wait(PATIENCE)


def restarted_controller(project):
    """The controller is killed while jobs run, and comes back."""
    head = project.start(*ON_SLURM, *DOCUMENTS)
    project.wait_for_jobs()
    project.slurm.kill("slurmctld")
    time.sleep(5)
    project.slurm.start_controller()
    return head.wait(PATIENCE)


SCENARIOS = [plain, killed_head, ended_head, killed_job, two_heads, restarted_controller]


def scenarios(folder: Path, slurm: Slurm):
    local = Project(folder / "local", slurm)
    assert not local.run(*HERE, *DOCUMENTS), local.told
    wanted = local.tables()
    for scenario in SCENARIOS:
        project = Project(folder / scenario.__name__, slurm)
        start = time.perf_counter()
        failed = scenario(project)
        found = project.tables()
        wrong = sum(found.get(name) != own for name, own in wanted.items())
        figure(f"{scenario.__name__}_exit_status", failed, "", "== 0")
        figure(f"{scenario.__name__}_tables_that_differ", wrong, f"of {len(wanted)}", "== 0")
        figure(f"{scenario.__name__}_jobs_left", len(slurm.jobs()), "jobs", "== 0")
        figure(f"{scenario.__name__}_seconds", time.perf_counter() - start, "s")


def whole(folder: Path, slurm: Slurm):
    seconds, tables = {}, {}
    for name, how in {"local": HERE, "slurm": ON_SLURM}.items():
        project = Project(folder / name, slurm)
        start = time.perf_counter()
        assert not project.run(*how), project.told
        seconds[name], tables[name] = time.perf_counter() - start, project.tables()
    wanted = tables["local"]
    differ = sorted(name for name in wanted if tables["slurm"].get(name) != wanted[name])
    sys.stdout.writelines(f"differs: {name}\n" for name in differ)
    submissions = len(set(re.findall(r"submitted with SLURM jobid (\d+)", project.told)))
    figure("tiny_plan_tables_that_differ", len(differ), f"of {len(wanted)}", "== 0")
    figure("tiny_plan_submissions", submissions, "submissions")
    figure("tiny_plan_on_slurm", seconds["slurm"], "s", limit=seconds["local"])
    figure("overhead", (seconds["slurm"] - seconds["local"]) / submissions, "s a submission")


if __name__ == "__main__":
    if lacking := missing():
        sys.exit(f"found no {', '.join(lacking)}, expected Slurm; install Debian's slurm-wlm and munge")
    with tempfile.TemporaryDirectory(prefix="ragassay-cluster-") as place:
        Path(place).chmod(0o755)
        with Slurm(Path(place, "slurm")) as slurm:
            (whole if sys.argv[1:] == ["whole"] else scenarios)(Path(place), slurm)
    finish()
