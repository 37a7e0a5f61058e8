"""What happens to runs on a cluster. Each function lets it happen to a project, and returns how its last run ended."""

import json
import os
import re
import signal
import time
from pathlib import Path

from clusters.project import CLAIMS, DOCUMENTS, PATIENCE, SHARDS, Project

EMBEDDED = ("results/neighbours/documents/minilm/questions.parquet",)
HISTORY = ("squeue", "-h", "--states=all", "-O", "Name:160,NodeList:10,tres-per-job:20")
READY = ("results/passages/documents.parquet", "results/queries/questions.parquet")  # what is embedded


def plain(project):
    """Nothing happens."""
    return project.run(*CLAIMS)


def killed_job(project):
    """Jobs are killed in mid-call; the run says so, and the next one goes on."""
    head = in_mid_call(project)
    project.slurm.command("scancel", "--me", "--state=RUNNING", "--signal=KILL", "--full")
    assert head.wait(PATIENCE), "a run whose jobs were killed says that all is well"
    return project.run(*CLAIMS)


def killed_head(project):
    """The head is killed with -9 while jobs are in mid-call, and started again."""
    head = in_mid_call(project)
    os.kill(head.pid, signal.SIGKILL)
    head.wait()
    return project.run(*CLAIMS)


def change_after_killed_head(project):
    """The head is killed with -9 and its jobs end by themselves; a setting that changes later reaches both shards."""
    head = in_mid_call(project)
    os.kill(head.pid, signal.SIGKILL)
    head.wait()
    project.wait_for_jobs(running=False)
    status = project.run(*CLAIMS)
    assert planned_with(project, "recovery") == {"recover_claims": 2}
    return status


def killed_group(project):
    """Jobs are cancelled at the second rule of their group: what the first one made stays, with its record."""
    head = project.start(*CLAIMS)
    begun = [Path(project.folder, "logs/recover_claims/remote", f"{shard}.log") for shard in SHARDS]
    project.wait_until(lambda: all(log.exists() for log in begun), "both groups are at their second rule")
    project.slurm.command("scancel", "--me")
    assert head.wait(PATIENCE), "a run whose jobs were cancelled says that all is well"
    shown = project.told.partition("2 jobs failed:\n")[2].partition("Correct the cause")[0]
    assert shown.count("\n") <= 4 and "CANCELLED" in shown, f"one cause is not a few lines: {shown}"
    logs = Path(project.folder).glob(".snakemake/slurm_logs/**/*.log")
    assert [log.read_text().count("SNAKEMAKE") for log in logs] == [1, 1], "a submission starts Snakemake once"
    assert planned(project) == {"recover_claims": 2}
    status = project.run(*CLAIMS)
    assert planned_with(project, "claims") == {"extract_claims": 2, "recover_claims": 2}
    return status


def ended_head(project):
    """The head is asked to end; its jobs end with it."""
    head = in_mid_call(project)
    os.kill(head.pid, signal.SIGTERM)
    head.wait(PATIENCE)
    project.wait_for_jobs(running=False)
    return project.run(*CLAIMS)


def killed_node(project):
    """A node with a job dies and comes back later."""
    head = in_mid_call(project)
    job = project.slurm.running()[0]
    node = project.slurm.command("squeue", "-h", "-o", "%N", "-j", job).strip()
    project.slurm.kill_node(node)
    failed = head.wait(PATIENCE)
    project.slurm.start_node(node)
    return project.run(*CLAIMS) if failed else failed


def restarted_controller(project):
    """The controller is killed while jobs are in mid-call, and comes back."""
    head = in_mid_call(project)
    project.slurm.kill("slurmctld")
    time.sleep(10)
    project.slurm.start_controller()
    return head.wait(PATIENCE)


def requeued(project):
    """Slurm may start jobs again by itself, and does so in mid-call."""
    allow_requeue(project)
    head = in_mid_call(project)
    for job in project.slurm.running():
        project.slurm.command("scontrol", "requeue", job)
    return head.wait(PATIENCE)


def preempted(project):
    """Jobs that matter more take both nodes for a while, and Slurm starts ours again."""
    allow_requeue(project)
    head = in_mid_call(project)
    urgent(project)
    return head.wait(PATIENCE)


def preempted_for_good(project):
    """The same where jobs are not started again: the run ends and says so, and the next one goes on."""
    be_impatient(project)
    head = in_mid_call(project)
    urgent(project)
    assert head.wait(PATIENCE), "a run whose jobs were preempted says that all is well"
    return project.run(*CLAIMS)


def two_heads(project):
    """A second head is refused while the first one runs."""
    head = in_mid_call(project)
    assert project.run(*CLAIMS), "two runs in one folder at once"
    return head.wait(PATIENCE)


