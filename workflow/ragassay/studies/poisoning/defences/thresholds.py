"""Thresholds from clean text: a passage is removed if its score is at least the quantile 1 - alpha of the null.

A share `trim` of the null may be poisoned, as where it comes from a corpus that nobody has vetted. Poison stands on top
there, so that the quantile is taken below it.
"""

import math

import numpy as np

from ragassay.studies.poisoning.defences.judgement import Criterion, Judgement
from ragassay.studies.poisoning.defences.null import DefenceError, Null, is_rough

SETTINGS = {"alpha": 0.025, "quantile": "linear", "trim": 0.0, "sample": 1000, "seed": 0, "poisoned_null": None}
GRID = 1000  # quantiles that are kept of a null, to rank scores in it


def fit(kind, null: Null, settings: dict) -> dict:
    """criterion -> its threshold, and the null that scores are ranked in. A kind with `units` learns these before, and
    its scores find them in the settings.
    """
    units = kind.units(null, settings) if hasattr(kind, "units") else None
    settings = settings | {"units": units}
    sources = {"sample": [null.sample], "found": list(null.found.values())}
    origins = kind.sources(settings) if hasattr(kind, "sources") else kind.CRITERIA
    needed = dict.fromkeys(origins[name] for name in _criteria(kind, settings))
    values = {source: _scores(kind, sources[source], settings) for source in needed}
    result = {}
    for name in _criteria(kind, settings):
        own = values[origins[name]][name]
        own = np.sort(own[~np.isnan(own)])
        check(name, own, settings["alpha"])
        level = (1 - settings["alpha"]) * (1 - settings["trim"])
        result[name] = {
            "threshold": float(np.quantile(own, level, method=settings["quantile"])),
            "null": grid(own),
            "texts": len(own),
            "rough": is_rough(len(own), settings["alpha"]),
        }
    result = kind.adjusted(result, null, settings) if hasattr(kind, "adjusted") else result
    return {"criteria": result, "units": units}


def judge(kind, passages: list[dict], settings: dict) -> list[Judgement]:
    """The score of a passage is the highest rank in the null that a criterion gives; above 1 there is no clean text."""
    fitted = settings["fitted"]["criteria"]
    values = kind.scores(passages, settings | {"units": settings["fitted"]["units"]})
    limits = {name: _limit(fitted[name]["threshold"], passages) for name in fitted}
    ranked = np.stack([rank(values[name], np.array(fitted[name]["null"])) for name in fitted])
    top = np.where(np.isnan(ranked).all(axis=0), np.nan, np.nanmax(np.nan_to_num(ranked, nan=-1.0), axis=0))
    result = []
    for at in range(len(passages)):
        criteria = tuple(
            Criterion(name, float(values[name][at]), limits[name]) for name in fitted if not np.isnan(values[name][at])
        )
        reached = [one.name for one in criteria if one.score >= one.threshold]
        score = None if np.isnan(top[at]) else round(float(top[at]), 6)
        result.append(Judgement(bool(reached), score, ", ".join(reached) or None, criteria))
    return result


def grid(values: np.ndarray) -> list[float]:
    """What is kept of a null: quantiles, ascending."""
    found = np.quantile(values, np.linspace(0, 1, min(GRID, len(values))))
    return [float(f"{value:.6g}") for value in found]


def rank(values: np.ndarray, null: np.ndarray) -> np.ndarray:
    """The share of an ascending null that lies below; above all of it, further by how far."""
    below = (np.searchsorted(null, values, side="left") + np.searchsorted(null, values, side="right")) / 2 / len(null)
    spread = (null[-1] - null[len(null) // 2]) or 1.0
    beyond = np.maximum(values - null[-1], 0) / spread
    return np.where(np.isnan(values), np.nan, below + beyond)


def _criteria(kind, settings):
    return kind.criteria(settings) if hasattr(kind, "criteria") else kind.CRITERIA


def _scores(kind, groups, settings):
    parts = [kind.scores(rows, settings) for rows in groups if rows]
    names = parts[0] if parts else {}
    return {name: np.concatenate([np.asarray(part[name], float) for part in parts]) for name in names} | (
        {} if parts else {name: np.empty(0) for name in kind.CRITERIA}
    )


def check(name: str, values: np.ndarray, alpha: float) -> None:
    """Refuse scores of clean text, ascending, that give no threshold."""
    least = math.ceil(1 / alpha)
    if len(values) < least:
        raise DefenceError(
            f"criterion {name}: found {len(values)} clean texts to fit it on, expected at least {least} for alpha"
            f" {alpha}; add calibration queries or passages, or raise alpha"
        )
    if values[0] == values[-1]:
        raise DefenceError(
            f"criterion {name}: found the same score {values[0]:g} for all {len(values)} clean texts, so that a"
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
