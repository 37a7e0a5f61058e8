"""Mode batch: the same requests through the provider's batch API, at its lower price. What conversations ask is
queued and sent as one batch once nothing new has come for a moment (see `submission`). Batches of earlier runs that
are still under way are adopted before anything is asked, and go on at the provider when a run is stopped."""

import asyncio
import contextlib
import json
import secrets
import time
from dataclasses import dataclass

from ragassay.base.stage import log
from ragassay.base.terminal import masked
from ragassay.calls._caller import Caller
from ragassay.calls.batches.submission import SentBatch
from ragassay.calls.model import Failure, ModelError, Request, Sent

WORKERS = 20_000  # conversations side by side; each takes about 15 kB
QUIET_SECONDS = 2.0  # without a new request, after which what is queued is sent
FULL_SECONDS, LONGEST_FULL_SECONDS = 60.0, 900.0  # to wait when the provider's queue is full
TELL_SECONDS = 60.0


@dataclass(slots=True, eq=False)
class BatchRow(Sent):
    """A request as a part of a batch. One of an earlier run has no content, and nothing waits for it."""

    again: bool = False
    request: Request | None = None
    line: bytes = b""
    reply: asyncio.Future | None = None  # its answers and what they cost

    def end(self, outcome: tuple | Exception) -> None:
        if self.reply and not self.reply.done():
            (self.reply.set_exception if isinstance(outcome, Exception) else self.reply.set_result)(outcome)


