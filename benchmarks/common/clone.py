"""The workflow itself in a clone, so that neither the project nor its results change."""

import contextlib
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

from common.figures import ROOT

OF_MAKE = ("PYTHONPATH", "MAKEFLAGS", "MAKELEVEL")  # what commands of a user do not inherit
DATA = (ROOT / "../shared/data").resolve()  # of others, beside the project
PUBLISHED = {"nq_targets": "poison_targets/poisonedrag_nq", "realtimeqa_targets": "realtimeqa/queries"}
PUBLISHED |= {
    name: f"relevance/{name}"
    for name in ("corpus_pubmed", "queries_pubmedqa", "queries_bioasq_yn", "queries_mmlu_med", "queries_truthfulqa")
}
PASSAGES = {"nq_passages": "wikipedia_passages/nq", "realtimeqa_passages": "realtimeqa/passages"}


@contextlib.contextmanager
def cloned() -> Iterator[Path]:
    """A clone of what is committed, beside the same data of others; it goes with the block."""
    with tempfile.TemporaryDirectory(prefix="ragassay-bench-") as folder:
        clone = Path(folder, "clone")
        subprocess.run(["git", "clone", "--quiet", str(ROOT), str(clone)], check=True)
        Path(folder, "shared").symlink_to(ROOT.parent / "shared")
        yield clone


def timed(folder: Path, *command, **more) -> tuple[float, str]:
    """Seconds that a command takes, and what it prints; `more` is for its environment."""
    words = [*map(str, command)]
    environment = {name: value for name, value in os.environ.items() if name not in OF_MAKE} | more
    pipes, begin = {"stdout": subprocess.PIPE, "stderr": subprocess.STDOUT}, time.perf_counter()
    done = subprocess.run(words, cwd=folder, env=environment, text=True, **pipes)
    if done.returncode:
        sys.exit(f"{' '.join(words)} failed:\n{done.stdout[-3000:]}")
    return time.perf_counter() - begin, done.stdout


def with_published_data(clone: Path) -> None:
    """Put the files there that config/published.yaml reads."""
    folder = clone / "data/published"
    folder.mkdir(parents=True)
    for name, source in PUBLISHED.items():
        pq.write_table(pq.read_table(DATA / f"{source}.parquet"), folder / f"{name}.parquet")
    for name, source in PASSAGES.items():
        texts = pq.read_table(DATA / f"{source}.parquet", columns=["text"])["text"].to_pylist()
        pq.write_table(pa.table({"text": [text for text in texts if text.strip()]}), folder / f"{name}.parquet")


def snakemake(clone: Path, *words, **more) -> subprocess.CompletedProcess:
    """Run it there; `more` is for the process."""
    return subprocess.run(
        [sys.executable, "-m", "snakemake", *words, "--quiet", "rules"], cwd=clone, check=True, **more
    )
