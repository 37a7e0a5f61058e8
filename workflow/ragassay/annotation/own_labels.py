"""A person's own labels of a task, or of the disagreements that the person settled: a sheet at a time, the last label
first. Says what was given, not whether it may be changed: see `refusal` in `ragassay.annotation.clicks`.
"""

import math
from dataclasses import dataclass

from ragassay.annotation.labelling import ADJUDICATION, Labelling, Person, Vote, role_at
from ragassay.annotation.tasks import LABELS

PLACES = (*LABELS, ADJUDICATION)
ROWS = 50


@dataclass(frozen=True)
class Row:
    number: int  # from 1, in the order given
    item: str
    vote: Vote


@dataclass(frozen=True)
class Sheet:
    rows: list[Row]
    number: int  # from 1, which holds the last labels
    sheets: int


def sheet(labelling: Labelling, person: Person, place: str, number: int = 1, item: str | None = None) -> Sheet:
    """The sheet with this number, or the next to it that there is; the one that holds the item, if it is labelled."""
    items, role = labelling.labelled(person, place)[::-1], role_at(place)
    sheets = max(1, math.ceil(len(items) / ROWS))
    number = items.index(item) // ROWS + 1 if item in items else min(max(number, 1), sheets)
    start = (number - 1) * ROWS
    rows = [
        Row(len(items) - at, name, person.votes[role, name])
        for at, name in enumerate(items[start : start + ROWS], start)
    ]
    return Sheet(rows, number, sheets)


def counts(labelling: Labelling, person: Person) -> dict[str, int]:
    """place -> how many labels the person gave there, of places where there are some."""
    found = {place: len(labelling.labelled(person, place)) for place in PLACES}
    return {place: count for place, count in found.items() if count}


def latest(labelling: Labelling, person: Person) -> str | None:
    """The place of the label that was given last; None if there is none."""
    for role, item in reversed(person.votes):
        return labelling.place(role, item)
    return None
