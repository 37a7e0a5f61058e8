"""What `ragassay doctor --slurm` adds: whether this Slurm, this folder and the memory that rules ask for fit together.
Measured is what `logs/` keeps of the jobs that ran here, on this machine or on a node."""

import fcntl
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

from ragassay.base.errors import json_of
from ragassay.running import cluster, rule_resources

Row = tuple[str, str, str, bool]  # name, value, remark, whether a run is impossible like this

HERE = {"btrfs", "ext2/ext3", "overlayfs", "ramfs", "tmpfs", "xfs", "zfs"}  # what `stat` calls disks of one machine
NEAR = 0.8  # of the memory that a rule asks for
ROOM = 1.5  # times the memory that was measured
SHOWN = 5  # rules
HELD = 3  # how the second process ends if it did not get the lock
LOCK = f"""
import fcntl, sys
try:
    fcntl.flock(open(sys.argv[1]), fcntl.LOCK_EX | fcntl.LOCK_NB)
except BlockingIOError:
    sys.exit({HELD})
"""


def report_rows() -> Iterator[Row]:
    partitions = cluster.partitions()
    measured = sorted(_measured(), key=lambda rule: (-rule["share"], rule["name"]))
    longest = max(((rule["minutes"], "that a rule asks for") for rule in measured), default=(0, ""))
    for group, minutes in rule_resources.minutes_of_groups().items():
        longest = max(longest, (minutes, f"that the group {group} asks for if it runs all its rules"))
    for name, sizes in partitions.items():
        for nodes in sizes:
            yield f"partition {name}", *_partition(nodes, *longest), False
    yield from _remembering()
    yield from _folder()
    largest = cluster.most_memory([nodes for sizes in partitions.values() for nodes in sizes]) if partitions else 0
    for rule in measured[:SHOWN]:
        yield _memory(rule, largest)
    if not measured:
        yield (
            "memory",
            "not measured",
            "run the demo or a small shard first: its jobs leave their peaks in logs/",
            False,
        )


def _partition(nodes, minutes, of):
    """What it gives, and what speaks against it."""
    remarks = []
    if nodes.out_of_use:
        remarks.append(f"{nodes.out_of_use} of them drained or down")
    if cluster.minutes_of(nodes.limit) < minutes:
        remarks.append(f"less than the {minutes:,} minutes {of}")
    number = nodes.in_use + nodes.out_of_use
    value = f"{number} node{'s' * (number != 1)} of {nodes.memory:,} MB, at most {nodes.limit} a job"
    return value, "; ".join(remarks)


def _remembering():
    running = cluster.configuration()
    age, problem = running["MinJobAge"], None
    try:
        asked = cluster.asked_for_states(running)
    except cluster.ClusterError as error:
        asked, problem = "no command", str(error)
    yield "ended jobs", f"{asked} says how they ended; MinJobAge is {age}", problem or "", bool(problem)


def _folder():
    kind = subprocess.run(["stat", "-f", "-c", "%T", "."], capture_output=True, text=True).stdout.strip()
    alone = "a disk of this machine: nodes elsewhere do not see it" if kind in HERE else ""
    yield "folder", f"{Path.cwd()}, {kind or 'of an unknown kind'}", alone, False
    try:
        with tempfile.NamedTemporaryFile(dir=".", prefix=".lock-") as file:
            fcntl.flock(file, fcntl.LOCK_EX)
            holds = subprocess.run([sys.executable, "-c", LOCK, file.name], capture_output=True).returncode == HELD
        problem = "" if holds else "two processes held one lock"
    except OSError as error:
        problem = str(error)
    remark = f"{problem}: calls would be paid twice; mount the folder with locks (flock)" if problem else ""
    yield "locks", "do not hold" if problem else "hold between processes of this node", remark, bool(problem)


def _measured():
    """The job of each rule that came nearest to the memory it asked for."""
    nearest = {}
    for file in Path("logs").rglob("*.benchmark.jsonl"):
        for line in file.read_text().splitlines():
            job = json_of(line, {})  # the line of a job that was killed may be cut off
            if isinstance(job.get("max_rss"), float | int) and "resources" in job:  # a job of a moment has no peak
                asked = job["resources"]["mem_mb"]
                rule = {
                    "name": job["rule_name"],
                    "peak": job["max_rss"],
                    "asked": asked,
                    "share": job["max_rss"] / asked,
                    "minutes": job["resources"]["runtime"],
                    "inputs": sum(job["input_size_mb"].values()),
                }
                nearest[rule["name"]] = max(nearest.get(rule["name"], rule), rule, key=lambda each: each["share"])
    return nearest.values()


def _memory(rule, largest):
    value = f"{rule['peak']:,.0f} of {rule['asked']:,} MB, with {rule['inputs']:,.1f} MB of inputs"
    more = -(-ROOM * rule["peak"] // 100) * 100
    remark = f"--set-resources {rule['name']}:mem_mb={more:.0f}" if rule["share"] > NEAR else ""
    impossible = 0 < largest < rule["asked"]
    return f"memory of {rule['name']}", value, "no node in use has as much" if impossible else remark, impossible
