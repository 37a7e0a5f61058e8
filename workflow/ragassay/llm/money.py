"""What calls cost: prices, the worst case before a request, and a cap that is never passed.

Tokens are estimated from above before a request (no tokenizer makes more tokens than a text has bytes) and taken from
the reply afterwards. A model without a price cannot be used, so that nothing counts as free by accident; a free model
says so with zeros.
"""

import asyncio
from dataclasses import dataclass

from ragassay.ledger.register import Register
from ragassay.llm.model import Model, ModelError, Request, Usage


@dataclass(frozen=True)
class Price:
    """Dollars for a million tokens."""

    input: float
    cached_input: float
    output: float
    batch: float = 1.0  # the factor of the provider's batch mode

    def of(self, usage: Usage, batched: bool = False) -> float:
        fresh = usage.prompt - usage.cached
        dollars = (fresh * self.input + usage.cached * self.cached_input + usage.completion * self.output) / 1e6
        return dollars * (self.batch if batched else 1.0)


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
        raise ModelError("budget_usd holds only for answers of limited length: set max_tokens")
    return Usage(prompt, 0, (longest or 4096) * samples)


class Purse:
    """Money spent and reserved under one cap, which holds for all jobs of the register together."""

    def __init__(self, cap: float | None, spent: float = 0.0, register: Register | None = None):
        self.cap, self.spent, self.reserved, self.holders = cap, spent, 0.0, 0
        self.granted, self.others, self.register = 0.0 if register else cap, 0.0, register
        self._settled = asyncio.Event()
        if register and (spent or cap is not None):  # a free model needs no lock
            register.spent(spent)

    def close(self) -> None:
        """Requests that are still reserved were sent, and may be billed."""
        dollars = self.spent + self.reserved
        if self.register and (dollars or self.cap is not None):
            self.register.spent(dollars)

    async def reserve(self, dollars: float) -> None:
        """Set aside the worst case of a request. What is in flight will cost less than was set aside for it, so that is
        waited for; raises OverBudget when nothing is in flight and the cap still does not allow it.
        """
        while self.cap is not None and not self._allowed(self.spent + self.reserved + dollars):
            if not self.holders:
                state = f"{self.spent:.4f} spent, the next request may cost {dollars:.4f}"
                if self.others:
                    state = f"{self.others:.4f} spent or set aside by other jobs, {state}"
                kept = "everything answered so far is kept, raise the budget and run again to go on"
                raise OverBudget(f"budget_usd {self.cap:g}: {state}; {kept}")
            self._settled.clear()
            await self._settled.wait()
        self.reserved += dollars
        self.holders += 1

    def _allowed(self, needed):
        if needed > self.granted and self.register:
            self.granted, self.others = self.register.grant(needed, self.cap)
        return needed <= self.granted

    def hold(self, dollars: float) -> None:
        """What an earlier run set aside counts as spent until it is known to be in flight still: then as that."""
        self.spent -= dollars
        self.reserved += dollars
        self.holders += 1

    def settle(self, reserved: float, paid: float) -> None:
        self.holders -= 1
        self.reserved = self.reserved - reserved if self.holders else 0.0
        self.spent += paid
        self._settled.set()


class OverBudget(ModelError):
    """The next request could pass the cap."""
