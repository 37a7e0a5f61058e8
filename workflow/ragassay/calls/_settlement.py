"""Read replies and write down what they took: those that come in, and those of earlier runs that the ledger holds. A
stored reply never ends a run: what cannot be read is a `Failure`. A choice that its server broke off is asked for
again; only a replay, which can ask nobody, takes it as it is."""

import contextlib

from ragassay.base.stage import log
from ragassay.calls.ledger.records import Ledger
from ragassay.calls.limits.money import Price
from ragassay.calls.limits.quirks import Quirks
from ragassay.calls.model import Answer, Failure, Model, Provider, Usage
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
        for name, key, numbers, body, worst in self.ledger.unsettled():
            with contextlib.suppress(Failure):
                self.settle(name, key, numbers, body, worst, late=True)

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

    def settle(self, name: str, key: str, numbers: list[int], body: str, worst: float, late: bool = False):
        """sample -> answer, and what the reply cost; a Failure, if there is no answer in it, is recorded before."""
        try:
            answers, usage = self.provider.answers(body)
        except Failure as failure:
            failure.detail += f" (reply {name})"
            lost = worst if failure.lost else None
            self.ledger.failed(name, key, numbers, failure.kind, failure.detail, lost, late)
            raise
        dollars = self._cost(answers, usage, worst)
        whole = self.whole(numbers, answers)
        tokens = usage.prompt, usage.cached, usage.completion
        self.ledger.settled(name, *tokens, dollars, len(whole), late, usage.served)
        self._note(usage.served)
        if not whole:
            kind, patience = ("broken off", 4) if answers else ("no choice", 2)
            detail = f"the reply holds no whole answer ({kind}; reply {name})"
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
