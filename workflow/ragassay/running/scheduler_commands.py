"""What Snakemake's executor gets to see of Slurm while a run lasts: commands of the same names, first on the PATH.

A controller that is busy or restarting fails commands. A submission that failed is repeated, unless the job is there
although its reply was lost, or Slurm refuses it for good. A question how jobs fare always has an answer: as long as
nobody gives one, each job counts as running. The executor would forget its jobs instead, and wait for ever. So it does
for a job that nobody knows any more or that was preempted and not started again, and a job of state UNKNOWN it takes
for done: after UNCLEAR seconds such a job is cancelled, and LEAVING seconds later it counts as failed. If it went on,
it would write tables after the head has removed those that they were made from.

The executor gives all jobs of a run one name and asks for it. Here each job's name begins with its rule, or its group,
and the executor's question asks for all names of the run.

It keeps beside the commands which jobs were submitted, under which names, which of them failed, and since when the
state of a job is unclear.
"""

import json
import os
import re
import secrets
import shlex
import shutil
import subprocess
import sys
import time
from pathlib import Path

NAMES = ("sbatch", "squeue", "sacct", "scancel", "scontrol")
PAUSES = (1, 5, 15)  # seconds before a command is repeated; the executor waits a minute for an answer
UNCLEAR = 300
LONGEST = 100  # letters of a group's name, which has those of its rules; the database of Slurm takes 255 with the run's
LONGEST_COMMENT = 200
LEAVING = 45  # a little more than Slurm gives a job that it cancels (KillWait, 30 by default)
REFUSALS = "can ?not be satisfied|is not available|"
REFUSALS += "invalid|violates|denied|unrecognized|not permitted|disabled|(?<!temporarily )unavailable"
FOR_GOOD = re.compile(REFUSALS, re.IGNORECASE)
STATES = ("%i|%T", "JobIdRaw,State")  # ends of the words that ask how jobs fare
ALIVE = {"PENDING", "RUNNING", "COMPLETING", "CONFIGURING", "SUSPENDED", "STOPPED", "REQUEUED", "RESIZING", "SIGNALING"}
ALIVE |= {"STAGE_OUT", "REQUEUE_HOLD", "REQUEUE_FED", "RESV_DEL_HOLD", "SPECIAL_EXIT"}
ENDED = {"COMPLETED", "BOOT_FAIL", "CANCELLED", "DEADLINE", "FAILED", "NODE_FAIL", "OUT_OF_MEMORY", "TIMEOUT", "ERROR"}


def put_first(folder: Path) -> None:
    """Write the commands and put them first on the PATH."""
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    for name in NAMES:
        if command := shutil.which(name):
            words = shlex.join([sys.executable, "-P", str(Path(__file__).resolve()), command])
            (folder / name).write_text(f'#!/bin/sh\nexec {words} {shlex.quote(str(folder.resolve()))} "$@"\n')
            (folder / name).chmod(0o755)
    os.environ["PATH"] = os.pathsep.join([str(folder.resolve()), os.environ["PATH"]])


def submit(command: str, folder: Path, words: list[str]):
    """sbatch. The job's comment, which names its rule, gets its shards, since a group's comment has none, and a mark by
    which the job is found if the reply is lost.
    """
    mark = secrets.token_hex(8)
    name, comment = words.index("--job-name") + 1, words.index("--comment") + 1
    rule = words[comment].removeprefix("rule_").partition("_wildcards_")[0]
    words[name] = f"{rule[:LONGEST]}-{words[name]}"
    shards = {*re.findall(r"\bshard=([\w.-]+)", words[-1])}
    shards = [shard for shard in sorted(shards) if not words[comment].endswith(f"_{shard}")]
    words[comment] = " ".join([words[comment], *shards])[:LONGEST_COMMENT] + f" {mark}"
    if words[name] not in names(folder):
        _note(folder / "names", words[name])
    done = attempted([command, *words], lambda: _of_mark(folder, mark))
    if not done.returncode:
        _note(folder / "jobs", done.stdout.strip().partition(";")[0])
    return done


def names(folder: Path) -> list[str]:
    """Those under which the run has submitted jobs; one per rule or group."""
    return list(dict.fromkeys(_noted(folder / "names")))  # two submissions at once may have noted one


def failed(folder: Path) -> list[str]:
    """The ids of jobs that ended badly by themselves."""
    return _noted(folder / "failed")


def _note(file, line):
    with file.open("a") as lines:
        lines.write(f"{line}\n")


def _noted(file):
    return file.read_text().split() if file.exists() else []


def _of_mark(folder, mark):
    """The job that was submitted although sbatch failed, if Slurm knows it."""
    listed = _run([folder / "squeue", "--me", "--noheader", "--states=all", "--format=%i|%k"]).stdout
    return re.search(rf"^(\d+)\|.*{mark}", listed, re.MULTILINE)


def attempted(words: list, outcome=lambda: None):
    """The command, once more after each pause until it succeeds, is found to have succeeded, or is refused for good."""
    for pause in (*PAUSES, None):
        done = _run(words)
        if not done.returncode or pause is None or FOR_GOOD.search(done.stderr):
            return done
        time.sleep(pause)
        if job := outcome():
            return subprocess.CompletedProcess(words, 0, f"{job[1]}\n", "")


def states(command: str, folder: Path, words: list[str]):
    """squeue or sacct: a line `job|STATE` for each job, which no failure takes away."""
    submitted, since = _noted(folder / "jobs"), folder / "unclear.json"
    if names(folder):
        words[words.index("--name") + 1] = ",".join(names(folder))
    done = attempted([command, *words])
    if done.returncode:
        return subprocess.CompletedProcess(words, 0, "".join(f"{job}|RUNNING\n" for job in submitted), done.stderr)
    by_job = dict(line.strip().split("|")[:2] for line in done.stdout.splitlines() if "|" in line)
    by_job = {job: state.split()[0] for job, state in by_job.items() if state}  # sacct: CANCELLED by 1000
    for job in submitted:
        if by_job.get(job) == "FAILED" and job not in failed(folder):
            _note(folder / "failed", job)
    unclear = json.loads(since.read_text()) if since.exists() else {}
    unclear = {job: unclear.get(job, time.time()) for job in submitted if by_job.get(job) not in ALIVE | ENDED}
    since.write_text(json.dumps(unclear))
    for job, moment in unclear.items():
        waited = time.time() - moment
        if waited >= UNCLEAR:
            _run([folder / "scancel", job])
        by_job[job] = "RUNNING" if waited < UNCLEAR + LEAVING else "ERROR"
    return subprocess.CompletedProcess(words, 0, "".join(f"{job}|{state}\n" for job, state in by_job.items()), "")


def _run(words):
    return subprocess.run(words, capture_output=True, text=True)


def main(command: str, folder: str, *words: str) -> int:
    name, asks = Path(command).name, any(word.endswith(STATES) for word in words)
    if name == "sbatch":
        done = submit(command, Path(folder), list(words))
    else:
        done = states(command, Path(folder), list(words)) if asks else attempted([command, *words])
    sys.stdout.write(done.stdout)
    sys.stderr.write(done.stderr)
    return done.returncode


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
