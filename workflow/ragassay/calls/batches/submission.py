"""One batch at the provider: written down, uploaded, created, awaited, and its replies taken in. It cannot be bought
twice: its requests and the hash of its input are in the ledger before the upload, the id of the input file before the
creation; after a creation without an answer the provider's batches are searched for these. A list out of date for
longer than SETTLE_SECONDS would break this."""

import asyncio
import hashlib
import io
import itertools
import json
import math
import time

from ragassay.base.errors import MISSHAPEN
from ragassay.base.stage import log
from ragassay.calls.ledger.journal import SYNC_SECONDS
from ragassay.calls.model import Failure
from ragassay.calls.wire.failures import failure_in_reply, failure_of

FIRST_LOOK, LONGEST_LOOK = 1.0, 60.0  # seconds between looks at a batch
TRIES, FIRST_WAIT, LONGEST_WAIT = 8, 1.0, 60.0
CALL_SECONDS, FILE_SECONDS = 60.0, 900.0  # for one call; for one that carries a file
SETTLE_SECONDS = 60.0  # after which a batch that was created is in the list
DAY = 86_400.0


class SentBatch:
    """`caller` is the BatchCaller, `record` what the ledger knows of a batch of an earlier run."""

    def __init__(self, caller, name: str, rows: list, record: dict | None = None):
        self.caller, self.name, self.record = caller, name, record
        self.rows, self.count = {row.id: row for row in rows}, len(rows)  # those without an end; all
        self.job = None  # as the provider described it last
        self.ended = asyncio.get_running_loop().create_future()
        self.held, self.paid, self.lost = sum(row.worst for row in rows), 0.0, 0.0
        if record:
            caller.purse.hold(self.held)

    async def send(self) -> None:
        async with self.caller.one_at_a_time:
            rows = list(self.rows.values())
            content = b"".join(row.line for row in rows)
            digest = hashlib.sha256(content).hexdigest()
            intents = [(row.id, row.key, row.samples, row.worst, row.again) for row in rows]
            self.caller.ledger.batch(self.name, digest, intents)
            try:
                file = await self._patiently(self.caller.provider.upload, FILE_SECONDS, content, f"{self.name}.jsonl")
            except Failure as failure:
                self._free(failure)
                raise
            for row in rows:
                row.line = b""
            self.job = await self._create(file, digest)
        self._say("was sent; it goes on when this run is stopped, and the next run takes its replies")
        await self.follow()

    async def find(self) -> bool:
        """Whether this batch of an earlier run is at the provider. If not, its requests may be sent again."""
        lost = False
        if "job" in self.record:
            try:
                self.job = await self._patiently(self.caller.provider.job, CALL_SECONDS, self.record["job"])
            except Failure as failure:
                if failure.kind != "http 404":
                    raise
                lost = True
        elif "file" in self.record:
            self.job = await self._look_for(self.record["file"], self.record["sha256"], self.record["since"])
        if self.job:
            self._say("of an earlier run is at the provider; its requests are not sent again")
        else:
            self._free(Failure("gone", "the provider does not know the batch", again=True, lost=lost))
        return self.job is not None

    async def follow(self) -> None:
        """Wait until the batch has ended, then take its replies in."""
        self.caller.ledger.batch_at(self.name, job=self.job.id)
        wait = FIRST_LOOK
        while self.job.state == "running":
            self.caller.tell(wait)
            await asyncio.sleep(wait)
            wait = min(wait * 1.5, LONGEST_LOOK)
            self.job = await self._patiently(self.caller.provider.job, CALL_SECONDS, self.job.id, tries=math.inf)
        is_full = "token_limit_exceeded" in self.job.error or "enqueued" in self.job.error.lower()
        if self.job.state == "failed" and not self.job.files and is_full:
            await self._send_later()
        else:
            await self._take_in()

    def end(self, outcome: Exception | None) -> None:
        """The rest of the rows get no reply from here, and why."""
        for row in self.rows.values():
            row.end(outcome or Failure("gone", "its batch has ended", again=True))
        if self.ended.done():
            return
        if isinstance(outcome, Exception):
            self.ended.set_exception(outcome)
            self.ended.exception()  # seen, even if nothing waits
        else:
            self.ended.set_result(None)
            if self.record:
                self.caller.purse.settle(self.held, self.paid, self.lost)

    async def _patiently(self, act, seconds, *arguments, tries=TRIES):
        """What `await act(*arguments)` returns, tried again where that can help."""
        for attempt in itertools.count(1):
            try:
                return await _in_time(seconds, act, *arguments)
            except Failure as failure:
                if not failure.again:
                    raise
                if attempt >= tries:
                    problem = f"no answer in {tries} tries, the last: {failure.detail}"
                    raise Failure(failure.kind, problem, again=False) from failure
                await _pause(attempt, failure)

    async def _create(self, file, digest):
        """Create the batch; when that is not answered, look whether it was created before trying again."""
        for attempt in range(1, TRIES + 1):
            self.caller.ledger.batch_at(self.name, file=file)
            await asyncio.sleep(2 * SYNC_SECONDS)  # then it is on the disk
            try:
                return await _in_time(CALL_SECONDS, self.caller.provider.create, file, digest)
            except Failure as raised:
                failure = raised
            if not failure.again:
                self._free(failure)
                raise failure
            if failure.kind != "http 429" and (job := await self._look_for(file, digest, time.time())):
                return job
            await _pause(attempt, failure)
        problem = f"no batch was created in {TRIES} tries, the last: {failure.detail}; run again to go on"
        raise Failure(failure.kind, problem, again=False)

    async def _look_for(self, file, digest, since):
        """The batch with this input, or None if it is missing some time after the attempt to create it."""
        while True:
            settled = time.time() >= since + SETTLE_SECONDS
            for job in await self._patiently(self.caller.provider.jobs, CALL_SECONDS, since - DAY):
                if job.input_file == file or job.input_sha256 == digest:
                    return job
            if settled:
                return None
            await asyncio.sleep(min(SETTLE_SECONDS / 4, 5.0))

    async def _take_in(self):
        """Give every row its reply, or say why there is none."""
        outcomes, ended = [], f"batch {self.job.id} ended as {self.job.state}"
        try:
            for file in self.job.files:
                for number, line in enumerate(io.BytesIO(await self._download(file)), start=1):
                    row, reply = self._read(line)
                    if row:
                        outcomes.append((row, self._outcome(row, reply)))
                        del self.rows[row.id]
                    if number % 500 == 0:
                        await asyncio.sleep(0)
            for row in list(self.rows.values()):
                # A batch that ended by itself answered all that it names nowhere; one that was ended may not have.
                lost = self.job.state in ("completed", "expired")
                problem = f"{ended} without a reply to this request {self.job.error}".strip()
                outcomes.append((row, self.caller.fail(row, Failure("missing", problem, again=True, lost=lost))))
                self.lost += row.worst * lost
                del self.rows[row.id]
        finally:
            for row, outcome in outcomes:
                row.end(outcome)
        bad = sum(isinstance(outcome, Failure) for _, outcome in outcomes)
        self._say(f"ended as {self.job.state}" + (f", {bad:,} of its requests without a reply" if bad else ""))

    async def _download(self, file):
        """The whole file. A truncated one would look as if paid replies were missing."""
        seen = set()
        while True:
            content, size = await self._patiently(self.caller.provider.download, FILE_SECONDS, file)
            if len(content) == size or content in seen:  # the same again: then the size is what is wrong
                return content
            seen.add(content)

    def _read(self, line):
        try:
            reply = json.loads(line)
            return self.rows.get(reply["custom_id"].rpartition("-")[2]), reply
        except MISSHAPEN:
            return None, None

    def _outcome(self, row, reply):
        """Answers and their price, or a Failure; either is in the ledger."""
        response, error = reply.get("response"), reply.get("error") or {}
        response = response if isinstance(response, dict) else {}
        status, body = response.get("status_code"), response.get("body")
        source = f"for a request of batch {self.job.id}"
        if status == 200 or (status is None and isinstance(body, dict) and "choices" in body):
            outcome = self.caller.receive(row, json.dumps(body))
        elif status and isinstance(status, int):
            outcome = self.caller.fail(row, failure_of(status, body, source, self.caller.model))
        else:
            failure = failure_in_reply(error, source, self.caller.model, lost=False)
            if failure.again:
                detail = f"a request of batch {self.job.id} failed: {str(error)[:300]}"
                failure = Failure("in the error file", detail, again=True)
            outcome = self.caller.fail(row, failure)
        if isinstance(outcome, Failure):
            self.lost, self.paid = self.lost + row.worst * outcome.lost, self.paid + outcome.paid
        else:
            self.paid += outcome[1]
        return outcome

    async def _send_later(self):
        """The provider's queue is full; nothing of this batch was done."""
        self._free(Failure("full", self.job.error, again=True), keep=True)
        await self.caller.until_there_is_room(self)
        rows, self.rows = list(self.rows.values()), {}
        for row in rows:
            if row.request:
                row.again = True
                self.caller.enqueue(row)

    def _free(self, failure, keep=False):
        """Record that the rows have no reply."""
        for row in self.rows.values():
            self.caller.fail(row, failure)
            self.lost += row.worst * failure.lost
            if not keep:
                row.end(failure)
        if not keep:
            self.rows = {}

    def _say(self, what):
        log.info("model %s: batch %s of %s requests %s", self.caller.model.name, self.job.id, f"{self.count:,}", what)


async def _in_time(seconds, act, *arguments):
    """What `await act(*arguments)` returns within this time."""
    try:
        async with asyncio.timeout(seconds):
            return await act(*arguments)
    except TimeoutError:
        raise Failure("timeout", f"no answer within {seconds:g} s", again=True, lost=True) from None


async def _pause(attempt, failure):
    await asyncio.sleep(max(failure.after or 0.0, min(LONGEST_WAIT, FIRST_WAIT * 2 ** (attempt - 1))))
