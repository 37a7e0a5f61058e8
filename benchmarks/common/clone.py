"""The workflow itself in a clone, so that neither the project nor its results change."""

import contextlib
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

ROOT = Path(__file__).resolve().parents[2]
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
