"""Whether one responder is better than another, and one prompt than another: differences on the same questions.

A difference is over the questions on which both have a verdict; its p comes from flipping signs by document and stands
after Holm's correction for all tests of one judge. Abstentions are set against the difference, then for it: if its sign
does not outlast that, the order is not settled, whatever p says.
"""

from itertools import combinations

import numpy as np

from ragassay.metrics.clustered import drawn_rates, ends, sums
from ragassay.metrics.paired import holm, sign_flip
from ragassay.schemas.metrics import metric
from ragassay.scope.verdicts import NO, UNASKED, YES, Questions


def comparison_rows(questions: Questions, cells: dict, times: int, flips: int, seed: int):
    """The rows of the table comparisons, for each judge among the cells."""
    wanted = questions.out & questions.kept
    owners, documents = questions.owners[wanted], len(questions.documents)
    for judge in dict.fromkeys(cell.judge for cell in cells):
        own = {cell: codes[wanted] for cell, codes in cells.items() if cell.judge == judge}
        pairs = list(_pairs(own))
        if not pairs:
            continue
        firsts, seconds = (np.stack([own[pair[at]] for _, _, pair in pairs], axis=1) for at in (0, 1))
        both = (firsts >= 0) & (seconds >= 0)
        wins = sums(owners, np.where(both, firsts - seconds, 0), documents)
        counts = sums(owners, both, documents)
        drawn = drawn_rates(wins, counts, times, seed)
        tested = sign_flip(wins, flips, seed)
        adjusted, bounds = holm(tested), _bounds(firsts, seconds)
        for at, (compared, within, pair) in enumerate(pairs):
            n, asked = int(counts[:, at].sum()), int(((firsts != UNASKED) & (seconds != UNASKED))[:, at].sum())
            value, (low, high) = (wins[:, at].sum() / n, ends(drawn[:, at])) if n else (None, (None, None))
            lowest, highest = (float(bound[at] / asked) if asked else None for bound in bounds)
            first, second = (getattr(cell, compared) for cell in pair)
            keys = {"generator": questions.generator, "judge": judge, "compared": compared, "within": within}
            keys |= {"first": first, "second": second}
            same = {"n": n, "abstained": asked - n}
            numbers = {"p": float(tested[at]), "p_holm": float(adjusted[at]), "at_least": lowest, "at_most": highest}
            numbers["unsettled"] = float(not asked or lowest <= 0 <= highest)
            difference = None if value is None else float(value)
            yield metric("responses", "comparisons", keys, "difference", difference, low=low, high=high, **same)
            for name, number in numbers.items():
                yield metric("responses", "comparisons", keys, name, number, **same)


def _pairs(cells):
    """(what is compared, within which, the two cells)"""
    for compared, within in (("responder", "prompt"), ("prompt", "responder")):
        for pair in combinations(cells, 2):
            if getattr(pair[0], within) == getattr(pair[1], within):
                yield compared, getattr(pair[0], within), pair


def _bounds(firsts, seconds):
    """Sums of the differences if all that abstained went against the first, and for it."""
    asked = (firsts != UNASKED) & (seconds != UNASKED)
    ends = []
    for for_first, for_second in ((NO, YES), (YES, NO)):
        first, second = np.where(firsts < 0, for_first, firsts), np.where(seconds < 0, for_second, seconds)
        ends.append(np.where(asked, first - second, 0).sum(axis=0, dtype=int))
    return ends
