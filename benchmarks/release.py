"""Verify 1,000 damaged copies of a release of the tiny pipeline, and compare it with that of another clone, which has
another folder, time zone, locale, umask and number of processors. Time how a release of a million rows is written,
against copying its files, and how it is verified, against reading them with pyarrow and hashing them.

`python benchmarks/release.py PROJECT` takes a folder where the tiny pipeline has run, instead of running it in a clone.
"""

import hashlib
import json
import os
import subprocess
import sys
import tempfile
import time
from collections import Counter
from itertools import islice
from pathlib import Path

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from common.clone import ROOT
from common.figures import figure, finish
from common.memory import peak_megabytes

sys.path.insert(0, str(ROOT / "workflow"))

from corpora.large_study import TABLES, write_study
from publishing.corruptions import Corruptions
from ragassay import tables
from ragassay.llm.prompts import Prompt
from ragassay.release.publishing import publish
from ragassay.release.verification import checks
from ragassay.results import all_tables

DAMAGES, DOCUMENTS, TRIES, TINY, DAY = 1_000, 7_100, 3, "tests/tiny/config.yaml", "2026-11-23"


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


def large(folder: Path) -> int:
    """A project with a million rows in its results."""
    (folder / "results").mkdir(parents=True)
    for name in ("config", "resources"):
        (folder / name).symlink_to(ROOT / name)
    declared, rows = all_tables(), 0
    write_study(folder / "made", DOCUMENTS)
    digest = Prompt.load(ROOT / "resources/prompts/extract_claims.yaml").digest
    for name in TABLES:
        table = declared[name]
        names = {key: "s" if key == "shard" else "embedded" for key in tables.key_names(table)}
        found = pq.read_table(folder / "made" / f"{name}.parquet", partitioning=None)
        rows += found.num_rows
        if "prompt" in found.column_names:
            at = found.column_names.index("prompt")
            found = found.set_column(at, found.schema.field(at), pa.repeat(pa.scalar(digest), found.num_rows))
        if name == "documents":
            at = found.column_names.index("cluster_id")
            clusters = pc.binary_join_element_wise("cluster", found["doc_id"], "-")
            found = found.set_column(at, found.schema.field(at), clusters)
        tables.write(table, folder / "results" / f"{table.path.format(**names)}.parquet", found)
    return rows


def measure(task: str, project: str, release: str) -> None:
    """In a child: do one task and print seconds and peak megabytes."""
    os.chdir(project)
    files = sorted(Path(release, "tables").rglob("*.parquet"))
    start = time.perf_counter()
    if task == "write":
        publish(Path(release).name, [], DAY)
    elif task == "copy":
        for number, path in enumerate(files):
            with Path("copies", str(number)).open("wb") as target:
                target.write(path.read_bytes())
                os.fsync(target.fileno())
    elif task == "rewrite":
        for number, path in enumerate(files):
            pq.write_table(pq.read_table(path, partitioning=None), f"copies/{number}", **tables.OPTIONS)
    elif task == "read":
        for path in files:
            hashlib.sha256(path.read_bytes()).hexdigest()
            for _ in pq.ParquetFile(path).iter_batches():
                pass
    else:
        assert not list(checks.problems(Path(release)))
    sys.stdout.write(json.dumps([time.perf_counter() - start, peak_megabytes()]) + "\n")


def times() -> None:
    with tempfile.TemporaryDirectory(prefix="ragassay-bench-") as folder:
        project = Path(folder, "project")
        rows = large(project)
        (project / "copies").mkdir()
        best = {}
        for number in range(TRIES):
            for task in ("write", "copy", "rewrite", "read", "verify"):
                command = [sys.executable, __file__, task, str(project), str(project / f"releases/{number}")]
                done = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True)
                best[task] = min(best.get(task, [1e9]), json.loads(done.stdout))
    figure("release_rows", rows, "rows", ">= 1000000")
    figure("release_write_against_pyarrow", best["write"][0], "s", limit=best["rewrite"][0])
    figure("release_write_against_read_and_copy", best["write"][0], "s", limit=best["read"][0] + best["copy"][0])
    for task, bare, times_as_long in (("write", "copy", 4), ("verify", "read", 3)):
        seconds, limit = best[task][0], best[bare][0]
        figure(f"release_{task}_against_{bare}", seconds, "s", f"<= {times_as_long * limit:.4g}", limit)
        figure(f"release_{task}_memory", best[task][1], "MB", "<= 1000")


def elsewhere(project: Path, folder: Path) -> None:
    """The same plan in another clone gives the same release."""
    strange = {"TZ": "Pacific/Kiritimati", "LC_ALL": "C"}
    before = os.umask(0o077)
    try:
        clone = finished(folder / "another/folder", strange, cores="1")
        release(clone, strange)
    finally:
        os.umask(before)
    release(project, {})
    sums = [(place / f"releases/{os.getpid()}/SHA256SUMS").read_text().splitlines() for place in (project, clone)]
    others = sorted({line.split()[1] for line in set(sums[0]) ^ set(sums[1])})
    sys.stderr.writelines(f"other bytes: {name}\n" for name in others)
    figure("release_files_elsewhere", len(sums[0]), "files", ">= 1")
    figure("release_files_other_elsewhere", len(others), "files", "<= 0")


def finished(folder: Path, environment: dict, cores: str) -> Path:
    """A clone in which the tiny pipeline has run."""
    subprocess.run(["git", "clone", "--quiet", str(ROOT), str(folder)], check=True)
    command = [sys.executable, "-m", "snakemake", "--quiet", "rules", "--configfile", TINY, "--cores", cores]
    subprocess.run(command, cwd=folder, env=os.environ | environment, check=True)
    return folder


def release(project: Path, environment: dict) -> None:
    command = [sys.executable, "-m", "ragassay.release", "publish", str(os.getpid())]
    command += ["--configfile", TINY, "--date", DAY]
    environment = os.environ | environment | {"PYTHONPATH": str(project / "workflow")}
    subprocess.run(command, cwd=project, env=environment, check=True, stdout=subprocess.DEVNULL)


def main() -> None:
    start = time.perf_counter()
    times()
    with tempfile.TemporaryDirectory(prefix="ragassay-bench-") as folder:
        project = Path(sys.argv[1]) if len(sys.argv) > 1 else finished(Path(folder, "clone"), {}, cores="all")
        elsewhere(project, Path(folder))
        damages(project)
    figure("release_benchmark", (time.perf_counter() - start) / 60, "min")
    finish()


if __name__ == "__main__":
    if len(sys.argv) == 4:
        measure(*sys.argv[1:])
    else:
        main()