def failing_commands(project):
    """Three of ten scheduler commands fail."""
    with project.slurm.faults(percent=30):
        return project.run(*CLAIMS)


def unknown_state(project):
    """Slurm says UNKNOWN of every job; the run ends without taking that for done, and the next one goes on."""
    return unclear(project, r"s/(PENDING|RUNNING|COMPLETING|COMPLETED)$/UNKNOWN/")


def forgotten_job(project):
    """Nobody knows the jobs any more."""
    return unclear(project, r"/^[0-9]+\|(PENDING|RUNNING|COMPLETING|COMPLETED)$/d")


def both_nodes_embed(project):
    """Two projects share the vectors of one encoder, and embed the same corpus on two nodes at once: one on the node
    with the GPU, which it asks for.
    """
    beside = Project(project.folder.with_name("beside"), project.slurm, like=project.folder)
    vectors = project.folder.with_name("vectors")
    vectors.mkdir()
    for one in (project, beside):
        (one.folder / "embeddings").symlink_to(vectors)
    heads = [
        project.start(*EMBEDDED, "--set-resources", "embed_passages:gpu=1"),
        beside.start(*EMBEDDED, "--set-resources", "embed_passages:slurm_extra='--nodelist=n2'"),
    ]
    project.heads += beside.heads
    ended = [head.wait(PATIENCE) for head in heads]
    assert beside.tables() == project.tables(), "two projects found different neighbours"
    jobs = [line.split() for line in project.slurm.command(*HISTORY).splitlines()]
    nodes = [where for name, *where in jobs if name.startswith("embed_passages-")]
    assert sorted(nodes) == [["n1", "gres:gpu:1"], ["n2", "N/A"]], nodes
    return max(ended)


def restarted_accounting(project):
    """The accounting dies while jobs are in mid-call, and comes back after they have ended."""
    head = in_mid_call(project)
    project.slurm.kill("slurmdbd")
    project.wait_for_jobs(running=False)
    time.sleep(10)
    project.slurm.start_accounting()
    return head.wait(PATIENCE)


SCENARIOS = [plain, killed_job, killed_group, killed_head, change_after_killed_head, ended_head, killed_node]
SCENARIOS += [
    restarted_controller,
    requeued,
    preempted,
    preempted_for_good,
    two_heads,
    failing_commands,
    unknown_state,
    forgotten_job,
    both_nodes_embed,
]
ACCOUNTED = [plain, killed_job, requeued, restarted_accounting]
TARGETS = {both_nodes_embed: EMBEDDED}  # of others: CLAIMS
BEFORE = {CLAIMS: DOCUMENTS, EMBEDDED: READY}  # targets -> what is there before they are asked for


def planned(project):
    """Rule -> the number of its jobs in a plan."""
    before = len(project.told)
    assert not project.run("--dry-run", *CLAIMS), project.told
    counts = {rule: int(count) for rule, count in re.findall(r"^(\w+) +(\d+)$", project.told[before:], re.MULTILINE)}
    counts.pop("total", None)
    return counts


def planned_with(project, stage):
    """The same after a change of how a stage asks."""
    changed = {"scope": {stage: {"sampling": {"temperature": 0.1}}}}
    Path(project.folder, "changed.json").write_text(json.dumps(changed))
    project.settings.append("changed.json")
    return planned(project)


def in_mid_call(project):
    """A run whose jobs have asked something, and wait for more."""
    head = project.start(*CLAIMS)
    project.wait_for_calls(3, head)
    return head


def allow_requeue(project):
    edit(project, "profiles/slurm/profile.yaml", "slurm-no-requeue: true", "slurm-requeue: true")


def be_impatient(project):
    """A state that is unclear counts as failed after seconds and not after minutes."""
    edit(project, "workflow/ragassay/running/scheduler_commands.py", r"^UNCLEAR = \d+", "UNCLEAR = 10")


def edit(project, name, pattern, text):
    path = Path(project.folder, name)
    changed, times = re.subn(pattern, text, path.read_text(), flags=re.MULTILINE)
    assert times == 1, f"{path}: found {pattern!r} {times} times"
    path.write_text(changed)


def urgent(project):
    """Jobs of a partition that preempts ours, on all processors of both nodes."""
    take = ("--wrap=sleep 5", "--exclusive", "--output=/dev/null", "--job-name=urgent")
    for _ in range(2):
        project.slurm.command("sbatch", "-p", "urgent", *take)


def unclear(project, sed):
    be_impatient(project)
    head = in_mid_call(project)
    with project.slurm.faults(edit=sed):
        assert head.wait(PATIENCE), "a run that knows nothing of its jobs says that all is well"
    return project.run(*CLAIMS)
