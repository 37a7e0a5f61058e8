"""Time what documents go through: extraction from pages, and the search for near-duplicates.

`extraction`: ours beside `trafilatura.bare_extraction` in a loop, in a process of its own that does nothing else; ours
reads the same pages in one killable child and adds charset, title, raw dates, walls and language. Rounds of both take
turns, since the machine is never quite the same; the best of each counts. The pages are made from the demo corpus.

`duplicates`: a million synthetic articles with labelled copies in 500 shards, in seconds of a processor and the peak
memory of processes that take fifty shards each: all indexes, then the clusters of each shard, which is compared with
all shards before it. The limit is hashing alone: reading the texts and taking their signatures, of a tenth of them. It
takes a quarter of an hour and says on standard error where it is.
"""

import json
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from types import SimpleNamespace

from common.figures import count, figure, parts
from common.memory import peak_megabytes, task
from corpora.article_tables import shard_names, write_shards
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
STEP = 50  # shards of one process
INDEX, UP_TO = "{shard}.arrow", "up_to_{shard}.arrow"
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
    clusters = [(row["article_id"].rpartition("-")[2], row["cluster_id"]) for row in rows]
    Path(folder, f"{names[0]}.json").write_text(json.dumps(clusters))
    return taken


def by_shard():
    names = shard_names(SHARDS)
    return {name: {"before": names[:at]} for at, name in enumerate(names)}


def in_steps(task_name: str, folder: str) -> tuple[float, float]:
    """Seconds and peak megabytes of a task for all shards, which says on standard error where it is."""
    names, seconds, peak = shard_names(SHARDS), 0.0, 0.0
    for at in range(0, SHARDS, STEP):
        more, memory = task(task_name, folder, *names[at : at + STEP])
        seconds, peak = seconds + more, max(peak, memory)
        sys.stderr.write(f"{task_name}: {at + STEP} of {SHARDS} shards, {seconds:.0f} processor seconds\n")
    return seconds, peak


def duplicates() -> None:
    with tempfile.TemporaryDirectory(prefix="ragassay-bench-") as name:
        write_shards(Path(name), ALL, SHARDS)
        limit = SHARDS / STEP * task("hash", name, *shard_names(STEP))
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
    if sys.argv[1:2] == [BARE_WAY]:
        bare(BARE[sys.argv[2]])
    else:
        parts({"extraction": extraction, "duplicates": duplicates}, {"hash": hashed, "index": indexed, "join": joined})
