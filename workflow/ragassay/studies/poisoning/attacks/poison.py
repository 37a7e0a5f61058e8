"""What attacks make, and what they may use. An attack is a module of `ragassay.studies.poisoning.attacks.kinds` with a
function

    poison(targets, tools, settings) -> passages

`targets` are rows of the table targets, `settings` its own, which `SETTINGS` names with their defaults; it yields
`Poison`, target after target. What it needs beside them it names in `NEEDS`, or a function `needs(settings)` does:
`retrieved`, `texts`, a `writer`, which is a model that writes texts, the weights of a `retriever` or a `reader`, a
fitted `filter`, or a `responder`. What it wants of the model, in `WANTS`: the wrong `answer`, `declining`, or any
`error`, by its setting `aim` if there are several.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import groupby
from typing import NamedTuple

from ragassay.base import variants
from ragassay.base.errors import AssayError, unknown
from ragassay.documents.ids import content_id

KINDS = "ragassay.studies.poisoning.attacks.kinds"
# what an attack may need: clean passages by target, a table of texts, one that a model writes, the weights of a
# retriever, those of a model, a defence, a model that answers
RETRIEVED, TEXTS, WRITER = "retrieved", "texts", "writer"
RETRIEVER, READER, FILTER, RESPONDER = "retriever", "reader", "filter", "responder"
ANSWER, DECLINING, ERROR = "answer", "declining", "error"  # what it may want


class AttackError(AssayError):
    """These targets or settings do not allow the attack."""


class Poison(NamedTuple):
    """A text that an attacker adds."""

    target_id: str | None
    text: str
    made_from: str | None = None
    calls: int = 0
    forwards: int = 0


class Text(NamedTuple):
    """A text that was written for a target, and the answers of a model that it took."""

    text: str
    calls: int = 0


@dataclass
class Tools:
    """What an attacker knows and has."""

    retrieved: dict[str, list[dict]] = field(default_factory=dict)  # target -> what its question finds, best first
    texts: dict[str, list[Text]] = field(default_factory=dict)  # target -> texts that were written for it
    questions: dict[str, str] = field(default_factory=dict)  # target -> a question that the attacker knows of
    retriever: object = None  # an AttackedRetriever
    reader: object = None  # an AttackedReader
    filter: object = None  # an AttackedFilter
    responder: object = None  # an AttackedResponder
    finished: object = None  # where what optimising has made is kept


def settings_of(kind: str, own: dict, place: str) -> dict:
    """The settings of an attack with its defaults."""
    known = variants.load(KINDS, kind, place).SETTINGS
    for key in own:
        if key not in known:
            raise AttackError(f"{place}: {unknown('setting', key, known) if known else f'{kind} has no settings'}")
    return known | own


def needs(kind: str, own: dict, place: str = "attacks") -> tuple[str, ...]:
    """What an attack with these settings needs."""
    found = variants.load(KINDS, kind, place)
    return found.needs(found.SETTINGS | own) if hasattr(found, "needs") else found.NEEDS


def wants(kind: str, own: dict) -> str | None:
    """What an attack with these settings wants of the model."""
    found = variants.load(KINDS, kind, "attacks").WANTS
    return found[own["aim"]] if isinstance(found, dict) else found


def rows(attack: str, kind: str, targets: list[dict], tools: Tools, own: dict) -> Iterator[dict]:
    """The rows of the table poisoned_passages. Of texts that are the same for one target, the first stays."""
    made = variants.load(KINDS, kind, f"attacks.{attack}.kind").poison(targets, tools, own)
    for target_id, texts in groupby(made, key=lambda one: one.target_id):
        unique = {one.text: one for one in reversed(list(texts))}
        for number, one in enumerate(reversed(unique.values()), 1):
            name = content_id("poison", attack, target_id or "", one.text)
            yield {"passage_id": name, "number": number, "attack": attack, "poisoned": True} | one._asdict()
