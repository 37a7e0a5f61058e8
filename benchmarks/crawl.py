"""Crawl 20,000 pages of 200 newspapers on this machine: how near to what politeness and latency allow.

Each host is one chain of requests with two seconds between the end of one and the start of the next, so the limit is
what the longest chain takes: robots.txt, the feed and its pages, each with the time that the server took. Then the
next shard is crawled, of which nothing has changed, with shorter pauses because bodies are counted and not seconds;
eight jobs at once ask the same hosts, with the server's own notes as the judge of the pauses; and 50 newspapers are
crawled alone, then beside 50 feeds whose servers are hostile, each in its way.
"""

import json
import os
import random
import subprocess
import sys
import tempfile
import time
from collections import defaultdict
from pathlib import Path

from attackers.cases import KINDS
from attackers.server import running
from common.figures import count, figure, parts
from corpora.papers import CRAWL, DAYS, TOPICS, Papers, Request, feed, gaps
from ragassay.base import tables
from ragassay.schemas import documents

HERE = Path(__file__).resolve().parent

HOSTS, PAGES, LATENCY, SIZE = 200, 100, 0.05, 30_000
GAP, SHORT_GAP = 2.0, 0.05
JOBS, JOB_HOSTS, JOB_PAGES = 8, 10, 1
HONEST, HOSTILE, FETCH_SECONDS = 50, 50, 30.0
HOURS = 0.1  # that a host may take: some of the hostile name pages without end
FIRST = ("busy", "drip_body", "feed_that_takes_for_ever", "feed_of_too_many_entries", "entity_expansion")  # worst ones
PROGRAM = """
import json, sys
from common.memory import peak_megabytes
from scripts.news.crawl_shard import crawl_shard
crawl_shard(**json.loads(sys.stdin.read()))
print(peak_megabytes())
"""


class Project:
    """A folder in which shards of the same feeds are crawled, each by a program of its own."""

    def __init__(self, folder: str, papers: Papers, feeds: list[dict]):
        self.folder, self.hosts = Path(folder), papers.hosts
        tables.write(documents.FEEDS, self.folder / "feeds", feeds)

    def start(self, shard: str, gap: float, **other) -> subprocess.Popen:
        crawl = CRAWL | {"allow_hosts": self.hosts, "spacing_folder": str(self.folder / "hosts")}
        crawl |= {"seconds_between_requests": GAP, "seconds_between_requests_own_hosts": gap, **other}
        outputs = {name: str(self.folder / shard / name) for name in ("pages", "candidates", "feed_health", "rejects")}
        job = {"feeds": str(self.folder / "feeds"), **outputs, "crawl": crawl}
        job |= {"ledger": str(self.folder / "ledger" / shard)}
        job["row"] = {"shard": shard, "topics": None, "per_topic": None, **DAYS}
        program = subprocess.Popen(
            [sys.executable, "-c", PROGRAM],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            env={"PYTHONPATH": os.pathsep.join([str(HERE.parent / "workflow"), str(HERE)])},
        )
        program.stdin.write(json.dumps(job))
        program.stdin.close()
        return program

    def pages(self, shard: str) -> int:
        urls = tables.read(documents.PAGES, self.folder / shard / "pages", ["url"])["url"].to_pylist()
        return sum(url.startswith("http://127.") for url in urls)


def finished(program: subprocess.Popen) -> float:
    """Its peak memory in MB."""
    said = program.stdout.read()
    if program.wait() != 0:
        raise SystemExit(f"a crawl ended with status {program.returncode}")
    program.stdout.close()
    return float(said)


def longest_chain(asked: list[Request]) -> float:
    """Seconds that the requests of one host need at least: what the server took for them, and the pauses."""
    hosts = defaultdict(list)
    for request in asked:
        hosts[request.host].append(request.end - request.begin)
    return max(sum(seconds) + GAP * (len(seconds) - 1) for seconds in hosts.values())


