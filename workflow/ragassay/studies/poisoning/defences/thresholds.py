"""Thresholds from clean text: a passage is removed if its score is at least the quantile 1 - alpha of the null, of
which a share `trim` may be poisoned and is taken off the top. No query is judged by thresholds that it gave: queries
are divided into folds by a hash of their words."""

import math
from typing import NamedTuple

import numpy as np

from ragassay.base import chance
from ragassay.base.card import ascending, is_number
from ragassay.base.terminal import shown
from ragassay.studies.poisoning.defences.defence import Criterion, Defence, DefenceError, Judgement

FOLDS = 5
RETRIEVED, LITERAL = "retrieved", "literal"  # what a threshold of similarity comes from
SAMPLE, FOUND = "sample", "found"  # and others: passages of the corpus, or those that calibration queries find
ALL = "all"  # the fold of queries that calibrate nothing
PER_ALPHA = 10  # texts of the null beyond a threshold that is more than rough
GRID = 1000  # quantiles that are kept of a null, to rank scores in it
ROUNDED = 1e-5  # of a null's numbers, which are kept with six digits
METHODS = ("linear", "lower", "higher", "midpoint", "nearest", "median_unbiased", "hazen", "weibull")  # of quantiles
NLL, PPL = "nll", "ppl"  # scales of how surprising a text is
SURPRISE = {"scorer": "ngram", "scale": NLL}  # settings of a defence that looks at this


class Null(NamedTuple):
    """Rows as `ragassay.studies.poisoning.defences.defence` describes them; those of a sample have no question."""

    sample: list[dict]
    found: dict[str, list[dict]]  # calibration query -> what it finds
    literal: dict[str, np.ndarray] | None = None  # query -> similarities of the sample, if somebody asked for them

    def without(self, fold: str, folds: dict[str, str]) -> "Null":
        """What may judge the queries of a fold: nothing of the sample that they find, and none of them."""
        theirs = {row["passage_id"] for name, rows in self.found.items() if folds[name] == fold for row in rows}
        sample = [row for row in self.sample if row["passage_id"] not in theirs]
        return Null(sample, {name: rows for name, rows in self.found.items() if folds[name] != fold}, self.literal)


def fold_of(question: str) -> str:
    """The fold of a query, which does not depend on any other."""
    words = " ".join(question.lower().split())
    return str(chance.number("fold", words, width=1) % FOLDS)


def is_rough(texts: int, alpha: float) -> bool:
    """Whether a null is too small for more than a rough threshold."""
    return texts < PER_ALPHA / alpha


