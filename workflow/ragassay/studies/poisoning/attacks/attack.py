"""What attacks make, and what they may use. A kind of attacks is a module of `ragassay.studies.poisoning.attacks.kinds`
with a class `Kind`, an `Attack` with a method

    poison(targets) -> passages

`targets` are rows of the table targets; it yields `Poison`, target after target. What the attacker has is in
`self.tools`; `fit(tools)` learns from these what holds for all targets. `NEEDS` names what it needs of them, or the
property `needs` does. `WANTS` is what it wants of the model: the wrong answer, that it declines, or any error. An
attack with several `AIMS` has a setting `aim`.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import groupby
from typing import NamedTuple, Self

from ragassay.base import method
from ragassay.base.errors import AssayError
from ragassay.documents.ids import content_id
from ragassay.grading.outcomes import NEITHER, REFUSAL, TARGET

KINDS = "ragassay.studies.poisoning.attacks.kinds"
# what an attack may need: clean passages by target, a table of texts, one that a model writes, the weights of a
# retriever, those of a model, a defence, a model that answers
RETRIEVED, TEXTS, WRITER = "retrieved", "texts", "writer"
RETRIEVER, READER, FILTER, RESPONDER = "retriever", "reader", "filter", "responder"
ANSWER, DECLINING, ERROR = "answer", "declining", "error"  # what it may want
WANTED = {ANSWER: (TARGET,), DECLINING: (REFUSAL,), ERROR: (TARGET, NEITHER, REFUSAL)}  # outcomes, by what it wants
WANTED = {ANSWER: (TARGET,), DECLINING: (REFUSAL,), ERROR: (TARGET, NEITHER, REFUSAL)}  # outcomes, by what it wants


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


class Attack(method.Method):
    WANTS: str | None = ANSWER
    AIMS: dict[str, str] = {}  # what it wants by its setting `aim`, if it has one

    @property
    def wants(self) -> str | None:
        return self.AIMS[self.settings["aim"]] if self.AIMS else self.WANTS

    def fit(self, tools: Tools) -> Self:
        self.tools = tools
        return self

    def poison(self, targets: list[dict]) -> Iterator[Poison]:
        raise NotImplementedError


def kind_of(kind: str, place: str = "attacks") -> type[Attack]:
    return method.kind_of(KINDS, kind, place)


def settings_of(kind: str, own: dict, place: str) -> dict:
    """The settings of an attack with its defaults."""
    known = kind_of(kind, place).SETTINGS
    method.check_settings(kind, known, own, place)
    return known | own


def needs(kind: str, own: dict, place: str = "attacks") -> tuple[str, ...]:
    """What an attack with these settings needs."""
    return kind_of(kind, place)(own).needs


def wants(kind: str, own: dict) -> str | None:
    """What an attack with these settings wants of the model."""
    return kind_of(kind)(own).wants


def rows(attack: str, kind: str, targets: list[dict], tools: Tools, own: dict) -> Iterator[dict]:
    """The rows of the table poisoned_passages. Of texts that are the same for one target, the first stays."""
    made = kind_of(kind, f"attacks.{attack}.kind")(own).fit(tools).poison(targets)
    for target_id, texts in groupby(made, key=lambda poison: poison.target_id):
        unique = {poison.text: poison for poison in reversed(list(texts))}
        for number, poison in enumerate(reversed(unique.values()), 1):
            name = content_id("poison", attack, target_id or "", poison.text)
            yield {"passage_id": name, "number": number, "attack": attack, "poisoned": True} | poison._asdict()
