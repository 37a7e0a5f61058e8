"""How near a question is to its document, and where in nearness the overlap control cannot tell the kinds apart.

Nearness is the similarity of a question to the nearest claim of its document, which questions of both kinds have. A
stratum is a range of nearness with fixed limits, so that new documents move no old question; it is hard if within it
the control's AUROC, out of scope against in scope, is at most `HARD`. One with few questions of either kind is never
called hard, since the control had no chance there. Intervals come from resampled documents; the control is not refitted
for each.
"""

import itertools

import numpy as np

from ragassay.metrics.panel import Panel, number
from ragassay.metrics.resampling import share_interval

HARD = 0.75
DIGITS = 5  # of a similarity: further digits depend on the machine
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
    names = [*stratum_names(limits), ALL]
    inside = [[name in (ALL, row["stratum"]) for name in names] for row in rows]
    inside = np.array(inside, bool).reshape(len(rows), len(names))  # questions x strata
    out = np.array([row["out_of_scope"] for row in rows], bool)
    scores, owners = np.array([row["score"] for row in rows], float), [row["doc_id"] for row in rows]
    panel = Panel(owners, times, seed)
    areas = panel.auroc(scores, out, inside)
    against_all = Panel(owners).auroc(scores, out, inside | ~out[:, None])  # the stratum against all that are in scope
    shares = panel.part(out).mean(inside[out])
    outs, ins = inside[out].sum(axis=0), inside[~out].sum(axis=0)
    enough = np.minimum(outs, ins) >= fewest
    hard, drawn_hard = (areas.values <= HARD) & enough, (areas.drawn <= HARD) & enough
    share, drawn_share = _shares(shares.values, hard), _shares(shares.drawn, drawn_hard)
    strata = []
    for at, name in enumerate(names):
        area = areas.row(at)
        low, high = share_interval(share[at], drawn_share[:, at], int(shares.clusters[at]), int(shares.counts[at]))
        of_hard = slice(at, at + 1) if name != ALL else slice(0, -1)
        row = {"stratum": name, "n_out_of_scope": int(outs[at]), "n_in_scope": int(ins[at])}
        row |= {"auroc": area["value"], "auroc_low": area["low"], "auroc_high": area["high"]}
        row |= {"auroc_against_all": number(against_all.values[at]), "hard": bool(hard[at])}
        row |= {"n_hard": int(outs[of_hard][hard[of_hard]].sum())}
        row |= {"share": number(share[at]), "share_low": low, "share_high": high}
        in_resamples = drawn_hard[:, of_hard].any(axis=1)
        strata.append(row | {"hard_in_resamples": float(in_resamples.mean()) if len(in_resamples) else None})
    return strata


def _shares(shares, hard):
    """The share of each stratum in the out-of-scope questions; in the last place, the share that is hard."""
    in_hard = np.where(hard, shares, 0 * shares)[..., :-1].sum(axis=-1)  # unknown values stay NaN
    return np.concatenate([shares[..., :-1], in_hard[..., None]], axis=-1)
