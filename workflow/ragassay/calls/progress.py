"""Show how a run of calls is going: done, in flight, rate, dollars, time left, and what fails meanwhile.

A line after ten seconds and then one a minute, whether anything is done or not. On the terminal a line is never written
over, since several jobs share it. Rate and time left go by what the model answered in the last minute: answers out of
the ledger, which come in a burst, promise nothing.
"""

import asyncio
import time
from collections import Counter, deque

from ragassay.base.stage import log
from ragassay.calls.bulletin import SECONDS as POSTED_SECONDS
from ragassay.calls.bulletin import Bulletin

FIRST_SECONDS, SECONDS = 10.0, 60.0  # until the first line, and between lines
RECENT_SECONDS = 60.0


class Progress:
    """`total` is the number of calls, if it is known; each that has its answers adds one to `done`. A `bulletin` tells
    the run about it, whose lines then stand on the terminal in place of the job's own.
    """

    def __init__(self, name: str, total: int | None = None, bulletin: Bulletin | None = None):
        self.name, self.total, self.done, self.bulletin = name, total, 0, bulletin
        self.marks = deque([(time.monotonic(), 0)])  # when how many were answered by the model
        self.failures = Counter()  # those in earlier lines

    async def tell(self, caller) -> None:
        """Line after line, until cancelled."""
        due, last = time.monotonic() + FIRST_SECONDS, 0
        while True:
            self.post(caller)
            await asyncio.sleep(max(0.0, min(POSTED_SECONDS, due - time.monotonic())))
            if time.monotonic() < due:
                continue
            if self.done > last or not caller.batched:  # what batches wait for is reported separately
                log.info("%s", self.line(time.monotonic(), caller), extra={"in_the_runs_line": True})
            due, last = time.monotonic() + SECONDS, self.done

    def post(self, caller, ended: bool = False) -> None:
        """Tell the run."""
        if self.bulletin:
            self.bulletin.write(self, caller, ended)

    def line(self, now: float, caller) -> str:
        answered = self.done - caller.known
        since, before = self.marks[0]
        rate = (answered - before) / max(now - since, 1e-9)
        self.marks.append((now, answered))
        while len(self.marks) > 1 and self.marks[1][0] <= now - RECENT_SECONDS:
            self.marks.popleft()
        of, left = "", ""
        if self.total is not None:
            of = f" of {self.total:,}"
            left = f", {clock((self.total - self.done) / rate)} left" if rate else ""
        going = f"{self.name}: {self.done:,}{of} calls done, {caller.in_flight} in flight, {rate:.1f}/s"
        return f"{going}, ${caller.purse.spent:.4f}{left}{self._trouble(caller)}"

    def _trouble(self, caller):
        """What failed since the last line, and whether the provider has asked for a pause."""
        recent, self.failures = caller.failures - self.failures, Counter(caller.failures)
        told = ""
        if recent:
            kinds = ", ".join(f"{count:,} {kind}" for kind, count in recent.most_common())
            told = f"; failed since the last line: {kinds}; the last: {caller.last_failure}"
        if pause := caller.pace.pause_left:
            told += f"; the provider asked for a pause, {pause:.0f} s more, and {caller.waiting:,} requests wait"
        return told


def clock(seconds):
    minutes, seconds = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{seconds:02}"
