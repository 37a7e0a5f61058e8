"""Keep to the limits of a provider: requests and tokens a minute, spread evenly, and pauses that it asks for.

Each limit is a clock; a request takes the next free moment on every clock and moves them on by its share of a minute.
Because whoever sleeps wakes late, and the next one perhaps not, requests of the last second are counted as well: no
second has more of them than a second's share of the limit, rounded up. Limits are divided by the number of live shards
that share them. How many are in flight is counted apart, in slots.
"""

import asyncio
import math
import time
from collections import deque
from collections.abc import Callable

SECOND = 1.05  # a little more than one, since clocks and connections differ by some milliseconds


class Pace:
    """`await wait(tokens)` before each request; `learn` what reply headers say; `pause` when asked to."""

    def __init__(
        self, requests_per_minute: int | None = None, tokens_per_minute: int | None = None, shares: int = 1, sleep=None
    ):
        self.limits = {"requests_per_minute": requests_per_minute, "tokens_per_minute": tokens_per_minute}
        self.shares = shares
        self._sleep = sleep or asyncio.sleep
        self._next = dict.fromkeys(self.limits, 0.0)  # the next free moment
        self._last = deque()  # when the requests of the last second went out
        self._until = 0.0

    async def wait(self, tokens: int) -> None:
        now = start = time.monotonic()
        costs = {"requests_per_minute": 1, "tokens_per_minute": tokens}
        for name, limit in self.limits.items():
            if limit:
                moment = max(self._next[name], now)
                start = max(start, moment)
                self._next[name] = moment + 60 * costs[name] * self.shares / limit
        while (delay := max(start, self._until, self._second_is_free()) - time.monotonic()) > 0:
            await self._sleep(delay)
        if self.limits["requests_per_minute"]:
            self._last.append(time.monotonic())

    def learn(self, limits: dict) -> None:
        """A limit that a reply names holds if it is lower than ours, or if we have none."""
        for name, found in limits.items():
            if name in self.limits and found and (self.limits[name] is None or found < self.limits[name]):
                self.limits[name] = found

    def pause(self, seconds: float) -> None:
        self._until = max(self._until, time.monotonic() + seconds)

    def _second_is_free(self):
        """The first moment at which one request more keeps the last second within the limit."""
        limit = self.limits["requests_per_minute"]
        if not limit:
            return 0.0
        most, second_ago = math.ceil(limit / 60 / self.shares), time.monotonic() - SECOND
        while self._last and self._last[0] < second_ago:
            self._last.popleft()
        return self._last[-most] + SECOND if len(self._last) >= most else 0.0


class Slots:
    """`async with slots:` at most so many at once, first come, first served; `most` says how many, at each moment
    anew.
    """

    def __init__(self, most: Callable[[], int]):
        self.most, self.taken, self.waiting = most, 0, deque()

    async def __aenter__(self):
        if self.waiting or not self._free():
            self.waiting.append(waiter := asyncio.get_running_loop().create_future())
            try:
                await waiter
            except asyncio.CancelledError:
                if waiter.done() and not waiter.cancelled():
                    self._give_back()
                raise
        else:
            self.taken += 1

    async def __aexit__(self, *_):
        self._give_back()

    def _free(self):
        return self.taken < max(1, self.most())

    def _give_back(self):
        """Hand on what is free to those who wait."""
        self.taken -= 1
        while self.waiting and self._free():
            if not (waiter := self.waiting.popleft()).done():
                self.taken += 1
                waiter.set_result(None)
