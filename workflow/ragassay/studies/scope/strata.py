"""How near a question is to its document, by the nearest claim, and where the controls cannot tell the kinds apart. A
stratum is a range of nearness with fixed limits. It is hard if the interval of neither control's AUROC reaches above
`HARD`, easy if that of either begins above it, else undecided, as with few questions of a kind."""

import itertools
from collections.abc import Iterator

import numpy as np

from ragassay.metrics.panel import Panel
from ragassay.metrics.resampling import share_interval
from ragassay.metrics.sums import number
from ragassay.studies.scope.controls import DIGITS

HARD = 0.75
HARD_GRADE, EASY, UNDECIDED = "hard", "easy", "undecided"
ALL = "all"


def similarity(vector, claims) -> tuple[float, float]:
    """To the nearest claim and to the claims on average; the vectors have length 1, and there is a claim."""
    similarities = claims @ vector
    return round(float(similarities.max()), DIGITS), round(float(similarities.mean()), DIGITS)


def drift(claims: list[dict], guesses: list[dict], vectors: dict[str, np.ndarray]) -> Iterator[dict]:
    """The similarities of each guess of one document. Guesses come round by round, vectors of length 1 by text."""
    first = {row["slot"]: vectors[row["text"]] for row in claims}
    whole, current = np.array(list(first.values())), dict(first)
    for row in guesses:
        slot, vector = row["slot"], vectors[row["text"]]
        similarities = {"to_original": vector @ first[slot], "to_previous": vector @ current[slot]}
        similarities = {name: round(float(value), DIGITS) for name, value in similarities.items()}
        same = {name: row[name] for name in ("recovered_id", "doc_id", "round", "slot")}
        yield {**same, **similarities, "to_nearest": similarity(vector, whole)[0]}
        current[slot] = vector


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
    in hard strata: the headline. `rows` have doc_id, out_of_scope, stratum, and the scores of the controls, `score` and
    `wording`, which may be None.
    """
    rows = [row for row in rows if row["score"] is not None and row["wording"] is not None]
    names = [*stratum_names(limits), ALL]
    inside = [[name in (ALL, row["stratum"]) for name in names] for row in rows]
    inside = np.array(inside, bool).reshape(len(rows), len(names))  # questions x strata
    out = np.array([row["out_of_scope"] for row in rows], bool)
    scores, wording = (np.array([row[name] for row in rows], float) for name in ("score", "wording"))
    panel = Panel([row["doc_id"] for row in rows], times, seed)
    areas, of_wording = (panel.auroc(given, out, inside) for given in (scores, wording))
    against_all = Panel([row["doc_id"] for row in rows]).auroc(scores, out, inside | ~out[:, None])  # all in scope
    shares = panel.part(out).mean(inside[out])
    outs, ins = inside[out].sum(axis=0), inside[~out].sum(axis=0)
    enough = np.minimum(outs, ins) >= fewest
    controls = [[estimates.row(at) for estimates in (areas, of_wording)] for at in range(len(names))]
    grades = np.array([_grade(both) if many else UNDECIDED for both, many in zip(controls, enough, strict=True)])
    hard = grades == HARD_GRADE
    share = _shares(shares.values, hard)
    drawn_share = _shares(shares.drawn, np.broadcast_to(hard, shares.drawn.shape))
    strata = []
    for at, name in enumerate(names):
        area, alone = controls[at]
        low, high = share_interval(share[at], drawn_share[:, at], int(shares.clusters[at]), int(shares.counts[at]))
        of_hard = slice(at, at + 1) if name != ALL else slice(0, -1)
        row = {"stratum": name, "n_out_of_scope": int(outs[at]), "n_in_scope": int(ins[at])}
        row |= {"auroc": area["value"], "auroc_low": area["low"], "auroc_high": area["high"]}
        row |= {"question_alone": alone["value"], "question_alone_low": alone["low"]}
        row |= {"question_alone_high": alone["high"], "auroc_against_all": number(against_all.values[at])}
        row |= {"grade": str(grades[at]), "hard": bool(hard[at]), "n_hard": int(outs[of_hard][hard[of_hard]].sum())}
        strata.append(row | {"share": number(share[at]), "share_low": low, "share_high": high})
    return strata


def _grade(controls):
    """By the ends of the intervals of both controls."""
    defined = [row for row in controls if row["high"] is not None]
    if any(row["low"] > HARD for row in defined):
        return EASY
    return HARD_GRADE if len(defined) == len(controls) and all(row["high"] <= HARD for row in defined) else UNDECIDED


def _shares(shares, hard):
    """The share of each stratum in the out-of-scope questions; in the last place, the share that is hard."""
    in_hard = np.where(hard, shares, 0 * shares)[..., :-1].sum(axis=-1)  # unknown values stay NaN
    return np.concatenate([shares[..., :-1], in_hard[..., None]], axis=-1)