class CriteriaDefence(Defence):
    """Looks at each passage by scores of several criteria. `CRITERIA` says which clean text the threshold of each comes
    from: a SAMPLE of passages, or those FOUND for calibration queries. `readings(passages)` gives the scores by
    criterion, NaN where a passage has none. `fitted` has each criterion's threshold, and the null that scores are
    ranked in.
    """

    IS_FITTED = True
    COMPARES = False
    SETTINGS = {"alpha": 0.025, "quantile": "linear", "trim": 0.0, "sample": 1000, "seed": 0, "poisoned_null": None}
    CRITERIA: dict[str, str] = {}
    UNITS: tuple[str, ...] = ()  # what `units` names, if anything
    CHOICES = {"scale": (NLL, PPL), "quantile": METHODS}

    def damage(self):
        if wrong := super().damage():
            return wrong
        if not 0 < self.settings["alpha"] < 1 or not 0 <= self.settings["trim"] < 1:
            return f"found alpha {self.settings['alpha']} and trim {self.settings['trim']}, expected shares"
        return self._damaged_thresholds() or self._damaged_units()

    def readings(self, passages: list[dict]) -> dict[str, np.ndarray]:
        raise NotImplementedError

    @property
    def criteria(self) -> list[str]:
        """Those that are used with its settings."""
        return list(self.CRITERIA)

    @property
    def sources(self) -> dict[str, str]:
        return self.CRITERIA

    def units(self, null: Null) -> dict | None:
        """What readings are measured in, if they depend on clean text; then it stands in `self.fitted["units"]`."""
        return None

    def adjusted(self, criteria: dict, null: Null) -> dict:
        """Thresholds as they are used."""
        return criteria

    def fit(self, null: Null):
        self.fitted = {"criteria": {}, "units": self.units(null)}
        texts = {SAMPLE: [null.sample], FOUND: list(null.found.values())}
        values = {source: self._of_all(texts[source]) for source in {self.sources[name] for name in self.criteria}}
        thresholds = {name: self._threshold(name, values[self.sources[name]][name]) for name in self.criteria}
        self.fitted["criteria"] = self.adjusted(thresholds, null)
        return self

    def limit(self, scores: np.ndarray) -> float:
        """The threshold that scores of clean text give."""
        level = (1 - self.settings["alpha"]) * (1 - self.settings["trim"])
        return float(np.quantile(scores, level, method=self.settings["quantile"]))

    def judge(self, passages: list[dict]) -> list[Judgement]:
        """The score of a passage is the highest rank in the null that a criterion gives; above 1 there is no clean
        text.
        """
        criteria, values = self.fitted["criteria"], self.readings(passages)
        limits = {name: _limit(fitted["threshold"], passages) for name, fitted in criteria.items()}
        ranks = np.stack([rank(values[name], np.array(fitted["null"])) for name, fitted in criteria.items()])
        top = np.where(np.isnan(ranks).all(axis=0), np.nan, np.nanmax(np.nan_to_num(ranks, nan=-1.0), axis=0))
        judgements = []
        for at in range(len(passages)):
            scored_by = [name for name in criteria if not np.isnan(values[name][at])]
            scored = tuple(Criterion(name, float(values[name][at]), limits[name]) for name in scored_by)
            reached = [criterion.name for criterion in scored if criterion.score >= criterion.threshold]
            score = None if np.isnan(top[at]) else round(float(top[at]), 6)
            judgements.append(Judgement(bool(reached), score, ", ".join(reached) or None, scored))
        return judgements

    def _damaged_thresholds(self):
        criteria = self.fitted.get("criteria")
        if not isinstance(criteria, dict) or set(criteria) != set(self.criteria) or not criteria:
            return f"found thresholds {shown(criteria)}, expected those of {', '.join(self.criteria)}"
        for name, fitted in criteria.items():
            limit = fitted.get("threshold") if isinstance(fitted, dict) else None
            limits = list(limit.values()) if isinstance(limit, dict) else [limit]
            if not limits or not all(map(is_number, limits)):
                return f"found the threshold {shown(limit)} of {name}, expected a number"
            if wrong := ascending(fitted.get("null"), GRID):
                return f"{wrong} as null of {name}"
            if type(fitted.get("texts")) is not int or not isinstance(fitted.get("rough"), bool):
                return f"found a threshold of {name} without the number of its clean texts"
            low, high = fitted["null"][0], fitted["null"][-1]
            room = ROUNDED * max(abs(low), abs(high))
            if not isinstance(limit, dict) and not low - room <= limit <= high + room:
                return f"found the threshold {limit} of {name}, expected one of its null, from {low} to {high}"
        return ""

    def _damaged_units(self):
        if unknown := sorted(self.fitted.keys() - {"criteria", "units"}):
            return f"found {shown(unknown[0])}, expected criteria and units"
        units = self.fitted.get("units") or {}
        if not isinstance(units, dict) or set(units) != set(self.UNITS):
            return f"found units {shown(units)}, expected those of {', '.join(self.UNITS) or 'no reading'}"
        return next((f"{wrong} as units" for wrong in map(ascending, units.values()) if wrong), "")

    def _of_all(self, groups):
        """The readings of several questions' passages, one after another."""
        parts = [self.readings(rows) for rows in groups if rows]
        names = parts[0] if parts else self.CRITERIA
        return {name: np.concatenate([np.empty(0), *(part[name] for part in parts)]) for name in names}

    def _threshold(self, name, scores):
        scores = np.sort(scores[~np.isnan(scores)])
        check(name, scores, self.settings["alpha"])
        rough = is_rough(len(scores), self.settings["alpha"])
        return {"threshold": self.limit(scores), "null": grid(scores), "texts": len(scores), "rough": rough}


def surprise(passages: list[dict], name: str, settings: dict) -> np.ndarray:
    """How surprising passages are, as a scorer said (see the table passage_scores): the mean of -log p, or e to that;
    NaN where a passage has no token.
    """
    values = np.array([passage["scores"][name] for passage in passages], float)
    return np.exp(values) if settings["scale"] == PPL else values


def grid(values: np.ndarray) -> list[float]:
    """What is kept of a null: quantiles, ascending."""
    quantiles = np.quantile(values, np.linspace(0, 1, min(GRID, len(values))))
    return [float(f"{value:.6g}") for value in quantiles]


def rank(values: np.ndarray, null: np.ndarray) -> np.ndarray:
    """The share of an ascending null that lies below; above all of it, further by how far."""
    below = (np.searchsorted(null, values, side="left") + np.searchsorted(null, values, side="right")) / 2 / len(null)
    spread = (null[-1] - null[len(null) // 2]) or 1.0
    beyond = np.maximum(values - null[-1], 0) / spread
    return np.where(np.isnan(values), np.nan, below + beyond)


def check(name: str, scores: np.ndarray, alpha: float) -> None:
    """Refuse scores of clean text, ascending, that give no threshold."""
    least = math.ceil(1 / alpha)
    if len(scores) < least:
        raise DefenceError(
            f"criterion {name}: found {len(scores)} clean texts to fit it on, expected at least {least} for alpha"
            f" {alpha}; add calibration queries or passages, or raise alpha"
        )
    if scores[0] == scores[-1]:
        raise DefenceError(
            f"criterion {name}: found the same score {scores[0]:g} for all {len(scores)} clean texts, so that a"
            " threshold would remove all or nothing; see what gave these scores"
        )


def _limit(threshold, passages):
    """A threshold of its own for each query stands by the query's id."""
    if not isinstance(threshold, dict):
        return threshold
    name = passages[0]["target_id"]
    if name not in threshold:
        raise DefenceError(
            f"query {name}: found no threshold; the literal reading has one for each query that it was fitted with, so"
            " that it cannot judge others; take the null `retrieved`"
        )
    return threshold[name]
