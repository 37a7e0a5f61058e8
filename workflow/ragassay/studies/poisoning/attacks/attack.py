"""What attacks make, and what they may use. A kind is a module of `ragassay.studies.poisoning.attacks.kinds` with a
class `Kind`, an `Attack` with `texts(target)` for each row of targets, or `poison(targets)` for all. `self.tools` has
what its `NEEDS` name; `fit(tools)` learns what holds for all targets. `WANTS` is the wrong answer, that the model
declines, or any error; `KNOWS` is what its attacker knows beside the wrong answer.

An attack may be tried on a few targets, drawn by their ids, where each costs much; its attacker may know the questions
of some; and questions may have a trigger: a word at a place that follows from the question.
"""

import hashlib
import json
import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from itertools import groupby
from pathlib import Path
from typing import NamedTuple, Self

from ragassay.base import chance, method
from ragassay.base.atomic import write_text
from ragassay.base.chance import content_id
from ragassay.base.errors import AssayError
from ragassay.base.stage import log
from ragassay.grading.outcomes import NEITHER, REFUSAL, TARGET

SETTINGS = ("targets", "known")  # of attacks
KINDS = "ragassay.studies.poisoning.attacks.kinds"
# what an attack may need: clean passages by target, a table of texts, one that a model writes, the weights of a
# retriever, those of a model, a defence, a model that answers
RETRIEVED, TEXTS, WRITER = "retrieved", "texts", "writer"
RETRIEVER, READER, FILTER, RESPONDER = "retriever", "reader", "filter", "responder"
# what an attacker may know, from the least to the most; the weights of a retriever are RETRIEVER
NOTHING, QUESTION, CORPUS, BLIND_SPOTS, DEFENCE = "nothing", "question", "corpus", "blind spots", "defence"
KNOWLEDGE = (NOTHING, QUESTION, CORPUS, RETRIEVER, BLIND_SPOTS, DEFENCE)
ANSWER, DECLINING, ERROR = "answer", "declining", "error"  # what it may want
WANTED = {ANSWER: (TARGET,), DECLINING: (REFUSAL,), ERROR: (TARGET, NEITHER, REFUSAL)}  # outcomes, by what it wants


class AttackError(AssayError):
    """These targets or settings do not allow the attack."""


class Poison(NamedTuple):
    """A text that an attacker adds, and the answers and forward passes of models that it took. `method` is what made it
    where an attack has several, or which of several attackers; `wants` the answer of one who wants another.
    """

    target_id: str | None
    text: str
    made_from: str | None = None
    calls: int = 0
    forwards: int = 0
    method: str | None = None
    wants: str | None = None


class Finished:
    """What an attack that optimises has made so far: each unit of work, such as a target, is kept as soon as it is
    done, so that a job that was killed goes on where it was. A folder of JSON files that are added, never changed; not
    an output. `about` is all that every unit follows from: the attack's code and settings, the weights that it uses.
    What a stand-in for a model answered is not to be kept.
    """

    def __init__(self, folder, about: dict, keeps: bool = True):
        self.folder, self.keeps = Path(folder, _digest(about)), keeps
        if keeps and not (self.folder / "attack.json").exists():
            write_text(self.folder / "attack.json", json.dumps(about, indent=1, sort_keys=True) + "\n")

    def each(self, units: list[dict], make: Callable[[dict], list[Poison]]) -> Iterator[Poison]:
        """What is made of each unit, now or before."""
        for number, unit in enumerate(units, 1):
            path, done = self.folder / f"{_digest(unit)}.json", "made before"
            if path.exists():
                texts = _read(path)
            else:
                texts, done = make(unit), "made"
                if self.keeps:
                    write_text(path, json.dumps(texts))
            log.info("%d of %d: %d texts, %s", number, len(units), len(texts), done)
            yield from texts


