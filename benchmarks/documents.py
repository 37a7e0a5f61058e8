"""Time what documents go through: extraction from pages, and the search for near-duplicates.

`extraction`: ours beside `trafilatura.bare_extraction` in a loop, in a process of its own that does nothing else; ours
reads the same pages in one killable child and adds charset, title, raw dates, walls and language. Rounds of both take
turns, since the machine is never quite the same; the best of each counts. The pages are made from the demo corpus.

`duplicates`: a million synthetic articles with labelled copies in 500 shards, in seconds of a processor and the peak
memory of processes of their own: all indexes, then the clusters of each shard, which is compared with all shards before
it. The limit is hashing alone: reading the texts and taking their signatures. It takes a quarter of an hour and
says on standard error where it is.
"""

import subprocess
import sys
import tempfile
import time
from pathlib import Path
from types import SimpleNamespace

from common.figures import figure, parts
from common.memory import peak_megabytes, task
from corpora.article_tables import write_shards
from corpora.labelled_copies import pairs
from corpora.news_pages import articles, page
from ragassay.base import tables
from ragassay.plan import documents
from ragassay.schemas.documents import ARTICLES
from ragassay.text.near_duplicates import signatures
from scripts.documents.collect_documents import clusters_of
from scripts.documents.find_duplicates import find_duplicates
from scripts.documents.merge_duplicates import merge_duplicates

PAGES, ROUNDS = 150, 5
SECONDS, MEMORY_MB = 20, 1024
HEADERS = {"content-type": "text/html; charset=utf-8"}
BARE = {"bare": {}, "bare_with_metadata": {"with_metadata": True}}
BARE_WAY = "bare"  # first argument of the process that does nothing else
ALL, SHARDS = 1_000_000, 500
STEP = 50  # shards between two lines of progress
SETTINGS = {"similarity": 0.6, "cut_after_words": 300}


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


def hashed(folder: str) -> float:
    """Seconds of a processor for the signatures alone."""
    start = time.process_time()
    for path in progress("hashed", shards(folder)):
        texts = (text for batch in tables.batches(ARTICLES, path, ["text"]) for text in batch["text"].to_pylist())
        signatures(texts, SETTINGS["cut_after_words"])
    return time.process_time() - start


def indexed(folder: str) -> list[float]:
    """Seconds of a processor for all indexes, and peak megabytes."""
    paths, index, block = shards(folder), *indexes(folder)
    table, start = by_shard(paths), time.process_time()
    for number, path in enumerate(progress("indexed", paths), 1):
        find_duplicates(path, index.format(shard=path.stem), **SETTINGS)
        if number % documents.BLOCK == 0:
            of_block = documents.block(table, index, SimpleNamespace(shard=path.stem))
            merge_duplicates(of_block, block.format(shard=path.stem))
    return [time.process_time() - start, peak_megabytes()]


def joined(folder: str) -> list[float]:
    """Seconds of a processor for the clusters of all shards, peak megabytes, recall and precision."""
    paths, places, labels, found = shards(folder), indexes(folder), [], []
    table, start = by_shard(paths), time.process_time()
    for path in progress("compared with those before", paths):
        earlier = documents.earlier(table, *places, SimpleNamespace(shard=path.stem))
        rows = clusters_of(path, places[0].format(shard=path.stem), earlier, SETTINGS["similarity"]).values()
        found += [row["cluster_id"] for row in rows]
        labels += [row["article_id"].rpartition("-")[2] for row in rows]
    return [time.process_time() - start, peak_megabytes(), *pairs(labels, found)]


def indexes(folder):
    """Where the index of a shard and the one of a block lie."""
    return f"{folder}/{{shard}}.arrow", f"{folder}/up_to_{{shard}}.arrow"


def by_shard(paths):
    return {path.stem: {"before": [one.stem for one in paths[:at]]} for at, path in enumerate(paths)}


def shards(folder):
    return sorted(Path(folder).glob("*.parquet"))


def progress(what, paths):
    """Each path, and now and then a line."""
    for number, path in enumerate(paths, 1):
        yield path
        if number % STEP == 0:
            sys.stderr.write(f"{number} of {len(paths)} shards {what}\n")


def duplicates() -> None:
    with tempfile.TemporaryDirectory(prefix="ragassay-bench-") as name:
        write_shards(Path(name), ALL, SHARDS)
        limit = task("hash", name)
        indexing, memory = task("index", name)
        joining, more, recall, precision = task("join", name)
    figure("duplicates_of_1M_articles", indexing + joining, "cpu_s", "<= 600", limit)
    figure("duplicates_of_1M_articles_joined", joining, "cpu_s", "<= 300")
    figure("duplicates_of_1M_articles_memory", max(memory, more), "MB", "<= 2000")
    figure("duplicates_pair_recall", recall, "share", ">= 0.95", 1)
    figure("duplicates_pair_precision", precision, "share", ">= 0.99", 1)


if __name__ == "__main__":
    if sys.argv[1:2] == [BARE_WAY]:
        bare(BARE[sys.argv[2]])
    else:
        parts({"extraction": extraction, "duplicates": duplicates}, {"hash": hashed, "index": indexed, "join": joined})
