"""Texts that know the filter: of many ways to put parts of the question around a text, the one that comes nearest to
the question while the filter leaves it, and the question still finds it. An attacker who cannot ask the filter
(`knowledge` retriever) takes the one that is farthest from the question and still found.
"""

import random

from ragassay.studies.poisoning.attacks.poison import ANSWER, FILTER, RETRIEVED, RETRIEVER, Poison

SETTINGS = {
    "filter": "raguard", "knowledge": "filter", "candidates": 40, "texts": 5, "k": 5,
    "targets": None, "seed": 0, "retriever": None,
}  # fmt: skip
NEEDS, WANTS = (RETRIEVER, RETRIEVED, FILTER), ANSWER
LEAST = 0.2  # of a question's words


def poison(targets, tools, settings):
    asks = settings["knowledge"] == "filter"

    def make(unit):
        target, found = unit["target"], tools.retrieved.get(unit["target"]["target_id"], [])
        wanted = tools.retriever.questions([target["question"]])[0]
        near = found[: tools.filter.beside] if asks else []
        beside = tools.retriever.stored([one["text"] for one in near]) if near else []
        beside = [one | {"vector": vector} for one, vector in zip(near, beside, strict=True)]
        enough = found[settings["k"] - 1]["score"] if len(found) >= settings["k"] else float("-inf")
        made = []
        for number, text in enumerate(target["texts"][: settings["texts"]]):
            dice = random.Random(f"{settings['seed']} {target['target_id']} {number}")
            options = candidates(target["question"], text, settings["candidates"], dice)
            vectors = tools.retriever.passages(options)
            similar = [float(value) for value in vectors @ wanted]
            if asks:
                passed = tools.filter.passes(target["question"], options, vectors, wanted, beside)
                rank = [(one <= enough, not ok, -one) for one, ok in zip(similar, passed, strict=True)]
            else:
                rank = [(one <= enough, one if one > enough else -one) for one in similar]
            best = min(range(len(options)), key=rank.__getitem__)
            made.append(Poison(target["target_id"], options[best], forwards=len(options)))
        return made

    units = [{"target": target, "filter": tools.filter.identity if asks else None} for target in targets]
    return tools.finished.each(units, make)


def candidates(question: str, text: str, count: int, dice) -> list[str]:
    """The text alone and with the question, or with some of its words in their order: before it, behind it, or behind
    its first sentence.
    """
    words, (first, dot, rest) = question.split(), text.partition(". ")
    found = dict.fromkeys([text, f"{question} {text}", f"{text} {question}"])
    for _ in range(10 * count):  # a short question has few parts
        share = dice.uniform(LEAST, 1)
        part = " ".join(word for word in words if dice.random() < share)
        places = [f"{part} {text}", f"{text} {part}", f"{first}{dot}{part} {rest}" if rest else f"{part}. {text}"]
        if part and len(found) < count:
            found.setdefault(dice.choice(places))
    return list(found)[:count]
