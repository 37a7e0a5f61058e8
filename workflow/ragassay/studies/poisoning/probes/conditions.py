"""Pairs of prompts for one question, without and with poison. What differs between the sides beside the poison is what
a probe can see instead of it; the conditions go from much to nothing.

    released   gold passages against nothing but poison, as in the released code of the method
    retrieved  what the question finds, without and with poison in the corpus
    prefixed   the same, with the question in front of every passage on both sides
    matched    what the question finds, and the same passages with the answer exchanged and nothing else

Two conditions have a clean side alone. No probe is fitted on them: what one flags there is a false alarm.

    irrelevant what other questions find
    misspelt   what the question finds, with typos in every third word that is not of the answer
"""

from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np

from ragassay.grading.matches import contains, exchanged
from ragassay.studies.poisoning.attacks.kinds.poisonedrag_black import sentence
from ragassay.studies.poisoning.attacks.typos import may_change, typo
from ragassay.studies.poisoning.probes.labels import (
    IRRELEVANT,
    MATCHED,
    MISSPELT,
    NO_ANSWER,
    NO_GOLD,
    NO_OTHER,
    NO_POISON,
    NOT_EXCHANGED,
    NOT_REACHED,
    RELEASED,
    RETRIEVED,
)


class Passage(NamedTuple):
    passage_id: str
    text: str
    planted: bool = False


class ShownPassages(NamedTuple):
    """The passages of one side; `changed` if they are no longer what their ids stand for."""

    passages: list[Passage]
    changed: bool = False


@dataclass
class Found:
    """What there is for a question: passages of its document that answer it, what is planted for it, what it finds
    without and with that, best first, and what other questions find.
    """

    gold: list[Passage] = field(default_factory=list)
    poison: list[Passage] = field(default_factory=list)
    clean: list[Passage] = field(default_factory=list)
    attacked: list[Passage] = field(default_factory=list)
    irrelevant: list[Passage] = field(default_factory=list)


def pair(condition: str, target: dict, found: Found) -> tuple[ShownPassages, ...] | str:
    """Both sides, or the clean one where nothing is poisoned, or the reason why this question has none. `target` is a
    row of the table targets.
    """
    if condition == IRRELEVANT:
        return (ShownPassages(found.irrelevant, True),) if found.irrelevant else NO_OTHER
    if condition == MISSPELT:
        return (ShownPassages([_misspelt(one, target["answers"]) for one in found.clean], True),)
    if condition == RELEASED:
        if not found.gold:
            return NO_GOLD
        return (ShownPassages(found.gold), ShownPassages(found.poison)) if found.poison else NO_POISON
    if condition == MATCHED:
        return _matched(target, found.clean)
    if not any(passage.planted for passage in found.attacked):
        return NOT_REACHED
    if condition == RETRIEVED:
        return ShownPassages(found.clean), ShownPassages(found.attacked)
    question = sentence(target["question"])
    return tuple(
        ShownPassages([_prefixed(one, question) for one in own], True) for own in (found.clean, found.attacked)
    )


def _prefixed(passage, question):
    has_it = passage.text.startswith(question)
    return passage if has_it else passage._replace(text=f"{question} {passage.text}")


def _misspelt(passage, answers):
    """The same typos whenever it is called."""
    words, dice = passage.text.split(), np.random.default_rng(list(passage.text.encode()))
    for at in may_change(words, answers)[::3]:
        words[at] = typo(words[at], dice)
    return passage._replace(text=" ".join(words))


def _matched(target, clean):
    """A passage that gives the answer in words that cannot be exchanged would contradict the others."""
    right, wrong = target["answers"], []
    for passage in clean:
        if not any(contains(passage.text, answer) for answer in right):
            wrong.append(passage)
            continue
        text = exchanged(passage.text, right, target["target"])
        if text is None:
            return NOT_EXCHANGED
        wrong.append(passage._replace(text=text, planted=True))
    return (ShownPassages(clean), ShownPassages(wrong, True)) if wrong != clean else NO_ANSWER
