"""How near a question is to its document, and where in nearness the overlap control cannot tell the kinds apart.

Nearness is the similarity of a question to the nearest claim of its document, which questions of both kinds have. A
stratum is a range of nearness with fixed limits, so that new documents move no old question; it is hard if within it
the control's AUROC, out of scope against in scope, is at most `HARD`. One with few questions of either kind is never
called hard: there the control was not given a chance. Intervals come from resampled documents; the control is not
fitted anew for each.
"""

import itertools

import numpy as np

from ragassay.metrics.auroc import Auroc
from ragassay.metrics.resampling import interval, resamples

HARD = 0.75
DIGITS = 5  # of a similarity: what is behind them depends on the machine
ALL = "all"


def similarity(vector, claims) -> tuple[float, float]:
    """To the nearest claim and to the claims on average; the vectors have length 1, and there is a claim."""
    found = claims @ vector
    return round(float(found.max()), DIGITS), round(float(found.mean()), DIGITS)


def stratum(nearness: float, limits: list[float]) -> str:
    """The name of the range that a nearness is in; a limit belongs to the range above it."""
    names = stratum_names(limits)
    return names[int(np.searchsorted(limits, nearness, side="right"))]


def stratum_names(limits: list[float]) -> list[str]:
    """From the farthest to the nearest."""
    texts = [f"{limit:.2f}" for limit in limits]
    inner = [f"{low} to {high}" for low, high in itertools.pairwise(texts)]
    return [f"below {texts[0]}", *inner, f"from {texts[-1]}"]


def grade(rows: list[dict], limits: list[float], fewest: int, times: int, seed: int = 0) -> list[dict]:
    """One row per stratum, from the farthest to the nearest, then one for all questions, whose hard questions are those
    in hard strata: the headline. `rows` have doc_id, out_of_scope, stratum, and the control's score, which may be None.
    """
    rows = [row for row in rows if row["score"] is not None]
    measures = {name: Stratum(rows, name, fewest) for name in (*stratum_names(limits), ALL)}
    plain = _figures(measures, np.ones(len(rows)))
    drawn = [_figures(measures, weights) for weights in resamples([row["doc_id"] for row in rows], times, seed)]
    return [_row(measures[name], plain[name], [figures[name] for figures in drawn]) for name in measures]


class Stratum:
    """The questions of one stratum, and what the control makes of them under any weights."""

    def __init__(self, rows, name, fewest):
        self.name, self.fewest = name, fewest
        self.inside = np.array([name in (ALL, row["stratum"]) for row in rows], bool)
        self.positive = np.array([row["out_of_scope"] for row in rows], bool)
        scores = np.array([row["score"] for row in rows], float)
        self.outs, self.ins = int((self.inside & self.positive).sum()), int((self.inside & ~self.positive).sum())
        self.within = Auroc(scores[self.inside], self.positive[self.inside])
        self.mixed = self.inside | ~self.positive  # its questions out of scope against all that are in scope
        self.against_all = Auroc(scores[self.mixed], self.positive[self.mixed])

    def figures(self, weights):
        area = self.within(weights[self.inside])
        hard = area is not None and area <= HARD and min(self.outs, self.ins) >= self.fewest
        count = float(weights[self.inside & self.positive].sum())
        return {"auroc": area, "all": self.against_all(weights[self.mixed]), "hard": hard, "n": count}


def _figures(measures, weights):
    found = {name: measure.figures(weights) for name, measure in measures.items()}
    hard = sum(figures["n"] for name, figures in found.items() if name != ALL and figures["hard"])
    total = found[ALL]["n"]
    for figures in found.values():
        figures["n_hard"] = figures["n"] if figures["hard"] else 0.0
        figures["share"] = figures["n"] / total if total else None
    found[ALL] |= {"n_hard": hard, "share": hard / total if total else None}
    return found


def _row(measure, plain, drawn):
    auroc_low, auroc_high = interval(figures["auroc"] for figures in drawn)
    share_low, share_high = interval(figures["share"] for figures in drawn)
    row = {"stratum": measure.name, "n_out_of_scope": measure.outs, "n_in_scope": measure.ins}
    row |= {"auroc": plain["auroc"], "auroc_low": auroc_low, "auroc_high": auroc_high}
    row |= {"auroc_against_all": plain["all"], "hard": plain["hard"], "n_hard": int(plain["n_hard"])}
    row |= {"share": plain["share"], "share_low": share_low, "share_high": share_high}
    return row | {
        "hard_in_resamples": float(np.mean([bool(figures["n_hard"]) for figures in drawn])) if drawn else None
    }
