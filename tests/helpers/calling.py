"""What tests of calls ask and look at, and registers of processes that are simulated in one."""

import contextlib

from ragassay.calls.ledger.records import Ledger
from ragassay.calls.ledger.register import Register
from ragassay.calls.model import Request


def questions(count, text="Question {}", samples=1, **sampling) -> list[Request]:
    sampling = {"max_tokens": 50, **sampling}
    return [Request([{"role": "user", "content": text.format(n)}], sampling, samples) for n in range(count)]


def texts(results):
    return [[answer.text for answer in answers] for answers in results]


def replies(folder) -> int:
    """How many replies a ledger holds."""
    with contextlib.closing(Ledger(folder)) as ledger:
        return ledger.counts["replies"]


class InMemory(Register):
    """The register as one simulated process sees it; `kept` is what all of them share: grants, money, turns."""

    def __init__(self, name, kept, clock, ledger="ledger"):
        self.name, self.kept, self.clock, self.ledger = name, kept, clock, str(ledger)

    @contextlib.contextmanager
    def shared(self):
        yield self.kept, self.clock.monotonic()

    @contextlib.contextmanager
    def turn(self):
        turns = self.kept.setdefault("turns", [])
        turns.append(self.name)
        try:
            yield lambda: turns[0] == self.name
        finally:
            turns.remove(self.name)

    @contextlib.contextmanager
    def _locked(self):
        yield dict(self.kept.get("money", {}))

    def _write(self, money):
        self.kept["money"] = money
