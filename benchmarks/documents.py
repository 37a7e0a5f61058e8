"""Time what documents go through: extraction from pages, and the search for near-duplicates.

`extraction`: ours beside `trafilatura.bare_extraction` in a loop, in a process of its own that does nothing else; ours
reads the same pages in one killable child and adds charset, title, raw dates, walls and language. Rounds of both take
turns, since the machine is never quite the same; the best of each counts. The pages are made from the demo corpus.

`duplicates`: a hundred thousand articles with labelled copies, alone and after a million of earlier shards, each in a
process of its own so that its peak memory is its own. The limit is hashing alone: reading the texts and taking their
signatures.
"""

import hashlib
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
import pyarrow as pa

from common.figures import figure, parts
from common.memory import peak_megabytes, task
from corpora.labelled_copies import labelled, pairs
from corpora.news_pages import articles, page
from ragassay.base import tables
from ragassay.schemas.documents import ARTICLES, CLUSTERS
from ragassay.text.near_duplicates import WIDTH, signatures
from scripts.documents.find_duplicates import find_duplicates

PAGES, ROUNDS = 150, 5
SECONDS, MEMORY_MB = 20, 1024
HEADERS = {"content-type": "text/html; charset=utf-8"}
BARE = {"bare": {}, "bare_with_metadata": {"with_metadata": True}}
BARE_WAY = "bare"  # first argument of the process that does nothing else
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


def pages():
    told = articles()
    return [(number, *page(number, told)) for number in range(PAGES)]


def bare(options) -> None:
    """In a process of its own: each line on standard input is answered with the seconds that a round takes."""
    from trafilatura import bare_extraction

    bodies = [(url, text.encode()) for _, url, text in pages()]
    bare_extraction(bodies[0][1], url=bodies[0][0], **options)
    for _ in sys.stdin:
        start = time.perf_counter()
        for url, body in bodies:
            bare_extraction(body, url=url, **options)
        sys.stdout.write(f"{time.perf_counter() - start}\n")
        sys.stdout.flush()


def extraction() -> None:
    from ragassay.news.extraction.extractor import Article, Extractor

    given = [(number, text.encode(), HEADERS, url) for number, url, text in pages()]
    peers = {
        name: subprocess.Popen(
            [sys.executable, __file__, BARE_WAY, name],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            bufsize=1,
        )
        for name in BARE
    }
    best = dict.fromkeys([*BARE, "ours"], float("inf"))
    with Extractor(1, SECONDS, MEMORY_MB) as extractor:
        list(extractor.extract(given[:1]))
        for _ in range(ROUNDS):
            for name, peer in peers.items():
                peer.stdin.write("go\n")
                best[name] = min(best[name], float(peer.stdout.readline()))
            start = time.perf_counter()
            results = [result for _, result in extractor.extract(given)]
            best["ours"] = min(best["ours"], time.perf_counter() - start)
    for peer in peers.values():
        peer.communicate()
    assert all(isinstance(result, Article) for result in results)
    ours = PAGES / best["ours"]
    for name in BARE:
        limit = PAGES / best[name]
        figure(f"extraction_against_{name}", ours, "pages/s", f">= {0.9 * limit:.1f}", limit)


def find(way: str, articles: str, clusters: str, *earlier: str) -> tuple[float, float]:
    """In a process of its own: seconds and peak megabytes of the search, or of hashing alone."""
    start = time.perf_counter()
    if way == "hash":
        texts = (text for batch in tables.batches(ARTICLES, articles, ["text"]) for text in batch["text"].to_pylist())
        signatures(texts, SETTINGS["cut_after_words"])
    else:
        names = " ".join(Path(path).stem for path in earlier)
        find_duplicates(articles, list(earlier[-1:]), clusters, names, **SETTINGS)
    return time.perf_counter() - start, peak_megabytes()


def duplicates() -> None:
    with tempfile.TemporaryDirectory(prefix="ragassay-bench-") as name:
        folder = Path(name)
        write_articles(folder / "articles.parquet")
        files = str(folder / "articles.parquet"), str(folder / "clusters.parquet")
        limit, _ = task("find", "hash", *files)
        seconds, memory = task("find", "search", *files)
        rows = tables.read(CLUSTERS, files[1], ["article_id", "cluster_id"]).to_pydict()
        labels = [int(name.rpartition("-")[2]) for name in rows["article_id"]]
        recall, precision = pairs(labels, np.unique(rows["cluster_id"], return_inverse=True)[1])
        after, memory_after = task("find", "search", *files, *write_earlier(folder))
    figure("duplicates_100k_articles", seconds, "s", "<= 120", limit)
    figure("duplicates_100k_articles_memory", memory, "MB", "< 1000")
    figure("duplicates_pair_recall", recall, "share", ">= 0.95", 1)
    figure("duplicates_pair_precision", precision, "share", ">= 0.99", 1)
    figure("duplicates_100k_articles_after_1M", after, "s", "<= 240", limit)
    figure("duplicates_100k_articles_after_1M_memory", memory_after, "MB", "< 1000")


if __name__ == "__main__":
    if sys.argv[1:2] == [BARE_WAY]:
        bare(BARE[sys.argv[2]])
    else:
        parts({"extraction": extraction, "duplicates": duplicates}, {"find": find})