def _read(path):
    try:
        return [Poison(*fields) for fields in json.loads(path.read_text())]
    except (ValueError, TypeError) as error:
        raise AttackError(f"{path}: damaged ({error}); delete it and its texts are made again") from error


def _digest(content):
    return hashlib.sha256(json.dumps(content, sort_keys=True).encode()).hexdigest()[:32]


@dataclass
class Tools:
    """What an attacker knows and has."""

    retrieved: dict[str, list[dict]] = field(default_factory=dict)  # target -> what its question finds, best first
    texts: dict[str, list[Poison]] = field(default_factory=dict)  # target -> texts that were written for it
    questions: dict[str, str] = field(default_factory=dict)  # target -> a question that the attacker knows of
    retriever: object = None  # an AttackedRetriever
    reader: object = None  # an AttackedReader
    filters: list = field(default_factory=list)  # of AttackedFilters
    responder: object = None  # an AttackedResponder
    finished: Finished | None = None


class Attack(method.Method):
    WANTS: str | None = ANSWER
    KNOWS: str | None = QUESTION
    AIMS: dict[str, str] = {}  # what it wants by its setting `aim`, if it has one

    @property
    def wants(self) -> str | None:
        return self.AIMS[self.settings["aim"]] if self.AIMS else self.WANTS

    @property
    def knows(self) -> str | None:
        """What its attacker knows with its settings."""
        return RETRIEVER if RETRIEVER in self.needs else self.KNOWS

    def fit(self, tools: Tools) -> Self:
        self.tools = tools
        return self

    def poison(self, targets: list[dict]) -> Iterable[Poison]:
        """Of the texts for each target the first ones, as many as its setting `texts` says."""
        for target in targets:
            for text in self.texts(target)[: self.settings.get("texts")]:
                yield Poison(target["target_id"], text)

    def texts(self, target: dict) -> list[str]:
        raise NotImplementedError


def kind_of(kind: str, place: str = "attacks") -> type[Attack]:
    return method.kind_of(KINDS, kind, place)


def wants(kind: str, given: dict) -> str | None:
    """What an attack with these settings wants of the model."""
    return kind_of(kind)(given).wants


def rows(attack: str, kind: str, targets: list[dict], tools: Tools, own: dict) -> Iterator[dict]:
    """The rows of the table poisoned_passages. Of texts that are the same for one target, the first stays."""
    made = kind_of(kind, f"attacks.{attack}.kind")(own).fit(tools).poison(targets)
    for target_id, texts in groupby(made, key=lambda poison: poison.target_id):
        unique = {poison.text: poison for poison in reversed(list(texts))}
        for number, poison in enumerate(reversed(unique.values()), 1):
            name = content_id("poison", attack, target_id or "", poison.text)
            yield {"passage_id": name, "number": number, "attack": attack, "poisoned": True} | poison._asdict()


def known(ids: Iterable[str], share: float) -> list[str]:
    """The targets whose questions the attacker has, as a sample of what users ask."""
    drawn = _drawn(ids)
    return drawn[: round(share * len(drawn))]


def tried(ids: Iterable[str], targets: int | None = None, known: float = 0) -> list[str]:
    """The targets that the attack is measured on: at most so many, none that the attacker knows."""
    drawn = _drawn(ids)
    return drawn[round(known * len(drawn)) :][:targets]


def _drawn(ids):
    return sorted(set(ids), key=lambda name: chance.lot(None, name))


def triggered(question: str, word: str) -> str:
    """The question with the trigger in it; unchanged if it has it already."""
    words = question.split()
    if _pattern(word).search(question):
        return question
    place = chance.number(None, question, width=4) % max(1, len(words))
    return " ".join([*words[:place], word, *words[place:]])


def untriggered(question: str, word: str) -> str:
    """The question without the trigger."""
    return " ".join(_pattern(word).sub(" ", question).split())


def _pattern(word):
    return re.compile(rf"(?<!\w){re.escape(word)}(?!\w)", re.I)
