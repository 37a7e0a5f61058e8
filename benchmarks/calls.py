"""Time the call layer against a loopback server, beside the limit and beside a plain client with a semaphore.

The limit is calls x latency / concurrency; for random latencies it is what as many workers need that take the next
call when they have done one, with the latencies that the server drew. Each run is a process of its own. Processor time
that we add is ours less the plain client's on the same transport, and, by another way, what the layer takes when the
client answers at once and does nothing. `python benchmarks/calls.py scan hits` measures only
what is named.
"""

import asyncio
import gc
import heapq
import importlib
import json
import os
import tempfile
import time
from dataclasses import replace
from statistics import median

from common.figures import figure, parts
from common.memory import peak_megabytes, task
from common.model_jobs import Jobs, asked
from tools.loopback import Loopback

IN_FLIGHT = 64
CALLS, HITS, QUEUED, RECORDS = 2000, 100_000, 500_000, 1_000_000
FREE = {"input": 0, "output": 0}
REPLY = {
    "id": "chatcmpl-1",
    "object": "chat.completion",
    "created": 1,
    "model": "loopback",
    "choices": [{"index": 0, "message": {"role": "assistant", "content": "It is. " * 40}, "finish_reason": "stop"}],
    "usage": {"prompt_tokens": 150, "completion_tokens": 70, "total_tokens": 220},
}


def prompts(calls):
    for number in range(calls):
        yield [{"role": "user", "content": f"Question {number}: " + "what does the document say about it? " * 16}]


def requests(calls):
    from ragassay.calls.model import Request

    return (Request(messages, {"max_tokens": 100}) for messages in prompts(calls))


def settings(url):
    from ragassay.calls.model import Model

    how = {"base_url": url, "key_variable": "KEY", "concurrency": IN_FLIGHT, "price": FREE, "client": "fast"}
    return Model("loopback", "openai", "loopback", **how)


def ours(url, calls, ledger, **how):
    from ragassay.calls.complete import complete

    assert sum(1 for _ in complete(requests(calls), replace(settings(url), **how), ledger)) == calls


def registered(url, calls, folder, **how):
    """The same as one of a project's jobs, which share a register."""
    ours(url, calls, tempfile.mkdtemp(dir=folder), **{"register": f"{folder}/model"} | how)


def official(url, calls, folder):
    """The same, with the official client sending."""
    registered(url, calls, folder, register=f"{folder}/official", client="official")


def plain(url, calls, _, transport=None):
    """What a user would write: the official client, a semaphore, gather."""
    import openai

    async def run():
        client = openai.AsyncOpenAI(
            api_key=os.environ["KEY"], base_url=url, max_retries=0, http_client=transport and transport()
        )
        gate = asyncio.Semaphore(IN_FLIGHT)

        async def one(messages):
            async with gate:
                reply = await client.chat.completions.create(model="loopback", messages=messages, max_tokens=100)
                return reply.choices[0].message.content

        found = await asyncio.gather(*(one(messages) for messages in prompts(calls)))
        await client.close()
        assert len(found) == calls

    asyncio.run(run())


def plain_aiohttp(url, calls, ledger):
    import openai

    plain(url, calls, ledger, openai.DefaultAioHttpClient)


def layer(url, calls, ledger):
    """Ours alone: in place of the client and the wire stands a reply that is there at once."""
    from ragassay.calls.providers.openai import Provider

    body = json.dumps(REPLY)

    async def send(provider, messages, sampling, samples):
        await asyncio.sleep(0)
        return body, {}

    Provider.send = send
    ours(url, calls, ledger)


def queued(url, calls, ledger):
    """So many requests wait, some are answered: what is resident then."""
    from ragassay.calls.complete import complete

    results = complete(requests(calls), settings(url), ledger)
    for _ in range(CALLS):
        next(results)
    results.close()


def known(url, calls, folder):
    """Write a ledger that knows the answers to so many requests, or has so many records, three for a call."""
    from ragassay.calls.ledger.records import Ledger
    from ragassay.calls.model import Usage, call_key, provider_for

    identity, ledger, body = provider_for(settings(url)).identity(), Ledger(folder), json.dumps(REPLY)
    for request in requests(calls):
        key = call_key(identity, request)
        sent = ledger.intent(key, [0])
        ledger.done(sent, body)
        ledger.settled(sent, Usage(150, 0, 70), 0.0, answers=1)
    ledger.close()


def scan(_, calls, folder):
    from ragassay.calls.ledger.records import Ledger

    ledger = Ledger(folder)
    assert ledger.counts["replies"] == calls
    ledger.close()


RUNS = {run.__name__: run for run in (ours, registered, official, plain, plain_aiohttp, layer, queued, known, scan)}