def one_after_the_other():
    total = HOSTS * PAGES
    with Papers(HOSTS, PAGES, LATENCY, SIZE) as papers, tempfile.TemporaryDirectory(prefix="ragassay-bench-") as folder:
        project = Project(folder, papers, papers.feeds)
        start = time.monotonic()
        memory = finished(project.start("first", GAP))
        took, asked = time.monotonic() - start, papers.asked()
        limit = longest_chain(asked)
        figure("crawl_pages", project.pages("first"), "pages", f"== {total}")
        figure("crawl_pages_per_second", total / took, "pages/s", f">= {0.9 * total / limit:.4g}", total / limit)
        figure("crawl_memory", memory, "MB", "< 500")
        figure("crawl_shortest_pause", min(gaps(asked)), "s", f">= {GAP}", GAP)
        memory = finished(project.start("second", SHORT_GAP))
        asked = papers.asked()
        figure("crawl_again_pages", project.pages("second"), "pages", f"== {total}")
        figure("crawl_again_bodies", sum(request.body_bytes > 0 for request in asked), "bodies", "== 0")
        figure("crawl_again_memory", memory, "MB", "< 500")


def side_by_side():
    total = JOBS * JOB_HOSTS * JOB_PAGES
    with (
        Papers(JOB_HOSTS, JOB_PAGES, LATENCY, SIZE) as papers,
        tempfile.TemporaryDirectory(prefix="ragassay-bench-") as folder,
    ):
        project = Project(folder, papers, papers.feeds)
        jobs = [project.start(f"job-{number}", GAP) for number in range(JOBS)]
        for job in jobs:
            finished(job)
        found = gaps(papers.asked())
        figure("crawl_8_jobs_pages", sum(project.pages(f"job-{n}") for n in range(JOBS)), "pages", f"== {total}")
        figure("crawl_8_jobs_shortest_pause", min(found), "s", f">= {GAP}", GAP)
        figure("crawl_8_jobs_pauses_too_short", sum(gap < GAP for gap in found), "pauses", "== 0")


class LocalSite:
    """What `crawl.local_server` names: a file says where the hosts of the hostile server are."""

    def __init__(self, path: str):
        self.connect_to = json.loads(Path(path).read_text())

    def __enter__(self):
        return self

    def __exit__(self, *_):
        pass


def among_hostile_feeds():
    kinds = [*FIRST, *random.Random(0).sample(sorted(KINDS.keys() - {*FIRST}), HOSTILE - len(FIRST))]
    names = [f"{kind}-{number}.test" for number, kind in enumerate(kinds)]
    hostile = [
        feed(f"http://{name}/{number}", TOPICS[number % len(TOPICS)], site=name) for number, name in enumerate(names)
    ]
    with (
        Papers(HONEST, PAGES, LATENCY, SIZE) as papers,
        tempfile.TemporaryDirectory(prefix="ragassay-bench-") as folder,
        running(FETCH_SECONDS) as servers,
    ):
        site, took = Path(folder) / "site", {}
        site.write_text(json.dumps(dict.fromkeys(names, f"127.0.0.1:{servers.ports['server']}")))
        theirs = {"local_site": str(site), "local_server": "crawl", "hours_per_host": HOURS}
        for shard, feeds, other in (("alone", papers.feeds, {}), ("among", [*papers.feeds, *hostile], theirs)):
            project, start = Project(f"{folder}/{shard}", papers, feeds), time.time()
            memory = finished(project.start(shard, GAP, **other))
            whole, asked = time.time() - start, papers.asked()
            took[shard] = max(request.end for request in asked) - start
        visits = servers.visits()
        figure("crawl_hostile_feeds", len(hostile), "feeds", f"== {HOSTILE}")
        figure("crawl_among_hostile_pages", project.pages("among"), "pages", f">= {HONEST * PAGES}")
        figure("crawl_among_hostile_last_page", took["among"], "s", f"<= {1.3 * took['alone']:.4g}", took["alone"])
        count("crawl_among_hostile_last_try", whole, "s")
        figure("crawl_among_hostile_private_connections", visits, "connections", "== 0")
        figure("crawl_among_hostile_memory", memory, "MB", "< 512")


if __name__ == "__main__":
    parts({"among": among_hostile_feeds, "jobs": side_by_side, "papers": one_after_the_other})
