"""Requests that a provider refused one by one: abstentions for good once the model has answered another, a sign of
wrong settings if it has not. A refusal in unknown words waits for an answer that comes after it, since an account may
run dry in the middle of a run. Ten refusals before any answer stop the job, as do replies that cannot be read for one
reason."""

import asyncio
from collections import Counter
from collections.abc import Callable

from ragassay.base.stage import log
from ragassay.calls.ledger.records import Ledger
from ragassay.calls.model import Answer, Failure, Model, ModelError

MOST = 10
ALIKE = 3  # replies that cannot be read, for one reason, before any answer
UNREADABLE = {"no chat completion", "no JSON", "web page", "no choice", "garbled"}  # kinds of failures that do not pass


class Refusals:
    """`has_answered` says whether the model has ever answered, in another job or an earlier run."""

    def __init__(self, model: Model, ledger: Ledger, in_flight: Callable[[], int], has_answered: Callable[[], bool]):
        self.model, self.ledger, self.in_flight, self.has_answered = model, ledger, in_flight, has_answered
        self.takes_others = False
        self._open = []  # (key, samples, reason, words) of those that wait for an answer
        self.doubtful = False  # whether any of them may be meant for other requests, too
        self.sampling = {}  # of the last one
        self._complaints = Counter()  # kind -> replies that could not be read
        self._words = ""  # of the last refusal or complaint
        self._reply_came = asyncio.Event()
        self._crashes = []  # words

    def abstain(self, key: str, numbers: list[int], failure: Failure, sampling: dict) -> dict[int, Answer]:
        """The answers to a refused request."""
        self.sampling = sampling
        self._open.append((key, numbers, failure.refused, failure.detail))
        self._words = failure.detail
        self.doubtful = self.doubtful or failure.refused == "provider_error"
        if failure.refused == "crash":
            self._crashes.append(failure.detail)
        if self.takes_others and not self.doubtful:
            self.keep()
        else:
            self._stop_if_hopeless()
        return dict.fromkeys(numbers, Answer("", failure.refused, detail=failure.detail))

    def complain(self, failure: Failure) -> None:
        """A request is about to be sent again: whether its reply could not be read."""
        if failure.kind in UNREADABLE and not self.takes_others:
            self._complaints[failure.kind] += 1
            self._words = failure.detail
            self._stop_if_hopeless()

    def known(self, key: str) -> dict[int, Answer]:
        """sample -> abstention, from the ledger."""
        abstentions = {}
        for numbers, reason, detail in self.ledger.refusals(key):
            abstentions |= dict.fromkeys(numbers, Answer("", reason, detail=detail))
        return abstentions

    def keep(self) -> None:
        """The model answers: write all down for good."""
        if self._open or not self.takes_others:
            self.takes_others, self.doubtful = True, False
            self.replied()
            for refusal in self._open:
                self.ledger.refused(*refusal)
            self._open = []

    def end(self) -> None:
        """All that there was to ask has been asked."""
        if self._open:
            if not (self.takes_others or self.has_answered()):
                raise self.error()
            self.keep()
        if self._crashes:
            message = "model %s: %d replies could not be read, which is a fault of ragassay; they count as abstentions"
            log.warning(f"{message} (crash); the first: %s", self.model.name, len(self._crashes), self._crashes[0])

    def replied(self) -> None:
        """A reply came, of whatever kind."""
        self._reply_came.set()

    async def settle(self) -> bool:
        """Wait while there are too many to go on, and replies under way that may show that the model does answer. Says
        whether there was anything to wait for.
        """
        waited = False
        while self._too_many():
            self._stop_if_hopeless()
            self._reply_came.clear()
            await self._reply_came.wait()
            waited = True
        return waited

    def _too_many(self):
        if self.takes_others:
            return False
        alike = max(self._complaints.values(), default=0)
        return len(self._open) >= MOST or (alike >= ALIKE and not self.has_answered())

    def _stop_if_hopeless(self):
        if self._too_many() and not self.in_flight():
            raise self.error()

    def error(self) -> ModelError:
        name, count = self.model.name, len(self._open)
        place = "last" if self.takes_others else "first"
        what = f"the {place} {count} requests were all refused" if count > 1 else f"the {place} request was refused"
        what = what if count else "the first replies cannot be read"
        remedy = f"check key and account, models.{name}.options, models.{name}.sampling and the length of prompts"
        if self.model.service:
            remedy = f"check {self.model.place}: its key, how it is asked and where its replies hold the answer"
        elif not count:
            remedy = f"check models.{name}.base_url and models.{name}.options"
        return ModelError(f"model {name}: {what}, the last: {self._words}; {remedy}; the next run asks again")
