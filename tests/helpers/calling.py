"""What tests of calls ask and look at, and registers of processes that are simulated in one."""

import contextlib

from ragassay.calls.ledger.records import Ledger
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


class InMemory:
    """The register as one simulated process sees it; `kept` is what all of them share."""

    def __init__(self, name, kept, clock):
        self.name, self.kept, self.clock = name, kept, clock

    @contextlib.contextmanager
    def shared(self):
        yield self.kept, self.clock.monotonic()

    def spent(self, dollars, unsure=0.0):
        pass
