"""Time the search for near-duplicates, and count what it finds among labelled copies (see corpora/labelled_copies.py).

A hundred thousand articles, alone and after a million of earlier shards, each in a process of its own so that its peak
memory is its own. The limit is hashing alone: reading the texts and taking their signatures.
"""

import hashlib
import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
import pyarrow as pa

from common.figures import figure, finish
from common.memory import peak_megabytes
from corpora.labelled_copies import labelled, pairs

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "workflow"))

from ragassay.base import tables
from ragassay.schemas.documents import ARTICLES, CLUSTERS
from ragassay.text.signatures import WIDTH, signatures
from scripts.documents.find_duplicates import find_duplicates

ARTICLES_IN_SHARD, EARLIER_SHARDS = 100_000, 10
SETTINGS = {"similarity": 0.6, "cut_after_words": 300}


def write_articles(path: Path) -> None:
    """Articles whose id begins with their label, in an order that has nothing to do with it."""
    with tables.Writer(ARTICLES, path) as writer:
        for number, (label, text) in enumerate(labelled(ARTICLES_IN_SHARD, seed=1)):
            digest = hashlib.sha256(text.encode()).hexdigest()
            row = {column.name: None if column.null else filling(column.type) for column in ARTICLES.columns}
            name = f"{hashlib.sha256(str(number).encode()).hexdigest()[:16]}-{label}"
            writer.add(row | {"article_id": name, "text": text, "content_hash": digest})


def filling(kind: pa.DataType):
    """Something for a column that does not matter here."""
    if pa.types.is_list(kind):
        return []
    return "" if pa.types.is_string(kind) else pa.scalar(0).cast(kind).as_py()


def write_earlier(folder: Path) -> list[str]:
    """Shards of articles that are like nothing else, in the size that they have."""
    picker, paths = np.random.default_rng(2), []
    for shard in range(EARLIER_SHARDS):
        ids = [f"{shard}-{number:06}" for number in range(ARTICLES_IN_SHARD)]
        columns = {
            "article_id": ids,
            "cluster_id": [f"cluster-{name}" for name in ids],
            "representative": [True] * len(ids),
            "signature": [picker.bytes(WIDTH) for _ in ids],
        }
        paths.append(str(folder / f"{shard}.parquet"))
        tables.write(CLUSTERS, paths[-1], pa.table(columns))
    return paths


def measure(task: str, articles: str, clusters: str, *earlier: str) -> None:
    """In a child: do one task and print seconds and peak megabytes."""
    start = time.perf_counter()
    if task == "hash":
        texts = (text for batch in tables.batches(ARTICLES, articles, ["text"]) for text in batch["text"].to_pylist())
        signatures(texts, SETTINGS["cut_after_words"])
    else:
        names = " ".join(Path(path).stem for path in earlier)
        find_duplicates(articles, list(earlier[-1:]), clusters, names, **SETTINGS)
    peak = peak_megabytes()
    sys.stdout.write(json.dumps([time.perf_counter() - start, peak]))


def child(*task: str) -> tuple[float, float]:
    environment = {**os.environ, "PYTHONPATH": str(Path(__file__).resolve().parent.parent / "workflow")}
    command = [sys.executable, __file__, *task]
    done = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True, env=environment)
    return json.loads(done.stdout)


def main():
    with tempfile.TemporaryDirectory(prefix="ragassay-bench-") as name:
        folder = Path(name)
        write_articles(folder / "articles.parquet")
        files = str(folder / "articles.parquet"), str(folder / "clusters.parquet")
        limit, _ = child("hash", *files)
        seconds, memory = child("find", *files)
        rows = tables.read(CLUSTERS, files[1], ["article_id", "cluster_id"]).to_pydict()
        labels = [int(name.rpartition("-")[2]) for name in rows["article_id"]]
        recall, precision = pairs(labels, np.unique(rows["cluster_id"], return_inverse=True)[1])
        after, memory_after = child("find", *files, *write_earlier(folder))
    figure("duplicates_100k_articles", seconds, "s", "<= 120", limit)
    figure("duplicates_100k_articles_memory", memory, "MB", "< 1000")
    figure("duplicates_pair_recall", recall, "share", ">= 0.95", 1)
    figure("duplicates_pair_precision", precision, "share", ">= 0.99", 1)
    figure("duplicates_100k_articles_after_1M", after, "s", "<= 240", limit)
    figure("duplicates_100k_articles_after_1M_memory", memory_after, "MB", "< 1000")
    finish()


if __name__ == "__main__":
    measure(*sys.argv[1:]) if sys.argv[1:] else main()
