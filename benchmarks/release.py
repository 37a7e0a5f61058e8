"""Replay releases of strangers that want something, each of which has to be refused, and an honest one, in bounded time
and memory. Verify 1,000 damaged copies of a release of the tiny pipeline, and compare it with that of another clone,
which has another folder, time zone, locale, umask and number of processors. Measure how a release of a million rows is
written, against reading, hashing and copying its tables once, and how it is verified, against reading and hashing them.
These are CPU seconds of one thread, start and imports of `verify.py` among them, and the least of several tries.

`python benchmarks/release.py PROJECT` takes a folder where the tiny pipeline has run, instead of running it in a clone.
"""

import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections import Counter
from itertools import islice
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

from common.clone import ROOT
from common.figures import figure, finish
from common.memory import peak_megabytes
from publishing import read_tables
from publishing.corruptions import Corruptions
from publishing.hostile import OUTSIDE, TRICKS
from ragassay.base import tables
from ragassay.calls.prompts import Prompt
from ragassay.release.publishing import publish
from ragassay.release.verification import checks
from ragassay.schemas.scope_questions import SELECTED_QUESTIONS
from tools import synthetic_study

DAMAGES, DOCUMENTS, TRIES, TINY, DAY = 1_000, 9_100, 5, "tests/tiny/config.yaml", "2026-11-23"
LONGEST = 30  # seconds that a hostile release may take
# A small process between: what a process that starts another has had resident counts as the other's peak.
SMALL = """import resource, subprocess, sys
status = subprocess.call(sys.argv[2:])
open(sys.argv[1], "w").write(str(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss))
sys.exit(status)"""
TIMED = Path(__file__).parent / "common/memory.py"


def damages(project: Path) -> None:
    """Each kind of damage is as frequent as the others; bytes are changed in each kind of file alike."""
    os.chdir(project)
    with tempfile.TemporaryDirectory(prefix="ragassay-bench-") as folder:
        place = publish(f"bench-{os.getpid()}", [TINY], DAY)
        moved = Path(folder, "release")
        subprocess.run(["mv", str(place), str(moved)], check=True)
        found, seen = Counter(), Counter()
        for kind, file, was_found in islice(Corruptions(moved).one_of_each(), DAMAGES):
            seen[kind] += 1
            found[kind] += was_found
            if not was_found:
                sys.stderr.write(f"not found: {kind} in {file}\n")
        for kind in seen:
            figure(f"release_{kind}_found", found[kind] / seen[kind], "share", ">= 1")
        problems = len(list(checks.problems(moved)))
        figure("release_untouched_problems", problems, "problems", "<= 0")


def hostile(project: Path) -> None:
    """Replay each trick, with a key in the environment; what lies in the project is compared before and after."""
    with tempfile.TemporaryDirectory(prefix="ragassay-bench-") as folder:
        os.chdir(project)
        honest = Path(shutil.move(publish(f"bench-{os.getpid()}", [TINY], DAY), Path(folder, "honest")))
        counts, slowest, highest = Counter(), 0.0, 0.0
        for name, trick in {**TRICKS, "": lambda _: None}.items():
            copy = Path(shutil.copytree(honest, Path(folder, "release"), symlinks=True))
            trick(copy)
            before = _files(project)
            status, seconds, megabytes, said = _replayed(copy, project, signed=name == "a forged checker")
            outside = [path for path in (OUTSIDE, f"{OUTSIDE}.parquet") if os.path.lexists(path)]
            refused = status == 1 and len(said) == 1 and said[0].isprintable()
            if name and (not refused or outside or before != _files(project) or seconds > LONGEST):
                sys.stderr.write(f"{name}: {status}, {seconds:.0f} s, {megabytes:.0f} MB, {said[-3:]}\n")
            if name:
                counts["refused"] += refused
                counts["outside"] += bool(outside) or before != _files(project)
                counts["ran"] += Path(f"{OUTSIDE}-ran").exists() or any("canary" in line for line in said)
                counts["hung"] += seconds > LONGEST
                slowest, highest = max(slowest, seconds), max(highest, megabytes)
            else:
                counts["honest"] = status == 0 and "files came out byte for byte" in said[-1]
            shutil.rmtree(copy)
        figure("release_hostile", len(TRICKS), "releases", ">= 60")
        figure("release_hostile_refused_in_a_line", counts["refused"], "releases", f">= {len(TRICKS)}")
        figure("release_hostile_written_outside", counts["outside"], "releases", "<= 0")
        figure("release_hostile_code_run", counts["ran"], "releases", "<= 0")
        figure("release_hostile_hangs", counts["hung"], "releases", "<= 0")
        figure("release_hostile_slowest", slowest, "s", f"<= {LONGEST}")
        figure("release_hostile_memory", highest, "MB", "<= 1000")
        figure("release_honest_replayed", int(counts["honest"]), "releases", ">= 1")


def _files(project):
    """What lies in a project, with times and sizes."""
    found = (Path(place, name) for place, _, names in os.walk(project) for name in names if "/.snakemake" not in place)
    return {str(path): (path.lstat().st_mtime_ns, path.lstat().st_size) for path in found}


def _replayed(release, project, signed):
    """Status, seconds, megabytes at the peak, and what was printed; where it has to be `signed`, by a key of nobody."""
    start = time.perf_counter()
    with tempfile.TemporaryFile("w+") as said:
        environment = os.environ | {"OPENAI_API_KEY": "canary", "PYTHONPATH": str(project / "workflow")}
        command = [sys.executable, "-m", "ragassay.release", "replay", str(release)]
        command += ["--signers", os.devnull] * signed
        peak = release.parent / "peak"
        command = [sys.executable, "-c", SMALL, str(peak), *command]
        done = subprocess.run(command, cwd=project, env=environment, stdout=said, stderr=subprocess.STDOUT)
        said.seek(0)
        lines = said.read().splitlines()
    return done.returncode, time.perf_counter() - start, int(peak.read_text()) / 1024, lines


