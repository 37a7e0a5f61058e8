"""Crawl 20,000 pages of 200 newspapers on this machine: how near to what politeness and latency allow.

Each host is one chain of requests with two seconds between the end of one and the start of the next, so the limit is
what the longest chain takes: robots.txt, the feed and its pages, each with the time that the server took. Then the
next shard is crawled, of which nothing has changed, with shorter pauses because bodies are counted and not seconds; and
eight jobs at once ask the same hosts, with the server's own notes as the judge of the pauses.
"""

import json
import os
import subprocess
import sys
import tempfile
import time
from collections import defaultdict
from pathlib import Path

from common.figures import figure, finish
from corpora.papers import CRAWL, DAYS, Papers, Request, gaps

HERE = Path(__file__).resolve().parent

HOSTS, PAGES, LATENCY, SIZE = 200, 100, 0.05, 30_000
GAP, SHORT_GAP = 2.0, 0.05
JOBS, JOB_HOSTS, JOB_PAGES = 8, 10, 1
PROGRAM = """
import json, sys
from common.memory import peak_megabytes
from scripts.news.crawl_shard import crawl_shard
crawl_shard(**json.loads(sys.stdin.read()))
print(peak_megabytes())
"""


class Project:
    """A folder in which shards of the same feeds are crawled, each by a program of its own."""

    def __init__(self, folder: str, papers: Papers, feeds: int):
        from ragassay.base import tables
        from ragassay.schemas.documents import FEEDS

        self.folder, self.hosts = Path(folder), papers.hosts
        tables.write(FEEDS, self.folder / "feeds", papers.feeds[:feeds])

    def start(self, shard: str, gap: float) -> subprocess.Popen:
        crawl = CRAWL | {"allow_hosts": self.hosts, "spacing_folder": str(self.folder / "hosts")}
        crawl |= {"seconds_between_requests": GAP, "seconds_between_requests_own_hosts": gap}
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
        from ragassay.base import tables
        from ragassay.schemas.documents import PAGES

        return tables.read(PAGES, self.folder / shard / "pages", ["url"]).num_rows


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
        project = Project(folder, papers, HOSTS)
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
        project = Project(folder, papers, JOB_HOSTS)
        jobs = [project.start(f"job-{number}", GAP) for number in range(JOBS)]
        for job in jobs:
            finished(job)
        found = gaps(papers.asked())
        figure("crawl_8_jobs_pages", sum(project.pages(f"job-{n}") for n in range(JOBS)), "pages", f"== {total}")
        figure("crawl_8_jobs_shortest_pause", min(found), "s", f">= {GAP}", GAP)
        figure("crawl_8_jobs_pauses_too_short", sum(gap < GAP for gap in found), "pauses", "== 0")


if __name__ == "__main__":
    side_by_side()
    one_after_the_other()
    finish()
