"""Time the search for near-duplicates: a million synthetic articles with labelled copies in 500 shards, in seconds of a
processor and the peak memory of processes that take fifty shards each: all indexes, then the clusters of each shard,
which is compared with all shards before it. The limit is hashing alone: reading the texts and taking their signatures,
of a tenth of them. It takes a quarter of an hour and says on standard error where it is.
"""

import hashlib
import json
import sys
import tempfile
import time
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from types import SimpleNamespace

from common.figures import count, figure, parts
from common.memory import peak_megabytes, task
from corpora.labelled_copies import labelled, pairs
from ragassay.base import tables
from ragassay.plan import documents
from ragassay.schemas.documents import ARTICLES
from ragassay.text.near_duplicates import signatures
from rows import row
from scripts.documents.collect_documents import clusters_of
from scripts.documents.find_duplicates import find_duplicates
from scripts.documents.merge_duplicates import merge_duplicates

ALL, SHARDS = 1_000_000, 500
STEP = 50  # shards of one process
SPREAD = 10  # shards among which copies of a story lie
INDEX, UP_TO = "{shard}.arrow", "up_to_{shard}.arrow"
SETTINGS = {"similarity": 0.6, "cut_after_words": 300}


def shard_names() -> list[str]:
    return [f"s{number:04}" for number in range(SHARDS)]


def write_block(folder: str, first: int) -> None:
    """Some shards with a news room's stories, in an order that has nothing to do with the labels; the id of an article
    ends with the label of its story.
    """
    stories = list(labelled(ALL * SPREAD // SHARDS, seed=first))
    for at, name in enumerate(shard_names()[first : first + SPREAD]):
        with tables.Writer(ARTICLES, Path(folder, f"{name}.parquet")) as writer:
            for number, (label, text) in enumerate(stories[at::SPREAD]):
                article = f"{hashlib.sha256(f'{name} {number}'.encode()).hexdigest()[:16]}-{first}n{label}"
                digest = hashlib.sha256(text.encode()).hexdigest()
                writer.add(row(ARTICLES, article_id=article, text=text, content_hash=digest))


def hashed(folder: str, *names: str) -> float:
    """Seconds of a processor for the signatures alone."""
    start = time.process_time()
    for name in names:
        batches = tables.batches(ARTICLES, Path(folder, f"{name}.parquet"), ["text"])
        signatures((text for batch in batches for text in batch["text"].to_pylist()), SETTINGS["cut_after_words"])
    return time.process_time() - start


def indexed(folder: str, *names: str) -> list[float]:
    """Seconds of a processor for the indexes of these shards and of blocks that end with one, and peak megabytes."""
    table, start = by_shard(), time.process_time()
    for name in names:
        find_duplicates(Path(folder, f"{name}.parquet"), f"{folder}/{INDEX}".format(shard=name), **SETTINGS)
        if (len(table[name]["before"]) + 1) % documents.BLOCK == 0:
            of_block = documents.block(table, f"{folder}/{INDEX}", SimpleNamespace(shard=name))
            merge_duplicates(of_block, f"{folder}/{UP_TO}".format(shard=name))
    return [time.process_time() - start, peak_megabytes()]


def joined(folder: str, *names: str) -> list[float]:
    """The same for the clusters of these shards, which it leaves in a file beside the labels of their articles."""
    table, start, rows = by_shard(), time.process_time(), []
    for name in names:
        earlier = documents.earlier(table, f"{folder}/{INDEX}", f"{folder}/{UP_TO}", SimpleNamespace(shard=name))
        index = f"{folder}/{INDEX}".format(shard=name)
        rows += clusters_of(Path(folder, f"{name}.parquet"), index, earlier, SETTINGS["similarity"]).values()
    taken = [time.process_time() - start, peak_megabytes()]
    clusters = [(article["article_id"].rpartition("-")[2], article["cluster_id"]) for article in rows]
    Path(folder, f"{names[0]}.json").write_text(json.dumps(clusters))
    return taken


def by_shard():
    names = shard_names()
    return {name: {"before": names[:at]} for at, name in enumerate(names)}


def in_steps(task_name: str, folder: str) -> tuple[float, float]:
    """Seconds and peak megabytes of a task for all shards, which says on standard error where it is."""
    names, seconds, peak = shard_names(), 0.0, 0.0
    for at in range(0, SHARDS, STEP):
        more, memory = task(task_name, folder, *names[at : at + STEP])
        seconds, peak = seconds + more, max(peak, memory)
        sys.stderr.write(f"{task_name}: {at + STEP} of {SHARDS} shards, {seconds:.0f} processor seconds\n")
    return seconds, peak


def duplicates() -> None:
    with tempfile.TemporaryDirectory(prefix="ragassay-bench-") as name:
        firsts = range(0, SHARDS, SPREAD)
        with ProcessPoolExecutor() as pool:
            list(pool.map(write_block, [name] * len(firsts), firsts))
        limit = SHARDS / STEP * task("hash", name, *shard_names()[:STEP])
        indexing, memory = in_steps("index", name)
        size = sum(file.stat().st_size for file in Path(name).glob("*.arrow"))
        joining, more = in_steps("join", name)
        joined = [pair for file in Path(name).glob("*.json") for pair in json.loads(file.read_text())]
    figure("duplicates_of_1M_articles", indexing + joining, "cpu_s", "<= 600", limit)
    figure("duplicates_of_1M_articles_joined", joining, "cpu_s", "<= 300")
    figure("duplicates_of_1M_articles_memory", max(memory, more), "MB", "<= 2000")
    recall, precision = pairs(*zip(*joined, strict=True))
    figure("duplicates_pair_recall", recall, "share", ">= 0.95", 1)
    figure("duplicates_pair_precision", precision, "share", ">= 0.99", 1)
    count("duplicates_index_bytes", size / ALL, "bytes_a_text")


if __name__ == "__main__":
    parts({"duplicates": duplicates}, {"hash": hashed, "index": indexed, "join": joined})
