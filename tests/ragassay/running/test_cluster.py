"""What a run does with the Slurm that it meets. Slurm itself is played; `make slurm-test` runs on a real one."""

import os
import signal
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest

from ragassay.running import cluster
from ragassay.running.cluster import ClusterError

CONFIGURATION = "AccountingStorageType   = {}\nMinJobAge   = {} sec\nMpiDefault = none\n"


@pytest.fixture
def slurm(tmp_path, monkeypatch):
    """A played Slurm: `told` has what it was told, `answers` what it says to commands; the last answer stays."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / ".snakemake").mkdir()
    (tmp_path / "sbatch").touch(mode=0o755)
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setattr(cluster.time, "sleep", lambda seconds: None)
    played = SimpleNamespace(told=[], answers={"scontrol": [CONFIGURATION.format("(null)", 300)], "squeue": [""]})

    def run(words, **_):
        played.told.append(" ".join(words))
        left = played.answers.get(words[0], [""])
        answer = left.pop(0) if len(left) > 1 else left[0]
        failed = isinstance(answer, Exception)
        return SimpleNamespace(returncode=int(failed), stdout=str(answer), stderr=f"{answer}\n")

    monkeypatch.setattr(cluster.subprocess, "run", run)
    monkeypatch.setattr(cluster.scheduler_commands, "put_first", lambda folder: played.told.append(f"first: {folder}"))
    before = signal.getsignal(signal.SIGTERM)
    yield played
    signal.signal(signal.SIGTERM, before)


@pytest.fixture
def head():
    executor = SimpleNamespace(run_uuid="own", _fallback_account_arg=None, slurm_logdir=Path(".snakemake/slurm_logs"))
    executor.array_jobs = set()
    executor.get_partition_arg = lambda job: job.resources.get("partition", " -p short")
    return SimpleNamespace(
        is_main_process=True,
        executor_plugin=SimpleNamespace(name="slurm"),
        executor_settings=SimpleNamespace(status_command="sacct"),
        remote_execution_settings=SimpleNamespace(immediate_submit=False),
        resource_settings=SimpleNamespace(default_resources={"cpus_per_task": 1}),
        scheduler=SimpleNamespace(_executor=executor),
        persistence=SimpleNamespace(unlock=lambda: None),
        dag=SimpleNamespace(needrun_jobs=lambda: [], _group={}),
    )


class Namespace(SimpleNamespace):
    __hash__ = object.__hash__


class PlannedAgain(Exception):
    """In place of a new start of this process."""


def run_before(*names):
    """A run was killed that had submitted jobs of these names."""
    cluster.COMMANDS.mkdir(parents=True, exist_ok=True)
    (cluster.COMMANDS / "names").write_text("\n".join(names))


@pytest.mark.parametrize(
    ("accounting", "age", "asked"),
    [
        ("(null)", 300, "squeue"),
        ("accounting_storage/none", 300, "squeue"),
        ("accounting_storage/slurmdbd", 5, "sacct"),
    ],
)
def test_without_accounting_the_controller_is_asked_and_no_account_is_guessed(slurm, head, accounting, age, asked):
    slurm.answers["scontrol"] = [CONFIGURATION.format(accounting, age)]
    cluster.begin(head)
    assert head.executor_settings.status_command == asked
    assert head.scheduler._executor._fallback_account_arg == "", "None would be looked for"


REFUSED = {
    r"found MinJobAge=299 .* expected at least 300": lambda slurm, head: slurm.answers.update(
        scontrol=[CONFIGURATION.format("(null)", 299)]
    ),
    "found no sbatch": lambda slurm, head: Path("sbatch").unlink(),
    "found no cpus_per_task among the default resources": lambda slurm, head: (
        head.resource_settings.default_resources.pop("cpus_per_task")
    ),
    "found slurm-array-jobs, expected none": lambda slurm, head: head.scheduler._executor.array_jobs.add("respond"),
}


@pytest.mark.parametrize(("found", "change"), REFUSED.items())
def test_what_cannot_work_is_refused_before_anything_starts(slurm, head, found, change):
    change(slurm, head)
    with pytest.raises(ClusterError, match=found):
        cluster.begin(head)


def test_a_submission_starts_one_snakemake_whose_shell_outlives_a_signal(slurm, head):
    cluster.begin(head)
    executor = head.scheduler._executor
    command = f"{executor.get_job_exec_prefix(None)} && kill -TERM $$ && exit 75 {executor.additional_general_args()}"
    assert os.spawnv(os.P_WAIT, "/bin/sh", ["sh", "-c", command]) == 75
    assert "jobstep" not in command


@pytest.mark.parametrize("executor", ["slurm", "cluster-generic"])
def test_jobs_that_nobody_waits_for_are_refused(slurm, head, executor):
    head.executor_plugin.name, head.remote_execution_settings.immediate_submit = executor, True
    with pytest.raises(ClusterError, match="found --immediate-submit, expected none"):
        cluster.begin(head)
    head.is_main_process = False  # in a job
    cluster.begin(head)


@pytest.fixture
def plan(slurm, head):
    """Lets the run need jobs of a rule and of a group, on partitions with these limits."""

    def plan(minutes, of_group, limit, memory=2000):
        nodes = [f"short|{limit}|{node}" for node in ("2000|1|idle", "1000|3|mixed", "4000|1|down*", "8000|1|draining")]
        slurm.answers["sinfo"] = ["\n".join([*nodes, "long|infinite|64000|1|drained", "long|infinite|32000|1|down"])]
        rules = {None: SimpleNamespace(name="respond"), "questions": SimpleNamespace(name="judge_scope")}
        jobs = {
            group: Namespace(group=group, rule=rule, is_local=False, resources={"runtime": minutes})
            for group, rule in rules.items()
        }
        groups = {jobs["questions"]: SimpleNamespace(resources={"runtime": of_group, "mem_mb": memory})}
        head.dag = SimpleNamespace(needrun_jobs=lambda: jobs.values(), _group=groups)
        return jobs

    return plan


TOO_LITTLE = [  # minutes of a rule and of a group, the limit, megabytes of the group, and what is said
    (60, 1230, "12:00:00", 2000, "limit 12:00:00 of partition short, expected 1230 minutes or more, which the group"),
    (60, 45, "30:00", 2000, "limit 30:00 of partition short, expected 60 minutes or more, which the rule respond"),
    (60, 1441, "1-00:00:00", 2000, "expected 1441 minutes"),
    (5, 5, "infinite", 2001, "found nodes of 2,000 MB in partition short, drained and down ones aside, expected 2,001"),
]


@pytest.mark.parametrize(("minutes", "of_group", "limit", "memory", "found"), TOO_LITTLE)
def test_a_partition_that_would_never_start_a_job_is_refused(
    slurm, head, plan, minutes, of_group, limit, memory, found
):
    jobs = plan(minutes, of_group, limit, memory)
    with pytest.raises(ClusterError, match=found):
        cluster.begin(head)
    for job in jobs.values():
        job.resources["partition"] = " -p long"
    cluster.begin(head)


@pytest.mark.parametrize(
    ("named", "found"),
    [
        ("short,other", "limit 12:00:00 of partition short, "),
        ("short,small", "found nodes of 1,000 MB in partition small, "),
        ("x,short", ""),
    ],
)
def test_of_several_partitions_one_has_to_give_time_and_memory(slurm, head, plan, named, found):
    """One that Slurm does not show may give more."""
    jobs = plan(60, 1230, "12:00:00")
    slurm.answers["sinfo"][0] += "\nother|14:00:00|1000|1|idle\nsmall|infinite|1000|1|idle"
    for job in jobs.values():
        job.resources["partition"] = f" -p {named}"
    if found:
        with pytest.raises(ClusterError, match=found):
            cluster.begin(head)
        jobs["questions"].resources["partition"] += ",long"
    cluster.begin(head)


@pytest.mark.parametrize("memory", [2000, 64_000])
def test_memory_of_a_node_that_starts_no_job_counts_only_where_no_node_does(slurm, head, plan, memory):
    jobs = plan(5, 5, "infinite", memory=memory)
    jobs["questions"].group, jobs["questions"].resources = None, {"mem_mb": memory}
    jobs["questions"].resources["partition"] = " -p long" if memory > 2000 else " -p short"
    cluster.begin(head)
    jobs["questions"].resources["mem_mb"] += 1
    with pytest.raises(ClusterError, match=f"found nodes of {memory:,} MB"):
        cluster.begin(head)


@pytest.mark.parametrize(("of_group", "limit"), [(1230, "20:30:00"), (720, "12:00:00"), (9999, "infinite"), (9, "n/a")])
def test_a_partition_that_gives_enough_time_is_taken(slurm, head, plan, of_group, limit):
    plan(5, of_group, limit)
    cluster.begin(head)


def test_what_runs_beside_the_head_needs_no_partition(slurm, head, plan):
    for job in plan(60, 60, "30:00").values():
        job.is_local = True
    cluster.begin(head)


def test_a_run_whose_job_could_not_write_its_log_says_that_the_folder_is_not_shared(slurm, head):
    cluster.COMMANDS.mkdir()
    cluster.end(head)
    (cluster.COMMANDS / "failed").write_text("7\n8\n")
    logs = Path(".snakemake/slurm_logs/rule_respond/2026-09")
    logs.mkdir(parents=True)
    (logs / "8.log").touch()
    with pytest.raises(ClusterError, match=r"found no log of job 7 in .* file system that all nodes share"):
        cluster.end(head)
    (logs / "7.log").touch()
    cluster.end(head)


def test_other_runs_ask_no_slurm(slurm, head):
    for name, value in (("executor_plugin", SimpleNamespace(name="local")), ("is_main_process", False)):
        cluster.begin(SimpleNamespace(**vars(head) | {name: value}))
        cluster.end(SimpleNamespace(**vars(head) | {name: value}))
    assert not slurm.told


def test_jobs_of_a_killed_run_end_before_the_next_run_is_planned(slurm, head, capsys, monkeypatch):
    def start(program, words):
        slurm.told.append(" ".join(words))
        raise PlannedAgain

    monkeypatch.setattr(cluster.os, "execv", start)
    monkeypatch.setattr(cluster.sys, "orig_argv", ["python", "-m", "snakemake", "--profile", "profiles/slurm"])
    monkeypatch.setattr(head.persistence, "unlock", lambda: slurm.told.append("unlocked"))
    cluster.begin(head)
    assert not any("squeue" in told or "scancel" in told for told in slurm.told)  # there was no run before
    cluster.RUN.unlink()
    run_before("respond-own", "judge_scope-own")
    slurm.answers["squeue"] = ["7 respond-own\n8 respond-own\n"] * 100 + [""]
    with pytest.raises(PlannedAgain):
        cluster.begin(head)
    assert slurm.told[-2:] == ["unlocked", f"{sys.executable} -m snakemake --profile profiles/slurm"]
    assert not cluster.RUN.exists()
    cluster.begin(head)  # there are none any more
    assert cluster.RUN.exists()
    assert "squeue --noheader --me --name=respond-own,judge_scope-own --format=%i %j" in slurm.told
    asked = [told for told in slurm.told if told.startswith("scancel")]
    assert all(told.startswith("scancel --me --name=respond-own") for told in asked)
    assert [told.split()[-1] for told in asked] == ["--state=PENDING", "--full", "--name=respond-own"]
    assert "2 jobs of a run that was killed are still there" in capsys.readouterr().err


def test_jobs_that_never_end_are_named(slurm, head):
    run_before("respond-before")
    slurm.answers["squeue"] = ["7 respond-before\n"]
    with pytest.raises(ClusterError, match="found jobs of an earlier run, 7, that do not end"):
        cluster.begin(head)


def test_commands_that_fail_are_repeated_and_then_told(slurm, head):
    busy = RuntimeError("slurm_load_jobs error: Socket timed out")
    slurm.answers["scontrol"] = [busy, busy, CONFIGURATION.format("(null)", 300)]
    cluster.begin(head)
    slurm.answers["scontrol"] = [busy]
    with pytest.raises(ClusterError, match="slurm_load_jobs error: Socket timed out; try `sinfo`"):
        cluster.begin(head)


def test_a_run_asks_through_commands_that_bear_failures_and_takes_its_jobs_with_it_at_its_end(slurm, head):
    cluster.begin(head)
    assert slurm.told[-1] == "first: .snakemake/slurm"
    with pytest.raises(KeyboardInterrupt):  # as Ctrl-C, at which Snakemake cancels its jobs
        signal.raise_signal(signal.SIGTERM)


NAMES = ["6f1c2c4e-0a59-4c1e-9a43-0d7f3f6c1a10", "0b0e6c50-3f6d-4a0e-8a64-93f7f4f0f5c2"]


@pytest.fixture
def job():
    """One on a node, and what it may use there."""
    may_use = {}
    return SimpleNamespace(is_main_process=False, global_resources=may_use, register_resource=may_use.__setitem__)


def test_a_job_refuses_a_folder_that_is_not_the_one_of_its_run(slurm, monkeypatch, job):
    monkeypatch.setenv("SLURM_JOB_NAME", f"judge_scope-{NAMES[0]}")
    with pytest.raises(ClusterError, match=f"found run none in .*, expected {NAMES[0]}, .* file system that all nodes"):
        cluster.enter(job)
    cluster.RUN.write_text(NAMES[1])
    with pytest.raises(ClusterError, match=f"found run {NAMES[1]}"):
        cluster.enter(job)
    cluster.RUN.write_text(NAMES[0])
    cluster.enter(job)


@pytest.mark.parametrize("memory", ["4000", "0", None])
def test_a_job_uses_what_slurm_gives_it(slurm, monkeypatch, job, memory):
    cluster.RUN.write_text(NAMES[0])
    monkeypatch.setenv("SLURM_JOB_NAME", f"questions-{NAMES[0]}")
    monkeypatch.setenv("SLURM_CPUS_PER_TASK", "3")
    if memory:
        monkeypatch.setenv("SLURM_MEM_PER_NODE", memory)
    cluster.enter(job)
    assert job.global_resources["computing"] == 3 and job.global_resources["_cores"] == 4
    assert job.global_resources.get("mem_mb") == (4000 if memory == "4000" else None)


def test_jobs_of_runs_inside_of_somebodys_own_job_are_not_checked(slurm, monkeypatch, job):
    monkeypatch.setenv("SLURM_JOB_NAME", "my-night-run")
    cluster.enter(job)
    monkeypatch.setenv("SLURM_JOB_NAME", f"judge_scope-{NAMES[0]}")
    job.is_main_process = True
    cluster.enter(job)
    assert not job.global_resources
