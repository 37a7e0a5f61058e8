"""Keep to the limits of a model: wait for a free slot before a request, and for the point in time at which it may go.
What all jobs together may do is settled in `rates`; here the requests of one job wait for what it was granted. Where
many are refused all the same, all jobs pause and slow down."""

import asyncio
import time
from collections import deque
from collections.abc import Awaitable, Callable

from ragassay.calls.limits.rates import LATE, SharedLimits

RECENT, MANY, SHARE = 32, 4, 0.25  # replies that count, and how many or which share of them has to be refused

Sleep = Callable[[float], Awaitable[None]]  # raises when the run is over: then those who wait get what it raises


class Pace:
    """`await wait(tokens)` before each request; `learn` what reply headers say; then `answered`, or `pause` when asked
    to.
    """

    def __init__(self, limits: SharedLimits, sleep: Sleep = asyncio.sleep):
        self.limits, self.learn, self._sleep = limits, limits.learn, sleep
        self._waiting = deque()  # (future point in time, tokens), first come, first served
        self._releasing = None  # the task that gives them their points
        self._until = 0.0  # when what was refused comes back, if nothing else was answered since
        self._replies = deque(maxlen=RECENT)  # (when, whether it was refused) of the last ones

    async def wait(self, tokens: int) -> None:
        while True:
            if not (self.limits.slowed or any(self.limits.in_force.values())):
                return
            point = asyncio.get_running_loop().create_future()
            self._waiting.append((point, tokens))
            if self._releasing is None:
                self._releasing = asyncio.create_task(self._release())
            latest = await point + LATE
            if time.monotonic() <= latest and not self.limits.pause_left:
                return
            tokens = 0  # they are booked

    def answered(self) -> None:
        self._replies.append((time.monotonic(), False))
        self._until = 0.0

    def pause(self, seconds: float, sent: float) -> None:
        """A request that was `sent` then was refused for so long. One of many is no reason for others to wait."""
        now = time.monotonic()
        self._until = max(self._until, now + seconds)
        self._replies.append((now, True))
        refused = sum(was_refused for _, was_refused in self._replies)
        if refused >= max(MANY, SHARE * len(self._replies)):
            span = max(1.0, now - self._replies[0][0])
            self.limits.slow(seconds, sent, 60 * (len(self._replies) - refused) / span)
            self._replies.clear()

    @property
    def pause_left(self) -> float:
        """Seconds of the pause of all, or of what was refused."""
        return max(self.limits.pause_left, self._until - time.monotonic(), 0.0)

    async def _release(self):
        """Book points in time, and wake a request at each."""
        try:
            while self._waiting:
                points, again = self.limits.book(tokens for _, tokens in self._waiting)
                if not points:
                    await self._sleep(max(again - time.monotonic(), self.limits.ahead / 2))
                for point in points:
                    if (delay := point - time.monotonic()) > 0:
                        await self._sleep(delay)
                    request, _ = self._waiting.popleft()
                    if not request.done():  # as it is when its run is over
                        request.set_result(point)
        except Exception as error:  # noqa: BLE001  it concerns those who wait
            _fail(error, (request for request, _ in self._waiting))
            self._waiting.clear()
        finally:
            self._releasing = None


class Slots:
    """`async with slots:` no more at once than the job's share of what the model allows, first come, first served. The
    share is looked up again and again, as long as there is work.
    """

    def __init__(self, limits: SharedLimits, sleep: Sleep = asyncio.sleep):
        self.limits, self._sleep = limits, sleep
        self.most = self.taken = 0
        self.waiting = deque()
        self._looking = None  # the task that looks the share up

    async def __aenter__(self):
        if self._looking is None:
            self._look()
            self._looking = asyncio.create_task(self._look_again())
        if self._looking.done():
            self._looking.result()  # raises why there are no slots any more
        if self.waiting or self.taken >= self.most:
            self.waiting.append(waiter := asyncio.get_running_loop().create_future())
            try:
                await waiter
            except asyncio.CancelledError:
                if waiter.done() and not waiter.cancelled() and not waiter.exception():
                    self._give_back()
                raise
        else:
            self.taken += 1

    async def __aexit__(self, *_):
        self._give_back()

    async def close(self) -> None:
        """Give all slots back."""
        if self._looking:
            self._looking.cancel()
            await asyncio.gather(self._looking, return_exceptions=True)
            self.limits.leave()

    def _look(self):
        self.most = self.limits.share(self.taken, self.taken + len(self.waiting))
        self._most = self.limits.most  # of all jobs
        self._hand_on()

    async def _look_again(self):
        try:
            while True:
                await self._sleep(self.limits.seconds_between_visits)
                self._look()
        except Exception as error:
            _fail(error, self.waiting)
            self.waiting.clear()
            raise

    def _give_back(self):
        self.taken -= 1
        if self.limits.most != self._most:  # a reply has told how many may be in flight
            self._look()
        else:
            self._hand_on()

    def _hand_on(self):
        """Hand what is free to those who wait."""
        while self.waiting and self.taken < self.most:
            if not (waiter := self.waiting.popleft()).done():
                self.taken += 1
                waiter.set_result(None)


def _fail(error, requests):
    for request in requests:
        if not request.done():
            request.set_exception(error)
