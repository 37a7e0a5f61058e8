"""Waiting for what has to happen, for as long as the machine takes: pytest ends a test that waits in vain. And an event
loop whose clock does not run by itself: when nobody can go on, it jumps to the moment that comes next. What takes an
hour by it takes no time, and takes the same hour on every machine.
"""

import asyncio
import selectors
import time

from selenium.webdriver.support.ui import WebDriverWait


def until(condition) -> None:
    while not condition():
        time.sleep(0.01)


def patiently(browser) -> WebDriverWait:
    """To call `until` of, with a function of the browser."""
    return WebDriverWait(browser, float("inf"), 0.02)


LOOK = 1e-7  # seconds that a look at the clock takes, so that whoever waits for a moment that is all but there gets on


class VirtualTime:
    """Has what is used of the module `time`, to stand in its place; `run` is `asyncio.run` by this clock."""

    def __init__(self):
        self.now = 1_000.0

    def monotonic(self) -> float:
        self.now += LOOK
        return self.now

    time = monotonic

    def run(self, coroutine):
        with asyncio.Runner(loop_factory=lambda: _Loop(self)) as runner:
            return runner.run(coroutine)


class _Loop(asyncio.SelectorEventLoop):
    def __init__(self, clock):
        super().__init__(_Selector(clock))
        self.time = clock.monotonic


class _Selector(selectors.DefaultSelector):
    def __init__(self, clock):
        super().__init__()
        self.clock = clock

    def select(self, timeout=None):
        ready = super().select(0)
        if not ready and timeout is None:
            raise RuntimeError("everybody waits for somebody else")
        if not ready:
            self.clock.now += timeout
        return ready
