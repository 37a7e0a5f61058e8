"""GARAG: the passage that answers, with typos. A population of such passages evolves (NSGA-II) until one is at least
as similar to the question as the passage was and the reader, decoding greedily, no longer gives a right answer. Words
of answers and figures stay. An individual is the typos of a passage, with two numbers that should be small."""

from collections.abc import Callable

import numpy as np

from ragassay.grading.matches import contains
from ragassay.studies.poisoning.attacks.attack import ERROR, READER, RETRIEVED, RETRIEVER, Attack, Poison
from ragassay.studies.poisoning.attacks.kinds.typos import may_change, typo


class Kind(Attack):
    SETTINGS = {
        "texts": 1, "population": 25, "generations": 25, "parents": 10, "children": 20, "perturbation": 0.2,
        "crossover": 0.2, "mutation": 0.4, "targets": None, "seed": 0, "retriever": None, "reader": None,
    }  # fmt: skip
    NEEDS = (RETRIEVER, RETRIEVED, READER)
    WANTS = ERROR

    def poison(self, targets):
        units = [{"target": target, "passages": self._answering(target)} for target in targets]
        return self.tools.finished.each([unit for unit in units if unit["passages"]], self._make)

    def _answering(self, target):
        """The first passages that the question finds and that give a right answer."""
        retrieved = self.tools.retrieved.get(target["target_id"], [])
        gold = [row for row in retrieved if any(contains(row["text"], answer) for answer in target["answers"])]
        return gold[: self.settings["texts"]]

    def _make(self, unit):
        made, name = [], unit["target"]["target_id"]
        for passage in unit["passages"]:
            text, forwards = noisy(unit["target"], passage, self.tools, self.settings)
            made.append(Poison(name, text, passage["passage_id"], forwards=forwards))
        return made


def noisy(target: dict, passage: dict, tools, settings: dict) -> tuple[str, int]:
    """The passage with the typos that do most, and how many forward passes it took."""
    seed = f"{settings['seed']} {target['target_id']} {passage['passage_id']}"
    words, dice = passage["text"].split(), np.random.default_rng([*seed.encode()])
    free = may_change(words, target["answers"])
    most = max(1, round(settings["perturbation"] * len(free)))
    question = tools.retriever.questions([target["question"]])[0]
    seen = {}

    def measured(individuals):
        """individuals x 2: both below 1 if it is more similar than the passage was, and the answer less probable."""
        new = list(dict.fromkeys(typos for typos in individuals if typos not in seen))
        texts = [" ".join(words), *(_text(words, typos) for typos in new)]
        similar = tools.retriever.passages(texts) @ question
        probable = tools.reader.log_likelihoods(target["question"], [[text] for text in texts], target["answers"][0])
        values = zip(np.exp(similar[0] - similar[1:]), np.exp(probable[1:] - probable[0]), strict=True)
        seen.update(zip(new, values, strict=True))
        return np.array([seen[typos] for typos in individuals])

    def bred(parents):
        return [_child(words, free, parents, most, settings, dice) for _ in range(settings["children"])]

    def is_enough(population, values):
        """Whether the best typos are found as before, and the reader says no right answer any more."""
        best = _best(values)
        if values[best, 0] >= 1 or values[best, 1] >= 1:
            return False
        text = _text(words, population[best])
        return not any(tools.reader.says(target["question"], [text], answer) for answer in target["answers"])

    first = [_mutated(words, free, {}, 1.0, most, dice) for _ in range(settings["population"])]
    population, values = evolved(first, measured, bred, settings["generations"], settings["parents"], is_enough)
    return _text(words, population[_best(values)]), 2 * len(seen)


def _best(values):
    """The place of the one that is found as before and leaves the answer least probable."""
    return min(front(values), key=lambda at: (values[at, 0] >= 1, values[at, 1], values[at, 0]))


def _text(words, typos):
    changed = dict(typos)
    return " ".join(changed.get(at, word) for at, word in enumerate(words))


def _child(words, free, parents, most, settings, dice):
    """Typos of one parent, some exchanged for those of another, and perhaps new ones."""
    typos, other = (dict(parents[dice.integers(len(parents))]) for _ in range(2))
    for at in free:
        if dice.random() < settings["crossover"]:
            typos.pop(at, None)
            typos |= {at: other[at]} if at in other else {}
    share = settings["perturbation"] if dice.random() < settings["mutation"] else 0.0
    return _mutated(words, free, typos, share, most, dice)


def _mutated(words, free, typos, share, most, dice):
    """With new typos in a share of the words that may have some, and at most so many in all, as sorted pairs."""
    typos = dict(typos)
    for at in free:
        if dice.random() < share:
            typos[at] = typo(words[at], dice)
    kept = sorted(typos)
    kept = sorted(dice.choice(kept, most, replace=False).tolist()) if len(kept) > most else kept
    return tuple((at, typos[at]) for at in kept)


def ranked(values: np.ndarray) -> np.ndarray:
    """Places of the individuals, the best first: by front, and inside a front those first that stand alone."""
    fronts = np.empty(len(values), int)
    left, number = np.arange(len(values)), 0
    while len(left):
        beaten = _beaten(values[left])
        fronts[left[~beaten]] = number
        left, number = left[beaten], number + 1
    crowding = np.zeros(len(values))
    for front in range(number):
        members = np.flatnonzero(fronts == front)
        crowding[members] = _distances(values[members])
    return np.lexsort((np.arange(len(values)), -crowding, fronts))


def front(values: np.ndarray) -> np.ndarray:
    """Places of the individuals that no other beats."""
    return np.flatnonzero(~_beaten(values))


def _beaten(values):
    """Whether another individual is nowhere worse than each and somewhere better."""
    as_good = (values[:, None, :] <= values[None, :, :]).all(2)  # [a, b]: a is nowhere worse than b
    return (as_good & ~as_good.T).any(0)


def _distances(values):
    """How far each individual of a front is from its neighbours, over all numbers; infinite at the ends."""
    total = np.zeros(len(values))
    for column in values.T:
        order = np.argsort(column, kind="stable")
        gaps = np.full(len(values), np.inf)
        width = column[order[-1]] - column[order[0]]
        gaps[1:-1] = (column[order[2:]] - column[order[:-2]]) / (width or 1)
        total[order] += gaps
    return total


def evolved(
    population: list,
    measured: Callable[[list], np.ndarray],
    bred: Callable[[list], list],
    generations: int,
    parents: int,
    is_enough: Callable[[list, np.ndarray], bool],
) -> tuple[list, np.ndarray]:
    """The population after so many generations, or as soon as it is enough, and its numbers. The best `parents` have
    children; of all, as many stay as there were.
    """
    values = measured(population)
    for _ in range(generations):
        if is_enough(population, values):
            break
        chosen = [population[at] for at in ranked(values)[:parents]]
        children = bred(chosen)
        together, numbers = population + children, np.concatenate([values, measured(children)])
        best = ranked(numbers)[: len(population)]
        population, values = [together[at] for at in best], numbers[best]
    return population, values
