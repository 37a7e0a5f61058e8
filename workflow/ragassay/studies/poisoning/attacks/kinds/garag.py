"""GARAG: the passage that answers, with typos. A population of such passages evolves (NSGA-II) until one is at least as
similar to the question as the passage was and the reader, decoding greedily, no longer gives a right answer. Words of
answers and figures stay as they are. It wants any error, and has no wrong answer of its own.
"""

from ragassay.grading.answer_match import contains
from ragassay.studies.poisoning.attacks.poison import ERROR, READER, RETRIEVED, RETRIEVER, Poison

SETTINGS = {
    "texts": 1, "population": 25, "generations": 25, "parents": 10, "children": 20, "perturbation": 0.2,
    "crossover": 0.2, "mutation": 0.4, "targets": None, "seed": 0, "retriever": None, "reader": None,
}  # fmt: skip
NEEDS, WANTS = (RETRIEVER, RETRIEVED, READER), ERROR


def poison(targets, tools, settings):
    from ragassay.studies.poisoning.attacks.noise import noisy  # planning, which reads this module, needs no numpy

    def make(unit):
        found = [(passage, *noisy(unit["target"], passage, tools, settings)) for passage in unit["passages"]]
        name = unit["target"]["target_id"]
        return [Poison(name, text, passage["passage_id"], forwards=forwards) for passage, text, forwards in found]

    units = []
    for target in targets:
        found = tools.retrieved.get(target["target_id"], [])
        gold = [one for one in found if any(contains(one["text"], answer) for answer in target["answers"])]
        units.append({"target": target, "passages": gold[: settings["texts"]]})
    return tools.finished.each([unit for unit in units if unit["passages"]], make)
