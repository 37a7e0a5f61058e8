"""Which targets an attack is tried on, and whose questions its attacker knows beforehand. Attacks that optimise cost
much for each target, so that they are often tried on a few; these are drawn by their ids, always the same.
"""

import hashlib
from collections.abc import Iterable

SETTINGS = ("targets", "known")  # of attacks


def known(ids: Iterable[str], share: float) -> list[str]:
    """The targets whose questions the attacker has, as a sample of what users ask."""
    drawn = _drawn(ids)
    return drawn[: round(share * len(drawn))]


def tried(ids: Iterable[str], targets: int | None = None, known: float = 0) -> list[str]:
    """The targets that the attack is measured on: at most so many, none that the attacker knows."""
    drawn = _drawn(ids)
    return drawn[round(known * len(drawn)) :][:targets]


def _drawn(ids):
    return sorted(set(ids), key=lambda one: hashlib.sha256(one.encode()).digest())
