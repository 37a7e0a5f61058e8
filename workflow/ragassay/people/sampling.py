"""How many questions people label, and which: Cochran's formula, in proportion to strata, dealt into groups. Hashes
of ids and a seed decide what is drawn, so that one more question in the study changes little else."""

import hashlib
import math
from collections import defaultdict
from fractions import Fraction
from statistics import NormalDist


def cochran(population: int, confidence: float, margin: float) -> int:
    """How many of `population` items are enough to estimate any share to within `margin`."""
    z = NormalDist().inv_cdf((1 + confidence) / 2)
    unlimited = z**2 * 0.25 / margin**2
    return min(population, math.ceil(unlimited / (1 + (unlimited - 1) / population))) if population else 0


def size(population: int, confidence: float, margin: float, groups: int) -> int:
    """Cochran's number, rounded up so that all groups have equal size, if there are enough items."""
    return min(population, groups * math.ceil(cochran(population, confidence, margin) / groups))


def allocation(sizes: dict, wanted: int) -> dict:
    """How many items each stratum contributes: in proportion to its size, the rest by largest remainders."""
    total = sum(sizes.values())
    shares = {name: Fraction(wanted * count, total or 1) for name, count in sizes.items()}
    given = {name: math.floor(share) for name, share in shares.items()}
    by_remainder = sorted(shares, key=lambda name: (given[name] - shares[name], name))
    for name in by_remainder[: wanted - sum(given.values())]:
        given[name] += 1
    return given


def drawn(strata: dict[str, str], wanted: int, seed: int) -> list[str]:
    """Ids, stratum by stratum; `strata` maps each id to the name of its stratum."""
    members = defaultdict(list)
    for name, stratum in strata.items():
        members[stratum].append(name)
    given = allocation({stratum: len(names) for stratum, names in members.items()}, wanted)
    return [
        name
        for stratum in sorted(members)
        for name in sorted(members[stratum], key=lambda name: lot(seed, "draw", name))[: given[stratum]]
    ]


def dealt(names: list[str], groups: int) -> dict[str, int]:
    """The group of each item, from 1: dealt like cards, so that each group gets its share of each stratum."""
    return {name: number % groups + 1 for number, name in enumerate(names)}


def lot(seed: int, *words: str) -> bytes:
    """A key that puts items into a meaningless but repeatable order."""
    return hashlib.sha256("\0".join([str(seed), *words]).encode()).digest()
