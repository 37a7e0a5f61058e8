"""What gets past each defence by what an attacker knows: of the attacks that know as much, the one that is missed most
at the operator's threshold. An attack that asks certain defences counts where these stand. Beside it stand the false
alarms that come without an attack."""

import json
from collections.abc import Container, Iterator
from typing import NamedTuple

from ragassay.schemas.report import Section

SECTION = Section("raguard")
FALSE_ALARMS = "false alarms"  # in place of what an attacker knows
CELL = ("dataset", "retriever", "defence")
NUMBERS = ("value", "n", "low", "high")


class Attacker(NamedTuple):
    knows: str | None  # None for no attack
    defences: tuple[str, ...] | None = None  # those that the attack asks, if it asks some


def knowledge_rows(rows: list[dict], attackers: dict[str, Attacker], fitted: Container[tuple]) -> Iterator[dict]:
    """From rows of the table detection, of the defences that have thresholds: `fitted` has dataset, retriever and name
    of each.
    """
    worst = {}
    for row in rows:
        if row["table"] != "detection" or row["value"] is None:
            continue
        keys = json.loads(row["keys"])
        place = tuple(keys[name] for name in CELL)
        if place not in fitted:
            continue
        attacker = Attacker(*attackers[keys["attack"]])
        counts = attacker.defences is None or keys["defence"] in attacker.defences
        if row["metric"] == ("fnr" if attacker.knows else "fpr") and counts:
            place = (*place, attacker.knows or FALSE_ALARMS)
            worst[place] = max(worst.get(place, (row, keys)), (row, keys), key=lambda pair: pair[0]["value"])
    for (*_, knows), (row, keys) in worst.items():
        yield SECTION.row("knowledge", keys | {"knows": knows}, "share", **{name: row[name] for name in NUMBERS})
