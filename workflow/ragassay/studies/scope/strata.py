"""How near a question is to its document, by the nearest claim, and where the controls cannot tell the kinds apart. A
stratum is a range of nearness with fixed limits. It is hard if the interval of neither control's AUROC reaches above
`HARD`, easy if that of either begins above it, else undecided, as with few questions of a kind."""

import itertools
from collections.abc import Iterator

import numpy as np
import pandas as pd
import pyarrow as pa

from ragassay.base import tables
from ragassay.metrics.panel import Panel
from ragassay.metrics.resampling import share_interval
from ragassay.metrics.sums import Totals, number
from ragassay.schemas.hardness import HARDNESS_SCORES
from ragassay.studies.scope.controls import DIGITS

HARD = 0.75
HARD_GRADE, EASY, UNDECIDED = "hard", "easy", "undecided"
ALL = "all"
CONTROLS, SHARES = ("score", "wording"), "shares"


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


class Strata:
    """One row per stratum, from the farthest to the nearest, then one for all questions, whose hard questions are those
    in hard strata: the headline. Questions come part by part, such as shard by shard; what is kept of them are counts.
    """

    def __init__(self, limits: list[float], fewest: int, times: int, seed: int = 0):
        self.names, self.fewest = [*stratum_names(limits), ALL], fewest
        self.draws, self.totals = (times, seed), Totals()

    def add(self, rows: pd.DataFrame) -> None:
        """`rows` have doc_id, out_of_scope, stratum, and the scores of both controls, which may be missing."""
        rows = rows.dropna(subset=list(CONTROLS))
        out, strata = rows["out_of_scope"].to_numpy(bool), rows["stratum"].to_numpy(str)
        inside = {name: (strata == name) | (name == ALL) for name in self.names}
        panel = Panel(rows["doc_id"], *self.draws)
        for control in CONTROLS:
            counts = panel.score_counts(rows[control].to_numpy(float), out, inside)
            self.totals.add({(control, name): of_stratum for name, of_stratum in counts.items()})
        shares = np.stack([mask[out] for mask in inside.values()], axis=1)
        self.totals.add_means(panel.part(out), shares, {SHARES: None})

    def rows(self) -> list[dict]:
        estimates, counts = self.totals.estimates(), [self.totals["score", name] for name in self.names]
        controls = [[estimates[control, name].row() for control in CONTROLS] for name in self.names]
        outs, ins = (np.array([getattr(each, kind)[:, 0].sum() for each in counts]) for kind in ("above", "below"))
        enough = np.minimum(outs, ins) >= self.fewest
        grades = np.array([_grade(both) if many else UNDECIDED for both, many in zip(controls, enough, strict=True)])
        hard, shares = grades == HARD_GRADE, estimates[SHARES]
        share = _shares(shares.values, hard)
        drawn_share = _shares(shares.drawn, np.broadcast_to(hard, shares.drawn.shape))
        strata = []
        for at, name in enumerate(self.names):
            area, alone = controls[at]
            low, high = share_interval(share[at], drawn_share[:, at], int(shares.clusters[at]), int(shares.counts[at]))
            of_hard = slice(at, at + 1) if name != ALL else slice(0, -1)
            row = {"stratum": name, "n_out_of_scope": int(outs[at]), "n_in_scope": int(ins[at])}
            row |= {"auroc": area["value"], "auroc_low": area["low"], "auroc_high": area["high"]}
            row |= {"question_alone": alone["value"], "question_alone_low": alone["low"]}
            against_all = number(counts[at].against(counts[-1]).estimates().values[0])  # all in scope
            row |= {"question_alone_high": alone["high"], "auroc_against_all": against_all}
            row |= {"grade": str(grades[at]), "hard": bool(hard[at]), "n_hard": int(outs[of_hard][hard[of_hard]].sum())}
            strata.append(row | {"share": number(share[at]), "share_low": low, "share_high": high})
        return strata

    def error(self) -> float:
        """The most by which an area may be wrong because scores were rounded."""
        return max(self.totals[control, name].error() for control in CONTROLS for name in self.names)


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


def scores_by_shard(paths, columns=("question_id", "score", "hard")):
    """From files of hardness_scores: a function of generator and shard, which gives the rows of their questions."""
    by_generator = {}
    nothing = HARDNESS_SCORES.schema.empty_table().select(list(columns))
    for keys, rows in tables.each(HARDNESS_SCORES, paths, [*columns, "shard"]):
        shards = rows["shard"].combine_chunks().dictionary_encode()
        by_generator[keys["generator"]] = (
            rows.select(list(columns)),
            shards.indices.to_numpy(),
            shards.dictionary.to_pylist(),
        )

    def of_shard(generator, shard):
        rows, places, names = by_generator.get(generator, (nothing, np.empty(0), []))
        wanted = places == names.index(shard) if shard in names else np.zeros(len(places), bool)
        return rows.filter(pa.array(wanted))

    return of_shard
