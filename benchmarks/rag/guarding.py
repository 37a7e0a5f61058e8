"""The guard server as a process of its own, with a gate whose encoder computes: what it adds to one request after
another, and whether many at once, and reloads meanwhile, lose any.
"""

import asyncio
import contextlib
import json
import os
import re
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import httpx

from common.clone import ROOT
from common.figures import WORKFLOW, figure
from fitted import QUESTIONS, write_gate
from guard_servers import settings
from ragassay.services.serving.fits import Fits

ALONE, COUNT, IN_FLIGHT, RELOADS = 300, 1_000, 50, 5
BODY = {"queries": QUESTIONS[:1]}


def guarding():
    with tempfile.TemporaryDirectory() as name:
        gate = str(write_gate(Path(name, "gate"), "fused"))
        fits = Fits.load(settings(gate=gate))
        with serving(Path(name), {"gate": gate}) as (_, address), httpx.Client(base_url=address, timeout=60) as client:
            both = [(_timed(fits.ask, "gate", BODY), _timed(_post, client)) for _ in range(ALONE + 10)]
            seconds, served = zip(*both[10:], strict=True)  # the first ones load and connect
            figure("guard_request", 1000 * statistics.median(served), "ms",
                   f"<= {1300 * statistics.median(seconds):.4g}", 1000 * statistics.median(seconds))  # fmt: skip
            added = statistics.quantiles(served, n=100)[98] - statistics.quantiles(seconds, n=100)[98]
            figure("guard_added_p99", 1000 * added, "ms", "<= 20")
            figure("guard_lost_of_1000_at_50", asyncio.run(_at_once(address, 0)), "requests", "== 0")
            figure("guard_lost_while_reloading", asyncio.run(_at_once(address, RELOADS)), "requests", "== 0")


@contextlib.contextmanager
def serving(folder, settings, **environment):
    """The process of a server with these settings, and its address."""
    file = folder / "mine.yaml"
    file.write_text(json.dumps({"guard_server": settings}))
    command = [sys.executable, "-m", "ragassay.command.app", "serve", "--port", "0", "--configfile", str(file)]
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.DEVNULL, "text": True}
    environment = os.environ | {"PYTHONPATH": WORKFLOW} | environment
    with subprocess.Popen(command, cwd=ROOT, env=environment, **pipes) as server:
        try:
            yield server, re.search(r"http://\S+", server.stdout.readline())[0]
        finally:
            server.terminate()


def _timed(function, *arguments):
    begin = time.perf_counter()
    function(*arguments)
    return time.perf_counter() - begin


def _post(client):
    client.post("/gate", json=BODY).raise_for_status()


async def _at_once(address, reloads):
    """How many of all requests, so many in flight, and reloads got anything but an answer."""
    places, lost = asyncio.Semaphore(IN_FLIGHT), 0

    async def ask(client, path, body):
        nonlocal lost
        async with places:
            try:
                reply = await client.post(path, json=body)
                lost += reply.status_code != httpx.codes.OK
            except httpx.HTTPError:
                lost += 1

    limits = httpx.Limits(max_connections=IN_FLIGHT)
    async with httpx.AsyncClient(base_url=address, timeout=120, limits=limits) as client:
        work = [ask(client, "/gate", BODY) for _ in range(COUNT)]
        for number in range(reloads, 0, -1):  # at even distances
            work.insert(number * COUNT // reloads, ask(client, "/reload", {}))
        await asyncio.gather(*work)
    return lost
