"""What calls cost: prices, the worst case before a request, and a cap that is never passed. Tokens are estimated from
above before a request (no tokenizer makes more tokens than a text has bytes) and taken from the reply afterwards. A
model without a price cannot be used; a free one says so with zeros."""

import asyncio
import contextlib
import math
from dataclasses import dataclass
from types import SimpleNamespace

from ragassay.calls.ledger.register import Register
from ragassay.calls.limits.quirks import HEADROOM, Quirks
from ragassay.calls.model import Failure, Model, ModelError, Request, Usage


@dataclass(frozen=True)
class Price:
    """Dollars for a million tokens."""

    input: float
    cached_input: float
    output: float
    batch: float = 1.0  # the factor of the provider's batch mode
    request: float = 0.0  # dollars for each request, as of a service

    def of(self, usage: Usage, batched: bool = False) -> float:
        fresh = usage.prompt - usage.cached
        dollars = (fresh * self.input + usage.cached * self.cached_input + usage.completion * self.output) / 1e6
        return (dollars + self.request) * (self.batch if batched else 1.0)


def price_of(model: Model) -> Price:
    expected = "expected what a million tokens cost in dollars: input, cached_input, output"
    if not model.price:
        raise ModelError(f"model {model.name}: found no price, {expected}")
    try:
        given = {name: dollars for name, dollars in model.price.items() if dollars is not None}
        return Price(**{"cached_input": given.get("input"), **given})
    except TypeError as error:
        raise ModelError(f"model {model.name}: found the price {model.price}, {expected}") from error


def at_most(request: Request, samples: int, capped: bool = False) -> Usage:
    """The most tokens that a request can take; under a cap its length has to be limited."""
    prompt = sum(len(message["content"].encode()) + 16 for message in request.messages) + 16
    longest = request.sampling.get("max_tokens") or request.sampling.get("max_completion_tokens")
    if capped and not longest:
        raise ModelError("budget_usd holds only for answers of limited length: set max_tokens or longest_answer")
    return Usage(prompt, 0, (longest or 4096) * samples)


class Purse:
    """Money spent and reserved under one cap, which holds for all jobs of the register together.

    What a request may cost is given by its limit on tokens. Where answers go beyond that, all that is in flight, lost
    or about to be sent counts `quirks.set_aside` times, whenever it was sent, and no more than `quirks.room` requests
    are in flight. So the cap is passed only by answers that cost more than HEADROOM times what the dearest one before
    them did, each in proportion to its limit; and these are rare where many are in flight.
    """

    def __init__(
        self, cap: float | None, quirks: Quirks, spent: float = 0.0, lost: float = 0.0, register: Register | None = None
    ):
        self.cap, self.quirks, self.register = cap, quirks, register
        self.spent, self.lost, self.reserved, self.holders = spent, lost, 0.0, 0
        self.granted, self.excess, self.others = 0.0 if register else cap, 1.0, 0.0  # `excess`: when it was granted
        self._settled = asyncio.Event()
        if register and (spent or lost or cap is not None):  # a free model needs no lock
            register.spent(spent, lost)

    def close(self, spent: float, lost: float) -> None:
        """What the ledger knows at the end. Requests that were given up in flight may be billed, and are in `lost`."""
        if self.register and (spent or lost or self.cap is not None):
            self.register.spent(spent, lost)

    def counted(self, dollars: float = 0.0) -> float:
        """All that was spent or may be, and a request that may cost so much."""
        return self.spent + (self.lost + self.reserved + dollars) * self.quirks.set_aside

    async def make_room(self, dollars: float) -> bool:
        """Whether the cap allowed a request only after a while. What is in flight will cost less than was set aside for
        it, so that is waited for; raises OverBudget when nothing is in flight and the cap still does not allow it.
        """
        waited = False
        while self.cap is not None and not self._allowed(dollars):
            if not self.holders:
                next_one = dollars * self.quirks.set_aside
                state = f"{self.counted():.4f} spent, the next request may cost {next_one:.4f}"
                if self.quirks.excess > 1:
                    dearest = f"answers have cost up to {self.quirks.excess:.1f} times what max_tokens allows"
                    state += f" ({dearest}, and {HEADROOM} times that is set aside)"
                if self.others:
                    state = f"{self.others:.4f} spent or set aside by other jobs, {state}"
                kept = "everything answered so far is kept, raise the budget and run again to go on"
                raise OverBudget(f"budget_usd {self.cap:g}: {state}; {kept}")
            waited = True
            self._settled.clear()
            await self._settled.wait()
        return waited

    def take(self, dollars: float) -> None:
        self.reserved += dollars
        self.holders += 1

    def _allowed(self, dollars):
        if self.holders >= (self.quirks.room or math.inf):
            return False
        if self.register and (self.counted(dollars) > self.granted or self.quirks.set_aside != self.excess):
            self.quirks.refresh()  # another job may have had a dearer answer
            self.excess, unsure = self.quirks.set_aside, self.lost + self.reserved + dollars
            self.granted, self.others = self.register.grant(self.spent, unsure, self.cap, self.excess)
        return self.counted(dollars) <= self.granted

    @contextlib.contextmanager
    def holding(self, dollars: float):
        """Set aside what `make_room` has just allowed, while a request is in flight; takes what it `paid`."""
        self.take(dollars)
        bill = SimpleNamespace(paid=0.0, lost=0.0)
        try:
            yield bill
        except Failure as failure:
            bill.paid, bill.lost = failure.paid, dollars * failure.lost
            raise
        finally:
            self.settle(dollars, bill.paid, bill.lost)

    def hold(self, dollars: float) -> None:
        """What an earlier run set aside counts as lost until it is known to be in flight still: then as that."""
        self.lost -= dollars
        self.take(dollars)

    def settle(self, reserved: float, paid: float, lost: float = 0.0) -> None:
        """A request has ended: what it cost, or what it may have cost without a reply."""
        self.holders -= 1
        self.reserved = self.reserved - reserved if self.holders else 0.0
        self.spent += paid
        self.lost += lost
        self._settled.set()


class OverBudget(ModelError):
    """The next request could pass the cap."""
