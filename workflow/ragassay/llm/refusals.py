"""Requests that a provider refused one by one: abstentions, if it takes others, and wrong settings, if it takes none.

A refusal is written into the ledger for good, and so never asked again, once this model has answered a request in this
run or an earlier one. Ten refusals before any answer stop the job: then nothing more is sent before those under way
have come back. A run of fewer requests, all refused, ends with abstentions.
"""

import asyncio
from collections.abc import Callable

from ragassay.ledger.calls import Ledger
from ragassay.llm.model import Answer, Failure, Model, ModelError

MOST = 10


class Refusals:
    def __init__(self, model: Model, ledger: Ledger, in_flight: Callable[[], int]):
        self.model, self.ledger, self.in_flight = model, ledger, in_flight
        self.takes_others = False
        self._open = []  # (key, samples, reason, words) of those before the first answer
        self._reply_came = asyncio.Event()

    def abstain(self, key: str, numbers: list[int], failure: Failure) -> dict[int, Answer]:
        """The answers to a refused request."""
        self._open.append((key, numbers, failure.refused, failure.detail))
        if self.takes_others:
            self.keep()
        elif self._too_many() and not self.in_flight():
            raise self._error()
        return dict.fromkeys(numbers, Answer("", failure.refused, detail=failure.detail))

    def known(self, key: str) -> dict[int, Answer]:
        """sample -> abstention, from the ledger."""
        found = {}
        for numbers, reason, detail in self.ledger.refusals(key):
            found |= dict.fromkeys(numbers, Answer("", reason, detail=detail))
        return found

    def keep(self) -> None:
        """Write all down for good: the model answers, or all that there was to ask has been asked."""
        self.takes_others = True
        self.replied()
        for refusal in self._open:
            self.ledger.refused(*refusal)
        self._open = []

    def replied(self) -> None:
        """A reply came, of whatever kind."""
        self._reply_came.set()

    async def settle(self) -> bool:
        """Wait while there are too many to go on, and replies under way that may show that the model does answer. Says
        whether there was anything to wait for.
        """
        waited = False
        while self._too_many():
            if not self.in_flight():
                raise self._error()
            self._reply_came.clear()
            await self._reply_came.wait()
            waited = True
        return waited

    def _too_many(self):
        return len(self._open) >= MOST and not self.takes_others

    def _error(self):
        name, count, words = self.model.name, len(self._open), self._open[-1][-1]
        remedy = f"check the sampling settings (models.{name}.sampling replaces them) and the length of prompts"
        return ModelError(f"model {name}: the first {count} requests were all refused, the last: {words}; {remedy}")
