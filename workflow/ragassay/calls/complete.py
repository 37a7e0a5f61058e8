"""The one way to a model: ask, keep what comes back, never ask twice for the same. `complete` answers a stream of
requests in their order; `converse` runs a conversation of several dependent calls per item. A request that fails for
good stops nothing that is under way; the run ends with an error that counts what is missing, and a second run asks
for exactly that."""

import asyncio
import contextlib
import json
import os
import signal
import threading
from collections.abc import Callable, Iterable, Iterator

from ragassay.base import tables
from ragassay.base.stage import log
from ragassay.base.tally import Tally
from ragassay.calls._caller import DRAIN_SECONDS, Caller, GaveUp, Stopped
from ragassay.calls._estimating import FOLDER, EstimatingCaller, estimating
from ragassay.calls._workers import Unanswered, Workers
from ragassay.calls.batches.batch_caller import BatchCaller
from ragassay.calls.ledger.lease import Lease
from ragassay.calls.ledger.records import Ledger
from ragassay.calls.ledger.register import Register
from ragassay.calls.model import Answer, Model, Request, provider_for
from ragassay.schemas.report import CALLS

__all__ = ["GaveUp", "Stopped", "Unanswered", "account", "complete", "converse", "estimating"]

ENDING = signal.SIGINT, signal.SIGTERM, signal.SIGHUP  # Ctrl-C, a scheduler, a terminal that is closed


def complete(
    requests: Iterable[Request], model: Model, ledger, calls=None, tally: Tally | None = None, first: int = 0
) -> Iterator[list[Answer]]:
    """The answers to each request, in order: as many as it asks samples for. A job that asks in rounds says how many
    requests came before: `first`.
    """

    async def once(request, ask):
        return await ask(request)

    expected = len(requests) if hasattr(requests, "__len__") else None
    return converse(requests, once, model, ledger, calls, tally, expected=expected, first=first)


def converse(
    items: Iterable,
    conversation: Callable,
    model: Model,
    ledger,
    calls=None,
    tally: Tally | None = None,
    side_by_side: int = 0,
    expected: int | None = None,
    first: int = 0,
) -> Iterator:
    """What `await conversation(item, ask)` returns for each item, in order; `await ask(request)` gives its answers.
    `calls` is where the table of what was asked and paid goes, if it is wanted. With a `tally`, in which the caller
    counts what came of each result, the run stops where most of it cannot be used. Conversations of many calls should
    be more `side_by_side` than requests may be in flight: they alternate, so that the last ones do not run alone.
    `expected` is the number of all their requests, if it is known, so that progress can tell the time left.
    """
    with contextlib.ExitStack() as stack:
        asks = model.mode != "replay" and not estimating()
        register = Register(model.register, ledger) if asks and model.register else None
        lease = stack.enter_context(Lease(ledger, asks, register))
        journal = Ledger(ledger)
        stack.push(lambda kind, *_: _tell(journal, model, None if kind and issubclass(kind, Exception) else calls))
        stack.callback(journal.close)
        loop = asyncio.new_event_loop()
        stack.callback(loop.close)
        caller = _caller(model, journal, lease)
        caller.call_keys.first = first
        workers = Workers(items, conversation, caller, expected, side_by_side)
        journal.on_error = lambda error: _tell_loop(loop, workers, error)
        stack.enter_context(_ending_well(loop, workers))
        stack.callback(lambda: loop.run_until_complete(workers.close()))
        heeded = None if estimating() else tally  # the stand-in says nothing about the model
        while (ready := loop.run_until_complete(workers.next_results())) is not None:
            for result in ready:
                yield result
                if heeded:
                    heeded.go_on()
        if heeded:
            heeded.check()
        if calls and asks and not lease.read_only:
            caller.call_keys.write()
        if estimating():
            caller.write(os.environ[FOLDER])


def _caller(model, journal, lease):
    provider = provider_for(model)
    if estimating():
        return EstimatingCaller(model, journal, provider, lease)
    if model.mode == "batch":
        return BatchCaller(model, journal, provider, lease)
    if model.mode == "online" and (waiting := sum(len(batch["rows"]) for batch in journal.open_batches())):
        message = (
            "model %s: %d requests are in batches, which mode online does not wait for: asked again, they cost again"
        )
        log.info(message, model.name, waiting)
    return Caller(model, journal, provider, lease)


def account(model: Model, journal: Ledger) -> dict:
    """What was asked and paid in all runs that the ledger knows. The same ledger gives the same row."""
    counts = {name: journal.counts[name] for name in ("requests", "retries", "replies", "failures", "samples")}
    tokens = {f"{name}_tokens": journal.counts[name] for name in ("prompt", "cached", "completion")}
    twice = {"possibly_billed_twice": journal.possibly_billed_twice}
    served = json.dumps(journal.served, sort_keys=True) if journal.served else None
    return {"model": model.name, **counts, **tokens, "dollars": journal.dollars, **twice, "served_as": served}


def _tell(journal, model, calls):
    if calls:
        tables.write(CALLS, calls, [account(model, journal)])
    if journal.damaged:
        message = (
            "%s: %d lines cannot be read (a process was killed, or they are damaged); what they held is asked again"
        )
        log.info(message, journal.folder, journal.damaged)
    if twice := journal.possibly_billed_twice:
        log.info("%s: %d samples were possibly billed without an answer that was kept", journal.folder, twice)


def _tell_loop(loop, workers, error):
    with contextlib.suppress(RuntimeError):  # the loop is closed, and the error comes up when the journal is
        loop.call_soon_threadsafe(workers.halt, error)


@contextlib.contextmanager
def _ending_well(loop, workers):
    """Asked to end, stop asking, wait for what is in flight, end with exit status 75."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = {number: signal.getsignal(number) for number in ENDING}
    heeded = [number for number in ENDING if before[number] is not signal.SIG_IGN]  # respect nohup
    for number in heeded:
        loop.add_signal_handler(number, _end, workers)
    try:
        yield
    finally:
        for number in heeded:
            loop.remove_signal_handler(number)
            signal.signal(number, before[number] or signal.SIG_DFL)


def _end(workers):
    caller = workers.caller
    if caller.in_flight and not (caller.batched or caller.error):  # batches continue at the provider
        log.warning("asked to end: waiting for %d requests in flight, %.0f s at most", caller.in_flight, DRAIN_SECONDS)
    workers.halt(Stopped("asked to end: what was in flight is in the ledger, run again to go on"))
