"""Crawls of one shard for tests: in this process, or as programs that can be killed."""

import json
import subprocess
import sys
import time
from pathlib import Path

import corpora.papers
from ragassay.base import tables
from ragassay.news.fetching.archive import Answers
from ragassay.schemas.documents import CANDIDATES, FEED_HEALTH, FEEDS, PAGES
from scripts.news.crawl_shard import crawl_shard

TOPICS = "business entertainment food music news politics science sport tech travel".split()
CRAWL = corpora.papers.CRAWL | {"topics": TOPICS}
OUTPUTS = {"pages": PAGES, "candidates": CANDIDATES, "feed_health": FEED_HEALTH, "rejects": tables.REJECTS}
PROGRAM = """
import json, os, resource, sys
from ragassay.base.errors import AssayError
from scripts.news.crawl_shard import crawl_shard
jobs, most_bytes = json.loads(sys.argv[1])
if most_bytes:  # of a file, as if the disk were full behind that
    resource.setrlimit(resource.RLIMIT_FSIZE, (most_bytes, most_bytes))
mine, children = jobs[0], 0
for job in jobs[1:]:
    if os.fork() == 0:
        mine, children = job, 0
        break
    children += 1
try:
    crawl_shard(**mine)
except AssayError as error:
    print(error)
    sys.exit(1)
for _ in range(children):
    os.wait()
"""


def feed(url, topic="news", **other):
    """A row of the table feeds."""
    return corpora.papers.feed(url, topic, **{"site": "site.test"} | other)


class Shard:
    """A shard in a folder that it shares with others."""

    def __init__(self, folder: Path, feeds: list[dict], name="a", crawl=None, **row):
        self.folder, self.name = folder / name, name
        self.folder.mkdir(parents=True, exist_ok=True)
        self.ledger = folder / "ledger" / name
        tables.write(FEEDS, self.folder / "feeds", feeds)
        self.job = {
            **{key: str(self.folder / key) for key in ("feeds", *OUTPUTS)},
            "row": {"shard": name, "topics": None, "per_topic": None, **corpora.papers.DAYS, **row},
            "crawl": {**CRAWL, "spacing_folder": str(folder / "hosts"), **(crawl or {})},
            "ledger": str(self.ledger),
        }

    def crawl(self) -> dict[str, list[dict]]:
        """All tables."""
        crawl_shard(**self.job)
        return self.tables()

    def tables(self) -> dict[str, list[dict]]:
        return {name: tables.read(table, self.folder / name).to_pylist() for name, table in OUTPUTS.items()}

    def kept(self) -> set[str]:
        """What the ledger has whole answers for."""
        own = Answers(self.ledger).own
        return {url for url, kept in own.items() if kept.outcome != "ok" or kept.body() is not None}


def start(*shards: Shard, most_bytes=0) -> subprocess.Popen:
    """A program that crawls these shards, each in a process of its own if there are several."""
    jobs = json.dumps([[shard.job for shard in shards], most_bytes])
    return subprocess.Popen([sys.executable, "-c", PROGRAM, jobs], stdout=subprocess.PIPE, text=True)


def asked_until(papers, count: int, program) -> list:
    """What papers were asked for, as soon as there were so many requests."""
    found = []
    while len(found) < count and program.poll() is None:
        found += papers.asked()
        time.sleep(0.002)
    return found


def urls(requests) -> list[str]:
    """Feeds and pages that were asked for; robots.txt is not among them."""
    return [f"http://{request.host}{request.path}" for request in requests if request.path != "/robots.txt"]


def timeless(rows: list[dict]) -> list[dict]:
    return [{key: value for key, value in row.items() if key not in ("fetched_at", "shard")} for row in rows]