def large(folder: Path) -> int:
    """A project with a million rows in its results."""
    folder.mkdir()
    for name in ("config", "resources"):
        (folder / name).symlink_to(ROOT / name)
    synthetic_study.write(DOCUMENTS, folder / "made")
    digest, rows = Prompt.load(ROOT / "resources/prompts/extract_claims.yaml").digest, 0
    for table in (*synthetic_study.TABLES, SELECTED_QUESTIONS):
        for shard in synthetic_study.shards(DOCUMENTS) if "{shard}" in table.path else [""]:
            found = pq.read_table(synthetic_study.place(folder / "made", table, shard), partitioning=None)
            if "prompt" in found.column_names:
                at = found.column_names.index("prompt")
                found = found.set_column(at, found.schema.field(at), pa.repeat(pa.scalar(digest), found.num_rows))
            keys = dict.fromkeys(tables.key_names(table), "careful") | {"shard": shard}
            tables.write(table, folder / "results" / f"{table.path.format(**keys)}.parquet", found)
            rows += found.num_rows
    return rows


def measure(task: str, project: str, release: str) -> None:
    """In a child: do one task and print its CPU seconds and the peak megabytes."""
    os.chdir(project)
    start = time.process_time()
    if task == "write":
        publish(Path(release).name, [], DAY, planned=lambda _: sorted(Path("results").rglob("*.parquet")))
    elif task == "copy":
        shutil.copytree(Path(release, "tables"), f"copies/{os.getpid()}")
    else:
        read_tables.read(Path(release))
    sys.stdout.write(json.dumps([time.process_time() - start, peak_megabytes()]) + "\n")


def times() -> None:
    """Tasks take turns, so that other work on the machine meets all alike."""
    with tempfile.TemporaryDirectory(prefix="ragassay-bench-") as folder:
        project, best = Path(folder, "project"), {}
        rows = large(project)
        for number in range(TRIES):
            release = project / f"releases/{number}"
            programs = {task: [__file__, task, str(project), str(release)] for task in ("write", "copy", "read")}
            programs["verify"] = [str(TIMED), str(release / "verify.py")]
            programs["read as a program"] = [str(TIMED), read_tables.__file__, str(release)]
            for task, program in programs.items():
                one_thread = os.environ | {"OMP_NUM_THREADS": "1", "ARROW_IO_THREADS": "1"}
                done = subprocess.run([sys.executable, *program], env=one_thread, check=True, stdout=subprocess.PIPE)
                *told, measured = done.stdout.decode().splitlines()
                assert task != "verify" or told[-1].endswith("all as released"), told
                best[task] = min(best.get(task, [1e9]), json.loads(measured))
    seconds = {task: measured[0] for task, measured in best.items()}
    figure("release_rows", rows, "rows", ">= 1000000")
    for task, limit, times_as_long in (
        ("write", seconds["read"] + seconds["copy"], 4),
        ("verify", seconds["read as a program"], 3),
    ):
        figure(f"release_{task}_against_reading", seconds[task], "s", f"<= {times_as_long * limit:.4g}", limit)
        figure(f"release_{task}_memory", best[task][1], "MB", "<= 1000")


def elsewhere(project: Path, folder: Path) -> None:
    """The same plan in another clone gives the same release. Both run at once."""
    strange = {"TZ": "Pacific/Kiritimati", "LC_ALL": "C"}
    clone = folder / "another/folder"
    runs = [running(clone, strange, cores=1, umask=0o077)]
    runs += [] if project.exists() else [running(project, {}, cores=2, umask=0o022)]
    if any(run.wait() for run in runs):
        sys.exit("release: the tiny pipeline stopped; see above")
    release(clone, strange, umask=0o077)
    release(project, {}, umask=0o022)
    sums = [(place / f"releases/{os.getpid()}/SHA256SUMS").read_text().splitlines() for place in (project, clone)]
    others = sorted({line.split()[1] for line in set(sums[0]) ^ set(sums[1])})
    sys.stderr.writelines(f"other bytes: {name}\n" for name in others)
    figure("release_files_elsewhere", len(sums[0]), "files", ">= 1")
    figure("release_files_other_elsewhere", len(others), "files", "<= 0")


def running(folder: Path, environment: dict, cores: int, umask: int) -> subprocess.Popen:
    """The tiny pipeline, started in a clone."""
    subprocess.run(["git", "clone", "--quiet", str(ROOT), str(folder)], check=True, umask=umask)
    command = [sys.executable, "-m", "snakemake", "--quiet", "rules", "--configfile", TINY, "--cores", str(cores)]
    return subprocess.Popen(command, cwd=folder, env=os.environ | environment, umask=umask)


def release(project: Path, environment: dict, umask: int) -> None:
    command = [sys.executable, "-m", "ragassay.release", "publish", str(os.getpid())]
    command += ["--yes", "--date", DAY, "--configfile", TINY]
    environment = os.environ | environment | {"PYTHONPATH": str(project / "workflow")}
    subprocess.run(command, cwd=project, env=environment, umask=umask, check=True, stdout=subprocess.DEVNULL)


def main() -> None:
    times()
    with tempfile.TemporaryDirectory(prefix="ragassay-bench-") as folder:
        project = Path(sys.argv[1]).resolve() if len(sys.argv) > 1 else Path(folder, "clone")
        elsewhere(project, Path(folder))
        hostile(project)
        damages(project)
    finish()


if __name__ == "__main__":
    if len(sys.argv) == 4:
        measure(*sys.argv[1:])
    else:
        main()
