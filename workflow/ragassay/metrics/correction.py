"""A rate corrected for the mistakes of its judge: Rogan and Gladen's correction, from the judge's rates on gold.

The interval covers the uncertainty of the rate and of the judge: resampled rates come from the caller, and the judge's
two rates are drawn from their posteriors given the gold counts (beta distributions with Jeffreys' prior). A judge no
better than chance corrects nothing.
"""

from typing import NamedTuple

import numpy as np

from ragassay.metrics.resampling import interval


class Judge(NamedTuple):
    """How often a judge said yes to gold items of either label."""

    yes_of_yes: int
    yes: int
    no_of_no: int
    no: int

    @property
    def sensitivity(self) -> float | None:
        return self.yes_of_yes / self.yes if self.yes else None

    @property
    def specificity(self) -> float | None:
        return self.no_of_no / self.no if self.no else None


def corrected(rate, sensitivity, specificity):
    """The rate without the judge's mistakes, within 0 and 1; arrays are taken item by item."""
    return np.clip((rate + specificity - 1) / (sensitivity + specificity - 1), 0, 1)


def corrected_rate(rate: float, drawn, judge: Judge, seed: int = 0, clusters: int | None = None):
    """(value, low, high) for a rate and its resampled values, of so many clusters; empty without gold items of both
    kinds.
    """
    if not judge.yes or not judge.no or judge.sensitivity + judge.specificity <= 1:
        return None, None, None
    random, drawn = np.random.default_rng(seed), np.asarray(drawn, float)
    hits, misses = judge.yes_of_yes, judge.yes - judge.yes_of_yes
    sensitivity = random.beta(hits + 0.5, misses + 0.5, len(drawn))
    specificity = random.beta(judge.no_of_no + 0.5, judge.no - judge.no_of_no + 0.5, len(drawn))
    usable = ~np.isnan(drawn) & (sensitivity + specificity > 1)
    found = corrected(drawn[usable], sensitivity[usable], specificity[usable])
    return float(corrected(rate, judge.sensitivity, judge.specificity)), *interval(found.tolist(), clusters)
