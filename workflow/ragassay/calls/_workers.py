"""Workers over an iterator of items, and their results in its order, so that no call waits for the slowest of a
batch. A request that was given up is asked once more when nothing else is left. An item without an answer leaves a
gap, behind which no result is handed out, so that none can be taken for another's."""

import asyncio
import contextlib
import itertools
import time

from ragassay.base.errors import AssayError
from ragassay.calls._caller import Caller, GaveUp
from ragassay.calls.ledger.journal import LedgerError
from ragassay.calls.progress import Progress

AHEAD = 4096  # items that may be finished before an earlier one is
NOT_YET, GAP = object(), object()


class Unanswered(AssayError):
    """Some requests have no answer; those that have are in the ledger."""


class Workers:
    def __init__(self, items, conversation, caller: Caller, expected: int | None, side_by_side: int = 0):
        self.items, self.conversation, self.caller = enumerate(items), conversation, caller
        self.progress = Progress(caller, expected)
        self.finished, self.next = {}, 0  # number -> result, the number to hand out next
        self.gaps, self.first_gap, self.gap = 0, None, False  # `gap`: it was reached
        self.tasks, self.telling, self.changed = [], None, asyncio.Event()
        self.idle, self.nothing_else = 0, asyncio.Event()  # `idle`: workers that wait for room, or to ask once more
        self.most = max(caller.workers, side_by_side)
        self.ahead, self.moved = max(AHEAD, 2 * self.most), asyncio.Event()  # `moved`: there is room again
        self.taken = self.working = 0

    async def next_results(self) -> list | None:
        """The results that are next in order, as soon as there is one; None at the end."""
        if not self.tasks:
            self.working = self.most
            self.tasks = [asyncio.create_task(self._work()) for _ in range(self.working)]
            self.telling = asyncio.create_task(self.progress.tell())
        while True:
            ready = []
            while (result := self.finished.pop(self.next, NOT_YET)) is not NOT_YET:
                self.next += 1
                self.gap = self.gap or result is GAP
                if not self.gap:
                    ready.append(result)
            if self.taken - self.next <= self.ahead // 2:
                self.moved.set()
            if ready:
                return ready
            deadline = self.caller.deadline if self.caller.error else None
            if not self.working or (deadline and time.monotonic() >= deadline):
                return await self._end()
            self.changed.clear()
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout_at(deadline):
                    await self.changed.wait()

    def halt(self, error: Exception) -> None:
        """Ask nothing more; what is in flight is awaited if it can still be written down."""
        if isinstance(error, LedgerError):
            self.caller.halt(error, seconds=0.0)
        else:
            self.caller.halt(error)
        self.moved.set()  # for those who wait to see that it is over
        self.nothing_else.set()
        self.changed.set()

    async def close(self) -> None:
        """Wait for what is in flight, so that nothing paid is thrown away; then give everything back."""
        self.halt(GeneratorExit())
        if self.tasks:
            await asyncio.wait(self.tasks, timeout=max(0.0, self.caller.deadline - time.monotonic()))
            for task in self.tasks:
                task.cancel()
            self.telling.cancel()
            await asyncio.gather(*self.tasks, self.telling, return_exceptions=True)
            self.progress.post(ended=True)
        await self.caller.close()

    async def _work(self):
        try:
            while True:
                while self.taken - self.next >= self.ahead and not self.caller.error:
                    self.moved.clear()
                    await self._idly(self.moved)
                if self.caller.error:
                    return
                number, item = next(self.items, (None, None))
                if number is None:
                    return
                self.taken += 1
                try:
                    self.finished[number] = await self.conversation(item, self._asking(number))
                except GaveUp as error:
                    self.gaps, self.first_gap = self.gaps + 1, self.first_gap or error
                    self.finished[number] = GAP
                self.changed.set()
        except Exception as error:  # noqa: BLE001  kept for the caller, who raises it when all are done
            self.halt(error)
        finally:
            self.working -= 1
            self._look()
            self.changed.set()

    async def _idly(self, event):
        self.idle += 1
        self._look()
        await event.wait()
        self.idle -= 1

    def _look(self):
        """Whether nothing is left to do but to ask once more for what was given up."""
        if self.idle >= self.working:
            self.nothing_else.set()
            self.nothing_else = asyncio.Event()

    async def _once_more(self, request, place):
        """In place of this worker, which waits with its item, another one goes on."""
        self.working += 1
        self.tasks.append(asyncio.create_task(self._work()))
        await self._idly(self.nothing_else)
        return await self.caller.ask(request, place)

    def _asking(self, number):
        """What asks on behalf of an item; its calls are counted, so that each has a place of its own."""
        calls = itertools.count()

        async def ask(request):
            place = number, next(calls)
            await asyncio.sleep(0)  # for what else has to go on: a model in this process and the ledger answer at once
            try:
                answers = await self.caller.ask(request, place)
            except GaveUp:
                if self.caller.batched:  # it was tried in batches, which take hours
                    raise
                answers = await self._once_more(request, place)
            self.progress.done += 1
            return answers

        return ask

    async def _end(self):
        if self.caller.error:
            raise self.caller.error
        if self.gaps:
            problem = f"{self.gaps} of {self.next} items have no answer"
            raise Unanswered(f"{problem}; run again to ask for them; the first: {self.first_gap}")
        await self.caller.conclude()
        return None
