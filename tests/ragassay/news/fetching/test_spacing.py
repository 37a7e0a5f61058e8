"""Pauses between requests to one host: in one process and between several, after a kill, and when a host asks."""

import asyncio
import email.utils
import fcntl
import itertools
import signal
import sys
import time

import pytest

from clocks import VirtualTime
from ragassay.base.errors import AssayError
from ragassay.news.fetching.addresses import FetchLimits
from ragassay.news.fetching.robots import rules
from ragassay.news.fetching.spacing import Spacing
from servers import AGENT, Web, answer

PAGE = answer(b"page")
GAP = 0.2
JOB = f"""
import asyncio, sys
from ragassay.news.fetching.fetcher import Fetcher

async def main(end, folder):
    async with Fetcher({AGENT!r}, connect_to={{"site.test": end}}, own_gap={GAP}, spacing_folder=folder) as fetcher:
        pages = [fetcher.fetch(f"http://site.test/{{number}}") for number in range(2)]
        print(*[page.outcome for page in await asyncio.gather(*pages)])

asyncio.run(main(*sys.argv[1:]))
"""


class Every(dict):
    """All paths have the same page."""

    def get(self, path, otherwise=None):
        return answer(status="404 No") if path == "/robots.txt" else PAGE if path.startswith("/") else None


def test_eight_jobs_keep_apart(tmp_path):
    async def run():
        async with Web(Every(), seconds=0.02) as web:
            command = [sys.executable, "-c", JOB, web.end, str(tmp_path)]
            pipe = asyncio.subprocess.PIPE
            jobs = [await asyncio.create_subprocess_exec(*command, stdout=pipe) for _ in range(8)]
            return [(await job.communicate())[0] for job in jobs], web

    said, web = asyncio.run(run())
    assert said == [b"ok ok\n"] * 8
    assert len(web.trace) >= 17
    assert min(web.gaps()) >= GAP


def test_hosts_wait_for_themselves_only():
    async def run():
        hosts = [f"h{number}.test" for number in range(20)]
        async with Web(Every()) as web, web.fetcher(*hosts, own_gap=GAP) as fetcher:
            await asyncio.gather(*(fetcher.fetch(f"http://{host}/{n}") for host in hosts for n in range(3)))
            return hosts, web

    hosts, web = asyncio.run(run())
    assert min(gap for host in hosts for gap in web.gaps(host)) >= GAP
    assert all(len(web.gaps(host)) == 3 for host in hosts)
    asked = [host for host, begin, _ in sorted(web.trace, key=lambda request: request[1])]
    changes = sum(one != other for one, other in itertools.pairwise(asked))
    assert changes > 2 * len(hosts), "one host after the other would be 19"


@pytest.mark.parametrize(("rule", "gap"), [("Crawl-delay: 0.4", 0.4), ("Request-rate: 2/1s", 0.5), ("", GAP)])
def test_robots_txt_may_ask_for_longer_pauses(rule, gap):
    async def run():
        pages = {"/robots.txt": answer(f"User-agent: *\n{rule}\nDisallow: /x".encode()), "/": PAGE}
        async with Web(pages) as web, web.fetcher(own_gap=GAP) as fetcher:
            await asyncio.gather(*(fetcher.fetch("http://site.test/") for _ in range(2)))
            return web.gaps()

    assert min(asyncio.run(run())) >= gap
    assert rules(f"User-agent: *\n{rule}".encode()).delay("ragassay") == (gap if rule else 0)


def outcomes(tmp_path, *answers, patience=5.0, pause=0.0):
    """What becomes of fetches one after the other, each by a fetcher of its own."""
    left = list(answers)

    async def run():
        async with Web({"/": lambda headers: left.pop(0)}) as web:
            found = []
            for _ in answers:
                async with web.fetcher(spacing_folder=tmp_path, limits=FetchLimits(patience=patience)) as fetcher:
                    found.append((await fetcher.fetch("http://site.test/")).outcome)
            return found, web.gaps()

    return asyncio.run(run())


@pytest.mark.parametrize("status", ["429 Too Many Requests", "503 Service Unavailable"])
def test_a_busy_host_is_left_alone_for_as_long_as_it_wants(tmp_path, status):
    found, gaps = outcomes(tmp_path, answer(status=status, retry_after="1"), PAGE)
    assert found == [f"http_{status[:3]}", "ok"]
    assert gaps[-1] >= 1


@pytest.mark.parametrize("after", ["3600", "date", "9" * 30], ids=["seconds", "date", "for ever"])
def test_nobody_waits_for_long(tmp_path, after):
    if after == "date":
        after = email.utils.formatdate(time.time() + 3600, usegmt=True)
    found, _ = outcomes(tmp_path, answer(status="429 No", retry_after=after), PAGE, PAGE)
    assert found == ["http_429", "put_off", "put_off"]


@pytest.mark.parametrize("after", ["0", "-5", "soon", "Sat, 29 Feb 2020 12:00:00 GMT", "Sat, 99 Feb 2020"])
def test_pauses_that_are_none(tmp_path, after):
    assert outcomes(tmp_path, answer(status="429 No", retry_after=after), PAGE)[0] == ["http_429", "ok"]


async def turn(folder, **settings):
    async with Spacing(folder).turn("site.test", **{"gap": GAP, "patience": 1.0, **settings}):
        pass


@pytest.mark.parametrize(
    ("text", "waited"),
    [("", 0), ("torn", 0), ("2000000 0", GAP), ("0 0", 0)],
    ids=["empty", "torn", "a clock that is ahead", "long ago"],
)
def test_what_a_file_says(tmp_path, monkeypatch, text, waited):
    (tmp_path / "site.test.turn").write_text(text)
    clock = VirtualTime()
    monkeypatch.setattr("ragassay.news.fetching.spacing.time", clock)
    start = clock.now
    clock.run(turn(tmp_path))
    assert clock.now - start == pytest.approx(waited, abs=0.001)


def test_a_killed_job_gives_its_turn_back(tmp_path, monkeypatch):
    flock, looks = fcntl.flock, []
    monkeypatch.setattr("fcntl.flock", lambda file, how: (looks.append(file), flock(file, how))[1])
    hang = """
import asyncio, sys
from ragassay.news.fetching.spacing import Spacing

async def main(folder):
    async with Spacing(folder).turn("site.test", 0, 0):
        print("in", flush=True)
        await asyncio.sleep(600)

asyncio.run(main(sys.argv[1]))
"""

    async def run():
        pipe = asyncio.subprocess.PIPE
        job = await asyncio.create_subprocess_exec(sys.executable, "-c", hang, str(tmp_path), stdout=pipe)
        await job.stdout.readline()
        waiting = asyncio.create_task(turn(tmp_path, gap=0.5))
        while len(looks) < 5:
            await asyncio.sleep(0.01)
        assert not waiting.done()
        job.send_signal(signal.SIGKILL)
        await job.communicate()
        await waiting

    asyncio.run(run())


def test_a_folder_without_locks_is_refused(tmp_path, monkeypatch):
    def flock(*_):
        raise OSError(37, "No locks available")

    monkeypatch.setattr("fcntl.flock", flock)
    with pytest.raises(AssayError, match=r"cannot be locked \(No locks available\)"):
        asyncio.run(turn(tmp_path))
