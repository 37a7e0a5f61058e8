"""Texts that know the filter: of many ways to put parts of the question around a text, the one that comes nearest to
the question while the filter leaves it, and the question still finds it. An attacker who cannot ask the filter
(`knowledge` retriever) takes the one that is farthest from the question and still found."""

import random

from ragassay.studies.poisoning.attacks.attack import FILTER, RETRIEVED, RETRIEVER, Attack, Poison

LEAST = 0.2  # of a question's words


class Kind(Attack):
    SETTINGS = {
        "filter": "raguard", "knowledge": "filter", "candidates": 40, "texts": 5, "k": 5,
        "targets": None, "seed": 0, "retriever": None,
    }  # fmt: skip
    NEEDS = (RETRIEVER, RETRIEVED, FILTER)

    def poison(self, targets):
        identity = self.tools.filter.identity if self._asks else None
        units = [{"target": target, "filter": identity} for target in targets]
        return self.tools.finished.each(units, self._make)

    @property
    def _asks(self):
        return self.settings["knowledge"] == "filter"

    def _make(self, unit):
        target, settings = unit["target"], self.settings
        retrieved = self.tools.retrieved.get(target["target_id"], [])
        direction = self.tools.retriever.questions([target["question"]])[0]
        beside = self._beside(retrieved)
        enough = retrieved[settings["k"] - 1]["score"] if len(retrieved) >= settings["k"] else float("-inf")
        made = []
        for number, text in enumerate(target["texts"][: settings["texts"]]):
            dice = random.Random(f"{settings['seed']} {target['target_id']} {number}")
            options = candidates(target["question"], text, settings["candidates"], dice)
            ranks = self._ranks(target["question"], options, direction, beside, enough)
            best = min(range(len(options)), key=ranks.__getitem__)
            made.append(Poison(target["target_id"], options[best], forwards=len(options)))
        return made

    def _beside(self, retrieved):
        """What the filter sees beside a text, with vectors."""
        near = retrieved[: self.tools.filter.beside] if self._asks else []
        vectors = self.tools.retriever.stored([row["text"] for row in near]) if near else []
        return [row | {"vector": vector} for row, vector in zip(near, vectors, strict=True)]

    def _ranks(self, question, options, direction, beside, enough):
        """A key for each option, the best the least: found at all, not removed, and near to the question."""
        vectors = self.tools.retriever.passages(options)
        similar = [float(value) for value in vectors @ direction]
        if not self._asks:
            return [(value <= enough, value if value > enough else -value) for value in similar]
        passed = self.tools.filter.passes(question, options, vectors, direction, beside)
        return [(value <= enough, not passes, -value) for value, passes in zip(similar, passed, strict=True)]


def candidates(question: str, text: str, count: int, dice) -> list[str]:
    """The text alone and with the question, or with some of its words in their order: before it, behind it, or behind
    its first sentence.
    """
    words, (first, dot, rest) = question.split(), text.partition(". ")
    options = dict.fromkeys([text, f"{question} {text}", f"{text} {question}"])
    for _ in range(10 * count):  # a short question has few parts
        share = dice.uniform(LEAST, 1)
        part = " ".join(word for word in words if dice.random() < share)
        places = [f"{part} {text}", f"{text} {part}", f"{first}{dot}{part} {rest}" if rest else f"{part}. {text}"]
        if part and len(options) < count:
            options.setdefault(dice.choice(places))
    return list(options)[:count]
