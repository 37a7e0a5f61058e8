"""Tell a person how a run of calls is going: done, in flight, rate, dollars, time left.

On a terminal one line that is written over; in a log file a line a minute; nothing before five seconds have passed.
Rate and time left go by the last minute, so that answers out of the ledger, which come in a burst, promise nothing.
"""

import sys
import time
from collections import deque

from ragassay.stage import log

TERMINAL_SECONDS, LOG_SECONDS, RECENT_SECONDS = 1.0, 60.0, 60.0


class Progress:
    def __init__(self, name: str, total: int | None = None):
        self.name, self.total, self.done = name, total, 0
        self.on_terminal = sys.stderr.isatty()
        self.every = TERMINAL_SECONDS if self.on_terminal else LOG_SECONDS
        self.marks = deque([(time.monotonic(), 0)])  # when how many were done
        self.next = self.marks[0][0] + max(5.0, self.every)
        self.shown = False

    def step(self, caller) -> None:
        """One item more is done."""
        self.done += 1
        now = time.monotonic()
        if now < self.next:
            return
        self.next = now + self.every
        line = self.line(now, caller.in_flight, caller.purse.spent)
        if self.on_terminal:
            sys.stderr.write(f"\r{line}\033[K")
            sys.stderr.flush()
            self.shown = True
        else:
            log.info("%s", line)

    def close(self) -> None:
        """What comes next on the terminal starts on a line of its own."""
        if self.shown:
            sys.stderr.write("\n")
            sys.stderr.flush()

    def line(self, now: float, in_flight: int, dollars: float) -> str:
        since, before = self.marks[0]
        rate = (self.done - before) / max(now - since, 1e-9)
        self.marks.append((now, self.done))
        while len(self.marks) > 1 and self.marks[1][0] <= now - RECENT_SECONDS:
            self.marks.popleft()
        of, left = "", ""
        if self.total is not None:
            of = f" of {self.total:,}"
            left = f", {_clock((self.total - self.done) / rate)} left" if rate else ""
        return f"{self.name}: {self.done:,}{of} done, {in_flight} in flight, {rate:.1f}/s, ${dollars:.4f}{left}"


def _clock(seconds):
    minutes, seconds = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{seconds:02}"