class BatchCaller(Caller):
    batched, workers = True, WORKERS

    def __init__(self, model, ledger, provider, lease):
        if not provider.batches:
            raise ModelError(f"model {model.name}: provider {model.provider} has no batches; set mode to online")
        super().__init__(model, ledger, provider, lease)
        self.queue, self.size, self.queued = [], 0, 0  # rows for the next batch, their bytes; rows ever queued
        self.most_rows, self.full_seconds = provider.most_rows, FULL_SECONDS
        self.under_way = {}  # batches that were sent or adopted -> their tasks
        self.adopted = {}  # key -> batches of earlier runs that ask for it
        self.one_at_a_time = asyncio.Lock()  # sending takes memory
        self._adopting = self._waiting = None  # tasks
        self._next_line = 0.0

    def halt(self, error, seconds=0.0):
        """Wait for nothing: batches continue at the provider."""
        super().halt(error, seconds)
        for task in self._tasks():
            task.cancel()

    async def close(self):
        await asyncio.gather(*self._tasks(), return_exceptions=True)
        await super().close()

    def _tasks(self):
        return [task for task in (self._adopting, self._waiting, *self.under_way.values()) if task]

    async def _missing(self, key, request, missing):
        if self._adopting is None:
            self._adopting = asyncio.create_task(self._adopt())
        await self._with_others(self._adopting)
        for batch in self.adopted.pop(key, ()):
            await self._with_others(batch.ended)
        answers = self._known(key)
        return {number: answers[number] for number in missing if number in answers} or await super()._missing(
            key, request, missing
        )

    async def _sleep(self, seconds):
        """Do not wait before another try: batches take long anyway, and requests that failed together stay together."""
        self._go_on()

    async def _with_others(self, waited_for):
        """Wait for a task or future that others wait for too."""
        with contextlib.suppress(asyncio.CancelledError):  # as when the run is halted
            await asyncio.shield(waited_for)
        self._go_on()

    async def _attempt(self, key, request, numbers, most, worst, again):
        await self.purse.make_room(worst)
        with self.purse.holding(worst) as bill:
            self.in_flight += 1
            try:
                self._go_on()
                reply = asyncio.get_running_loop().create_future()
                self.enqueue(BatchRow("", key, numbers, worst, again, request, reply=reply))
                answers, bill.paid = await reply
                return answers
            finally:
                self.in_flight -= 1

    def enqueue(self, row: BatchRow) -> None:
        """Put a row into the next batch, with a unique id, so that no two batches have the same input."""
        row.id = secrets.token_hex(8)
        messages, sampling = row.request.messages, row.request.sampling
        line = self.provider.row(f"{row.key}-{row.id}", messages, sampling, row.samples)
        row.line = json.dumps(line).encode() + b"\n"
        if len(self.queue) >= self.most_rows or self.size + len(row.line) > self.provider.most_bytes:
            self._send_queue()
        self.queue.append(row)
        self.size, self.queued = self.size + len(row.line), self.queued + 1
        if self._waiting is None:
            self._waiting = asyncio.create_task(self._send_when_quiet())

    async def _send_when_quiet(self):
        before = None
        while before != self.queued:
            before = self.queued
            await asyncio.sleep(QUIET_SECONDS)
            for _ in range(3):
                await asyncio.sleep(0)  # a task that could not run meanwhile may be about to ask
        self._waiting = None
        self._send_queue()

    def _send_queue(self):
        rows, self.queue, self.size = self.queue, [], 0
        if rows:
            batch = SentBatch(self, secrets.token_hex(8), rows)
            self._see_through(batch, batch.send)

    def _see_through(self, batch, work):
        async def to_the_end():
            """An error of a batch goes to everything that waits for its rows."""
            try:
                self._go_on()
                await work()
                batch.end(None)
            except Failure as failure:
                batch.end(ModelError(f"model {self.model.name}: {failure.detail}"))
            except Exception as error:  # noqa: BLE001
                batch.end(error)
            finally:
                self.under_way.pop(batch, None)

        self.under_way[batch] = asyncio.create_task(to_the_end())

    async def _adopt(self):
        """Find the batches of earlier runs at the provider, or that they were never created."""
        for record in list(self.ledger.open_batches()):
            rows = [BatchRow(*row) for row in record["rows"]]
            batch = SentBatch(self, record["id"], rows, record)
            try:
                exists = await batch.find()
            except Failure as failure:
                raise ModelError(f"model {self.model.name}: {failure.detail}") from failure
            if exists:
                for key in {row.key for row in rows}:
                    self.adopted.setdefault(key, []).append(batch)
                self._see_through(batch, batch.follow)
            else:
                batch.end(None)

    def receive(self, row: BatchRow, body: str) -> tuple | Failure:
        """Record a reply, raw, before it is read."""
        self._go_on()
        body = masked(body)
        self.ledger.done(row, body)
        try:
            return self.settlement.settle(row, body)
        except Failure as failure:
            return failure

    def fail(self, row: BatchRow, failure: Failure) -> Failure:
        """Record that a row has no reply."""
        self._go_on()
        self.ledger.failed(row, failure.kind, failure.detail, failure.lost)
        return failure

    async def until_there_is_room(self, refused: SentBatch) -> None:
        """The provider's queue is full: wait until another batch has ended, or for a while."""
        others = [batch.ended for batch in self.under_way if batch.job and batch is not refused]
        if not others:
            self.most_rows = max(1, min(self.most_rows, len(refused.rows)) // 2)  # it may be too large by itself
        message = "model %s: the provider refused a batch for now (%s); trying again in at most %.0f s"
        log.info(message, self.model.name, refused.job.error, self.full_seconds)
        seconds, self.full_seconds = self.full_seconds, min(self.full_seconds * 2, LONGEST_FULL_SECONDS)
        if others:
            await asyncio.wait(others, timeout=seconds, return_when=asyncio.FIRST_COMPLETED)
        else:
            await asyncio.sleep(seconds)

    def tell(self, wait: float) -> None:
        """Report from time to time what is being waited for."""
        now = time.monotonic()
        if now < self._next_line:
            return
        self._next_line = now + TELL_SECONDS
        there = [batch for batch in self.under_way if batch.job]
        rows, done = sum(len(batch.rows) for batch in there), [batch.job.done for batch in there]
        some = f" ({sum(done):,} are done)" if None not in done else ""
        batches = "1 batch" if len(there) == 1 else f"{len(there)} batches"
        message = "model %s: waiting for %s of %s requests at the provider%s; looking again in %.0f s"
        log.info(message, self.model.name, batches, f"{rows:,}", some, wait)
