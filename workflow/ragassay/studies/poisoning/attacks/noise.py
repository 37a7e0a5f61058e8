"""Evolve typos in a passage, as GARAG does: similar to the question as before, and less use to who answers from it.

An individual is the typos of a passage, pairs of a word's place and what stands there instead.
"""

import numpy as np

from ragassay.studies.poisoning.attacks.evolution import evolved, front
from ragassay.studies.poisoning.attacks.typos import may_change, typo


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
        new = list(dict.fromkeys(one for one in individuals if one not in seen))
        texts = [" ".join(words), *(_text(words, one) for one in new)]
        similar = tools.retriever.passages(texts) @ question
        probable = tools.reader.log_likelihoods(target["question"], [[text] for text in texts], target["answers"][0])
        values = zip(np.exp(similar[0] - similar[1:]), np.exp(probable[1:] - probable[0]), strict=True)
        seen.update(zip(new, values, strict=True))
        return np.array([seen[one] for one in individuals])

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
    one, other = (dict(parents[dice.integers(len(parents))]) for _ in range(2))
    for at in free:
        if dice.random() < settings["crossover"]:
            one.pop(at, None)
            one |= {at: other[at]} if at in other else {}
    share = settings["perturbation"] if dice.random() < settings["mutation"] else 0.0
    return _mutated(words, free, one, share, most, dice)


def _mutated(words, free, typos, share, most, dice):
    """With new typos in a share of the words that may have some, and at most so many in all, as sorted pairs."""
    typos = dict(typos)
    for at in free:
        if dice.random() < share:
            typos[at] = typo(words[at], dice)
    kept = sorted(typos)
    kept = sorted(dice.choice(kept, most, replace=False).tolist()) if len(kept) > most else kept
    return tuple((at, typos[at]) for at in kept)
