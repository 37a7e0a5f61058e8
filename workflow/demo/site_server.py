"""Serve the demo corpus on this machine while a block runs, so that it can be crawled as if it were on the web.

One server on a free port of 127.0.0.1 answers for all hosts by the name in the request; `connect_to` tells the fetcher
to go there for them. It keeps to the manners of good servers: ETag and Last-Modified with 304 for what has not changed,
gzip for those who take it. `site` decides what it answers, the same each time. `requests` keeps what was asked for.
"""

import asyncio
import gzip
import threading
import time
from concurrent.futures import Future
from datetime import UTC
from email.utils import format_datetime, parsedate_to_datetime
from pathlib import Path
from typing import NamedTuple

from aiohttp import web

from demo.site import demo_site

ADDRESS = "127.0.0.1"


class Request(NamedTuple):
    """One request that was answered: when (seconds since 1970), for which host and path, and how."""

    time: float
    host: str
    path: str
    status: int


class LocalSite:
    """`with LocalSite(folder_of_articles) as site:` serves until the block ends."""

    def __init__(self, articles, site=None):
        self._site = demo_site(articles, site or Path(articles).parent / "site")
        self.feeds: list[tuple[str, str]] = self._site.feeds
        self.requests: list[Request] = []
        self.port = 0

    @property
    def connect_to(self) -> dict[str, str]:
        """Where to connect for each host."""
        return dict.fromkeys(self._site.hosts, f"{ADDRESS}:{self.port}")

    def __enter__(self):
        started = Future()
        self._thread = threading.Thread(target=asyncio.run, args=(self._serve(started),), daemon=True)
        self._thread.start()
        self._loop, self._stop, self.port = started.result()
        return self

    def __exit__(self, *_):
        self._loop.call_soon_threadsafe(self._stop.set)
        self._thread.join()

    async def _serve(self, started):
        stop = asyncio.Event()
        runner = web.ServerRunner(web.Server(self._answer, access_log=None), shutdown_timeout=0.1)
        try:
            await runner.setup()
            server = web.TCPSite(runner, ADDRESS, 0)
            await server.start()
            started.set_result((asyncio.get_running_loop(), stop, runner.addresses[0][1]))
            await stop.wait()
        except BaseException as error:
            if not started.done():
                started.set_exception(error)
            raise
        finally:
            await runner.cleanup()

    async def _answer(self, request):
        host, path = (request.host or "").rpartition(":")[0] or request.host or "", request.rel_url.raw_path
        if request.method not in ("GET", "HEAD"):
            response = web.Response(status=405, headers={"Allow": "GET, HEAD"}, text="Only reading is possible here\n")
        elif host not in self._site.hosts:
            response = web.Response(status=421, text="No such host is served here\n")
        elif (found := self._site.answers.get((host, path))) is None:
            response = web.Response(status=404, text="Not found\n")
        else:
            await asyncio.sleep(found.seconds)
            response = _response(found, request.headers)
        self.requests.append(Request(time.time(), host, path, response.status))
        return response


def _response(found, asked):
    if found.status != 200:
        headers = {"Location": found.location} if found.location else {}
        return web.Response(
            status=found.status, body=found.body, headers=headers | {"Content-Type": found.content_type}
        )
    headers = {"ETag": found.etag, "Vary": "Accept-Encoding", "Cache-Control": "max-age=0"}
    if found.modified:
        headers["Last-Modified"] = format_datetime(found.modified.astimezone(UTC), usegmt=True)
    if _is_unchanged(found, asked):
        return web.Response(status=304, headers=headers)
    headers["Content-Type"], body = found.content_type, found.body
    if "gzip" in asked.get("Accept-Encoding", ""):
        headers["Content-Encoding"], body = "gzip", gzip.compress(found.body, mtime=0)
    return web.Response(body=body, headers=headers)


def _is_unchanged(found, asked):
    if "If-None-Match" in asked:
        known = [etag.strip().removeprefix("W/") for etag in asked["If-None-Match"].split(",")]
        return found.etag in known or "*" in known
    if found.modified and "If-Modified-Since" in asked:
        try:
            return found.modified <= parsedate_to_datetime(asked["If-Modified-Since"])
        except (ValueError, TypeError):
            return False
    return False
