"""Texts that know the filter. Of what other attacks make of a text, and of ways to put parts of the question around
it, the one that comes nearest to the question while the filters leave it and the question still finds it; the column
`method` says which it is. If all that is made for a target is removed, a flood is tried against filters that compare
what a question finds. An attacker who cannot ask the filters (`knowledge` retriever) takes the text that is farthest
from the question and still found."""

import random

from ragassay.studies.poisoning.attacks.attack import DEFENCE, FILTER, RETRIEVED, RETRIEVER, Attack, Poison
from ragassay.studies.poisoning.attacks.kinds import (
    edited,
    flood,
    graft,
    invisible,
    outdated,
    poisonedrag_bare,
    poisonedrag_black,
    synonyms,
    typos,
)

LEAST = 0.2  # of a question's words
PARTS, FLOOD = "question_parts", "flood"
OTHERS = {  # what the attack chooses from, beside parts of the question
    "poisonedrag_bare": poisonedrag_bare.Kind(),
    "poisonedrag_black": poisonedrag_black.Kind(),
    "outdated": outdated.Kind(),
    "hidden": invisible.Kind(),
    "accents": invisible.Kind({"characters": "accents"}),
    "typos": typos.Kind(),
    "synonyms": synonyms.Kind(),
    "graft": graft.Kind(),
    "edited": edited.Kind({"texts": 1}),
}


class Kind(Attack):
    SETTINGS = {
        "filter": "raguard", "knowledge": "filter", "candidates": 40, "texts": 5, "k": 5,
        "targets": None, "seed": 0, "retriever": None,
    }  # fmt: skip
    NEEDS = (RETRIEVER, RETRIEVED, FILTER)

    @property
    def knows(self):
        return DEFENCE if self._asks else RETRIEVER

    def poison(self, targets):
        identities = [passing.identity for passing in self.tools.filters] if self._asks else None
        units = [
            {"target": target, "filters": identities, "retrieved": self.tools.retrieved.get(target["target_id"], [])}
            for target in targets
        ]
        return self.tools.finished.each(units, self._make)

    @property
    def _asks(self):
        return self.settings["knowledge"] == "filter"

    def _make(self, unit):
        target, retrieved, settings = unit["target"], unit["retrieved"], self.settings
        direction = self.tools.retriever.questions([target["question"]])[0]
        besides = [self._beside(retrieved, passing.beside) for passing in self.tools.filters] if self._asks else []
        enough = retrieved[settings["k"] - 1]["score"] if len(retrieved) >= settings["k"] else float("-inf")
        made, best = [], []
        for number, text in enumerate(target["texts"][: settings["texts"]]):
            dice = random.Random(f"{settings['seed']} {target['target_id']} {number}")
            options, planted = self._options(target, text, dice), {poison.text for poison in made}
            options = {option: method for option, method in options.items() if option not in planted}
            ranks = self._ranks(target["question"], [*options], direction, besides, enough)
            text, rank = min(zip(options, ranks, strict=True), key=lambda pair: pair[1])
            best.append(rank)
            made.append(Poison(target["target_id"], text, forwards=len(options), method=options[text]))
        if any(rank[:2] == (False, 0) for rank in best):
            return made
        return self._flood(target, direction, besides, enough) or made

    def _options(self, target, text, dice):
        """text -> what made it."""
        single, options = target | {"texts": [text]}, {}
        for name, other in OTHERS.items():
            for poison in other.fit(self.tools).poison([single]):
                options.setdefault(poison.text, name)
        further = max(1, self.settings["candidates"] - len(options))
        return dict.fromkeys(with_parts(target["question"], text, further, dice), PARTS) | options

    def _flood(self, target, direction, besides, enough):
        """As many texts as the filters look at, if any of these is left and found; nothing otherwise. `besides` is what
        each filter sees beside a single text.
        """
        depth = 1 + max((passing.beside for passing in self.tools.filters), default=0) if self._asks else 1
        if depth == 1:
            return []
        texts = flood.Kind({"texts": depth}).texts(target)[:depth]
        vectors = self.tools.retriever.passages(texts)
        rows = [
            {"text": text, "score": float(vector @ direction), "vector": vector}
            for text, vector in zip(texts, vectors, strict=True)
        ]
        for at, row in enumerate(rows):
            others = rows[:at] + rows[at + 1 :]
            ranked = (sorted(others + clean, key=lambda other: -other["score"]) for clean in besides)
            seen = [near[: passing.beside] for near, passing in zip(ranked, self.tools.filters, strict=True)]
            [(missed, removed, _)] = self._ranks(target["question"], [row["text"]], direction, seen, enough)
            if not missed and not removed:
                return [
                    Poison(target["target_id"], text, forwards=int(not n), method=FLOOD) for n, text in enumerate(texts)
                ]
        return []

    def _beside(self, retrieved, count):
        """What a filter sees beside a text, with vectors."""
        near = retrieved[:count]
        vectors = self.tools.retriever.stored([row["text"] for row in near]) if near else []
        return [row | {"vector": vector} for row, vector in zip(near, vectors, strict=True)]

    def _ranks(self, question, options, direction, besides, enough):
        """A key for each option, the best the least: found at all, by how many filters removed, and near to the
        question. `besides` is what each filter sees beside it.
        """
        vectors = self.tools.retriever.passages(options)
        similar = [float(value) for value in vectors @ direction]
        if not self._asks:
            return [(value <= enough, value if value > enough else -value) for value in similar]
        removed = [0] * len(options)
        for passing, beside in zip(self.tools.filters, besides, strict=True):
            for at, passes in enumerate(passing.passes(question, options, vectors, direction, beside)):
                removed[at] += not passes
        return [(value <= enough, count, -value) for value, count in zip(similar, removed, strict=True)]


def with_parts(question: str, text: str, count: int, dice) -> list[str]:
    """The text with the question behind it, or with some of its words in their order: before it, behind it, or behind
    its first sentence.
    """
    words, (first, dot, rest) = question.split(), text.partition(". ")
    options = {f"{text} {question}": None}
    for _ in range(10 * count):  # a short question has few parts
        share = dice.uniform(LEAST, 1)
        part = " ".join(word for word in words if dice.random() < share)
        places = [f"{part} {text}", f"{text} {part}", f"{first}{dot}{part} {rest}" if rest else f"{part}. {text}"]
        if part and len(options) < count:
            options.setdefault(dice.choice(places))
    return list(options)[:count]
