"""Whether one responder is better than another, and one prompt than another: differences on the same questions.

A difference is over the questions on which both have a verdict; its p comes from flipping signs by document and stands
after Holm's correction for all tests of one judge. Abstentions are set against the difference, then for it: if its sign
does not outlast that, the order is not settled, whatever p says.
"""

from itertools import combinations

import numpy as np

from ragassay.metrics.paired import holm
from ragassay.metrics.panel import bounds, number
from ragassay.schemas.report import Section
from ragassay.studies.scope.responses.verdict_matrix import UNASKED, Questions, defused

SECTION = Section("responses")


def comparison_rows(questions: Questions, cells: dict, times: int, flips: int, seed: int):
    """The rows of the table comparisons, for each judge among the cells."""
    wanted = questions.out & questions.kept
    panel = questions.panel(times, seed).part(wanted)
    for judge in dict.fromkeys(cell.judge for cell in cells):
        judged = {cell: codes[wanted] for cell, codes in cells.items() if cell.judge == judge}
        pairs = list(_pairs(judged))
        if not pairs:
            continue
        firsts, seconds = (np.stack([judged[pair[at]] for _, _, pair in pairs], axis=1) for at in (0, 1))
        asked = (firsts != UNASKED) & (seconds != UNASKED)
        firsts, seconds = defused(firsts), defused(seconds)
        differences = panel.difference(firsts - seconds, asked)
        tested = panel.p(firsts - seconds, flips)
        adjusted = holm(tested)
        (least_first, most_first), (least_second, most_second) = bounds(firsts, asked), bounds(seconds, asked)
        lowest, highest = least_first - most_second, most_first - least_second
        for at, (compared, within, (first, second)) in enumerate(pairs):
            difference = differences.row(at)
            keys = {"generator": questions.generator, "judge": judge, "compared": compared, "within": within}
            keys |= {"first": getattr(first, compared), "second": getattr(second, compared)}
            numbers = {"p": float(tested[at]), "p_holm": float(adjusted[at])}
            numbers |= {"at_least": number(lowest[at]), "at_most": number(highest[at])}
            numbers["unsettled"] = float(not (lowest[at] > 0 or highest[at] < 0))
            yield SECTION.row("comparisons", keys, "difference", **difference)
            counts = {name: difference[name] for name in ("n", "abstained")}
            for name, value in numbers.items():
                yield SECTION.row("comparisons", keys, name, value, **counts)


def _pairs(cells):
    """(what is compared, within which, the two cells)"""
    for compared, within in (("responder", "prompt"), ("prompt", "responder")):
        for pair in combinations(cells, 2):
            if getattr(pair[0], within) == getattr(pair[1], within):
                yield compared, getattr(pair[0], within), pair