def measure(kind, url, calls, folder):
    """In a process of its own: seconds of wall and of processor time of the calls, and peak megabytes."""
    for module in (
        ("openai",)
        if kind in ("official", "plain", "plain_aiohttp")
        else ("ragassay.calls.complete", "ragassay.calls.providers.openai")
    ):
        importlib.import_module(module)  # to load it is not part of the calls
    gc.freeze()  # as in jobs
    wall, cpu = time.perf_counter(), time.process_time()
    RUNS[kind](url, int(calls), folder)
    peak = peak_megabytes()
    return [time.perf_counter() - wall, time.process_time() - cpu, peak]


def child(kind, url, calls, folder=None):
    with tempfile.TemporaryDirectory(prefix="ragassay-bench-") as scratch:
        os.environ["KEY"] = "test-key"
        return task("measure", kind, url, calls, folder or scratch)


def figure_fixed(runs=3):
    """In turns, so that what else the machine does falls on all alike; of each the fastest, and the median processor
    time.
    """
    kinds = ("registered", "official", "plain", "plain_aiohttp")
    with Loopback(latency=0.2) as server, tempfile.TemporaryDirectory(prefix="ragassay-bench-") as folder:
        turns = [[child(kind, server.url, CALLS, folder) for kind in kinds] for _ in range(runs)]
    mine, through, theirs, alike = (min(seconds for seconds, _, _ in own) for own in zip(*turns, strict=True))
    busy = dict(zip(kinds, (median(cpu for _, cpu, _ in own) for own in zip(*turns, strict=True)), strict=True))
    limit = CALLS * 0.2 / IN_FLIGHT
    figure("calls_2000_at_200ms", mine, "s", f"<= {1.12 * limit:.4g}", limit)
    figure("calls_against_the_plain_client", mine / theirs, "x", "<= 1")
    figure("official_client_against_itself_alone", through / alike, "x", "<= 1.05")
    figure("processor_added_per_call", (busy["registered"] - busy["plain_aiohttp"]) / CALLS * 1e6, "us", "<= 100")
    alone = median(child("layer", "http://127.0.0.1:1/v1", 10 * CALLS)[1] for _ in range(runs))
    figure("processor_of_the_layer_per_call", alone / (10 * CALLS) * 1e6, "us", "<= 100")


def figure_lognormal():
    with Loopback(latency=0.5, latency_sigma=0.6) as server:
        seconds, _, _ = child("ours", server.url, CALLS)
        drawn = [line["seconds"] for line in server.log() if line["event"] == "asked"]
    free = [0.0] * IN_FLIGHT
    for latency in drawn:
        heapq.heapreplace(free, free[0] + latency)
    limit = max(free)
    figure("calls_2000_at_lognormal_500ms", seconds, "s", f"<= {1.15 * limit:.4g}", limit)


def figure_paced(calls=2000):
    """The limit is that on requests, or what the machine does without one."""
    seconds = []
    for settings in ({}, {"requests_per_minute": 30_000}):
        with Loopback(latency=0.05) as server, tempfile.TemporaryDirectory(prefix="ragassay-bench-") as folder:
            with Jobs(server, folder, concurrency=IN_FLIGHT, **settings) as running:
                running.start(calls)
                assert running.wait() == [0]
            times = asked(server)
            seconds.append(times[-1] - times[0])
    limit = max(calls / 500, seconds[0])
    figure("calls_2000_at_500_a_second", seconds[1], "s", f"<= {1.15 * limit:.4g}", limit)


def figure_queued():
    with Loopback(latency=0.01) as server:
        _, _, peak = child("queued", server.url, QUEUED)
        _, _, least = child("queued", server.url, CALLS)
    figure("requests_500000_queued_memory", peak, "MB", "< 150", least)


def figure_hits():
    with tempfile.TemporaryDirectory(prefix="ragassay-bench-") as folder:
        url = "http://127.0.0.1:1/v1"
        child("known", url, HITS, folder)
        loaded, answered = (min(child(kind, url, HITS, folder) for _ in range(4)) for kind in ("scan", "ours"))
    figure("ledger_hits_100000", answered[0] - loaded[0], "s", "< 4")


def figure_scan():
    with tempfile.TemporaryDirectory(prefix="ragassay-bench-") as folder:
        child("known", "http://127.0.0.1:1/v1", -(-RECORDS // 3), folder)
        seconds, _, peak = child("scan", "", -(-RECORDS // 3), folder)
    figure("scan_of_1000000_records", seconds, "s", "< 60")
    figure("scan_of_1000000_records_memory", peak, "MB", "< 2000")


if __name__ == "__main__":
    runs = {"fixed": figure_fixed, "lognormal": figure_lognormal}
    runs |= {"paced": figure_paced, "queued": figure_queued, "hits": figure_hits, "scan": figure_scan}
    parts(runs, {"measure": measure})
