"""Read replies and write down what they took: those that come in, and those of earlier runs that the ledger holds. A
stored reply never ends a run: what cannot be read is a `Failure`. A choice that its server broke off is asked for
again; only a replay, which can ask nobody, takes it as it is.

Requests that a provider refuses one by one are abstentions for good once the model has answered another, a sign of
wrong settings if it has not. A refusal in unknown words waits for an answer that comes after it, since an account may
run dry in the middle of a run. Ten refusals before any answer stop the job, as do replies that cannot be read for one
reason."""

import asyncio
import contextlib
from collections import Counter
from collections.abc import Callable

from ragassay.base.stage import log
from ragassay.calls.ledger.records import Ledger
from ragassay.calls.limits.money import Price
from ragassay.calls.limits.quirks import Quirks
from ragassay.calls.model import Answer, Failure, Model, ModelError, Provider, Sent, Usage
from ragassay.calls.wire.replies import BROKEN_OFF

UNSEEN = Usage(1_000_000, 0, 1_000_000)  # tokens that may be billed for an answer and stand in neither prompt nor reply


class Settlement:
    def __init__(
        self, model: Model, ledger: Ledger, provider: Provider, quirks: Quirks, price: Price, batched: bool = False
    ):
        self.model, self.ledger, self.provider, self.quirks = model, ledger, provider, quirks
        self.price, self.batched, self.served = price, batched, set(ledger.served)
        self.replays = model.mode == "replay"

    def earlier(self) -> None:
        """Settle the replies of processes that were killed just then."""
        for sent, body in self.ledger.unsettled():
            with contextlib.suppress(Failure):
                self.settle(sent, body, late=True)

    def answers(self, key: str) -> tuple[dict[int, Answer], dict[int, Answer]]:
        """sample -> answer, from the ledger, where the first reply to a sample wins; and, for a replay, what it takes
        where neither an answer nor a refusal was kept.
        """
        whole, rest = {}, {}
        for numbers, body in self.ledger.bodies(key):
            try:
                answers, _ = self.provider.answers(body)
            except Failure as failure:
                reason = failure.refused or "provider_error"
                rest = dict.fromkeys(numbers, Answer("", reason, detail=failure.detail)) | rest
                continue
            rest = dict(zip(numbers, answers, strict=False)) | rest
            whole = self.whole(numbers, answers) | whole
        return whole, rest if self.replays else {}

    def whole(self, numbers: list[int], answers: list[Answer]) -> dict[int, Answer]:
        """sample -> answer, without those that were broken off."""
        pairs = zip(numbers, answers, strict=False)
        return {number: answer for number, answer in pairs if answer.finish_reason != BROKEN_OFF}

    def settle(self, sent: Sent, body: str, late: bool = False) -> tuple[dict[int, Answer], float]:
        """sample -> answer, and what the reply cost; a Failure, if there is no answer in it, is recorded before."""
        try:
            answers, usage = self.provider.answers(body)
        except Failure as failure:
            failure.detail += f" (reply {sent.id})"
            self.ledger.failed(sent, failure.kind, failure.detail, failure.lost, late)
            raise
        dollars = self._cost(answers, usage, sent.worst)
        whole = self.whole(sent.samples, answers)
        self.ledger.settled(sent, usage, dollars, len(whole), late)
        self._note(usage.served)
        if not whole:
            kind, patience = ("broken off", 4) if answers else ("no choice", 2)
            detail = f"the reply holds no whole answer ({kind}; reply {sent.id})"
            raise Failure(kind, detail, again=True, refused="provider_error", patience=patience, paid=dollars)
        return whole, dollars

    def _cost(self, answers, usage, worst):
        """A reply that does not count its tokens, or counts more than can be, costs as much as the dearest may have."""
        counted = usage.prompt and (usage.completion or not any(answer.text for answer in answers))
        dollars = self.price.of(usage, self.batched)
        if usage.dollars is not None:
            dollars = usage.dollars
        elif not counted or dollars > worst + self.price.of(UNSEEN, self.batched) * max(1, len(answers)):
            dollars = worst * self.quirks.excess
        if worst:
            self.quirks.exceeded(dollars / worst)
        return dollars

    def _note(self, served):
        """Say once that answers come from another model than before."""
        if served and served not in self.served:
            if self.served:
                message = "model %s: its provider answers as %s now, and answered as %s before; results/calls counts"
                log.info(f"{message} both", self.model.name, served, ", ".join(sorted(self.served)))
            self.served.add(served)


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
