"""Gathers measured, each in a process of its own that ends when it takes more memory than a job may have.

What a gather reads is noted on the way: then only these columns are read once more and dropped, by Arrow. No gather can
do with less.
"""

import json
import time
from collections import defaultdict
from pathlib import Path
from tempfile import TemporaryDirectory

import pyarrow.parquet as pq

from common.figures import count, figure
from common.memory import peak_megabytes, task
from ragassay.base import tables
from scaling.gathers import NAMES, Gathers
from tools import synthetic_study

SMALL, LARGE, MILLION = 10_000, 50_000, 1_000_000
LIMIT = 8192  # megabytes of the largest job in profiles/


def gather(name: str, folder: str, documents: str, reads: str) -> dict:
    """A task: what a gather took, and into the file `reads` what it read."""
    read, names_of = defaultdict(set), tables._names

    def noted(table, path, columns):
        names = names_of(table, path, columns)
        read[str(path)].update(names)
        return names

    tables._names = noted
    with TemporaryDirectory() as out:
        start = time.process_time()
        getattr(Gathers(Path(folder), int(documents), Path(out)), name)()
        taken = {"seconds": time.process_time() - start, "megabytes": peak_megabytes()}
    files = {path: sorted(names) for path, names in read.items() if path.startswith(folder)}
    Path(reads).write_text(json.dumps(files))
    return taken


def columns(reads: str) -> float:
    """A task: processor seconds that it takes to read the columns of a gather once, on one thread."""
    files = json.loads(Path(reads).read_text())
    start = time.process_time()
    for path, names in files.items():
        for _ in pq.ParquetFile(path).iter_batches(columns=names, use_threads=False):
            pass
    return time.process_time() - start


TASKS = {"gather": gather, "columns": columns}


def growth() -> None:
    """Memory and time of a document in each gather, and what it takes beside: from two sizes of a study."""
    with TemporaryDirectory() as folder:
        for documents in (SMALL, LARGE):
            synthetic_study.write(documents, Path(folder) / str(documents))
        over_two(Path(folder))


def over_two(folder: Path, names=NAMES) -> None:
    for name in names:
        small, large = (_of(name, folder / str(size), size) for size in (SMALL, LARGE))
        if None in (small, large):
            count(f"{name}_breaks_at", SMALL if small is None else LARGE, "documents")
            continue
        each = max(0.0, (large["megabytes"] - small["megabytes"]) * 2**20 / (LARGE - SMALL))
        count(f"{name}_bytes", each, "bytes_a_document")
        count(f"{name}_base", small["megabytes"] - each * SMALL / 2**20, "MB")
        count(f"{name}_time", 1000 * (large["seconds"] - small["seconds"]) / (LARGE - SMALL), "cpu_ms_a_document")
        count(f"{name}_columns_by_arrow", 1000 * large["arrow"] / LARGE, "cpu_ms_a_document")


def million() -> None:
    """A study of a million documents, and each gather that can do it in the largest job."""
    with TemporaryDirectory() as folder:
        start = time.monotonic()
        synthetic_study.write(MILLION, folder, processes=2)
        count("million_written", time.monotonic() - start, "s")
        sizes = [file.stat().st_size for file in Path(folder).rglob("*.parquet")]
        count("million_bytes", sum(sizes) / 1e9, "GB")
        over_million(Path(folder))


def over_million(folder: Path, names=NAMES) -> None:
    for name in names:
        taken = _of(name, folder, MILLION)
        if taken is None:
            count(f"{name}_million_breaks_at", LIMIT, "MB")
            continue
        figure(f"{name}_million", taken["megabytes"], "MB", "<= 2048")
        figure(f"{name}_million_time", taken["seconds"], "cpu_s", f"<= {1.5 * taken['arrow']:.4g}", taken["arrow"])


def _of(name, folder, documents):
    with TemporaryDirectory() as scratch:
        reads = Path(scratch) / "reads.json"
        taken = task("gather", name, folder, documents, reads, most=LIMIT)
        if taken:
            taken["arrow"] = task("columns", reads, most=LIMIT)
    return taken
