"""Rows of the report's section on months: what each shard came to, and what changed from the last but one to the
last. Numbers are those of the other sections, for the questions of one shard. A change has an interval from both
shards, since no document is in two, and counts as many items as the smaller has."""

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
import pandas as pd

from ragassay.metrics.panel import Panel
from ragassay.metrics.resampling import difference_interval
from ragassay.schemas.report import Section
from ragassay.studies.scope.votes import DEFUSED, KEPT, NOT_DEFUSED, OUT

SECTION = Section("months")
KEPT_SHARE, HARD_SHARE, ANSWERED, AUROC = "questions kept", "hard questions", "questions answered", "AUROC"
ANSWERS = {NOT_DEFUSED: 1.0, DEFUSED: 0.0}  # ties and labels without a verdict abstain
TRENDS = {KEPT_SHARE: ("trend", "kept_share"), HARD_SHARE: ("trend", "hard_share")}
TRENDS |= {ANSWERED: ("answered", "answered"), AUROC: ("detectors", "auroc")}
COUNTED = {"dollars": "requests"}  # how many items a number rests on that is no count itself


class Quantity(NamedTuple):
    """A share or an AUROC, and whose it is: a key and its name each, such as responder and prompt."""

    name: str
    owner: tuple[tuple[str, str], ...] = ()

    @property
    def of(self) -> str:
        return ", ".join(name for _, name in self.owner)


class Month(NamedTuple):
    """The numbers of one shard: counts by name, and of each quantity its value, interval and counts."""

    shard: str
    counts: dict[str, float]
    rates: dict[Quantity, dict]


def rates_of(questions, hard, labels: dict, scores: dict, times: int, seed: int) -> dict[Quantity, dict]:
    """The rates of the questions of one shard. `hard` says of each question with a grade whether it is hard, `labels`
    are (responder, prompt) -> its labels, `scores` method -> its scores; each of the two by question.
    """
    ids, panel = pd.Index(questions["question_id"]), Panel(questions["doc_id"], times, seed)
    kept, out = (questions["status"] == KEPT).to_numpy(bool), (questions["intended"] == OUT).to_numpy(bool)
    asked = {Quantity(KEPT_SHARE): np.ones(len(ids), bool), Quantity(HARD_SHARE): kept & out & ids.isin(hard.index)}
    values = {Quantity(KEPT_SHARE): kept, Quantity(HARD_SHARE): hard.reindex(ids).to_numpy()}
    for (responder, prompt), of_cell in labels.items():
        cell = Quantity(ANSWERED, (("responder", responder), ("prompt", prompt)))
        asked[cell] = kept & out & ids.isin(of_cell.index)
        values[cell] = of_cell.map(ANSWERS).reindex(ids).to_numpy(float)
    means = panel.mean(np.stack([*values.values()], axis=1, dtype=float), np.stack([*asked.values()], axis=1))
    rates = {quantity: means.row(at) for at, quantity in enumerate(values)}
    if scores:
        columns = np.stack([of_method.reindex(ids) for of_method in scores.values()], axis=1, dtype=float)
        scored = np.stack([kept & ids.isin(of_method.index) for of_method in scores.values()], axis=1)
        areas = panel.auroc(columns, out, scored)
        rates |= {Quantity(AUROC, (("method", method),)): areas.row(at) for at, method in enumerate(scores)}
    return rates


def trend_rows(months: list[Month]) -> Iterator[dict]:
    """The rows of the tables trend, answered and detectors, in the order of the shards."""
    for at, month in enumerate(months, 1):
        keys = {"at": f"{at:04}", "shard": month.shard}
        for name, count in month.counts.items():
            yield SECTION.row("trend", keys, name, count, month.counts[COUNTED.get(name, name)])
        for quantity, rate in month.rates.items():
            table, metric = TRENDS[quantity.name]
            yield SECTION.row(table, keys | dict(quantity.owner), metric, **rate)


def change_rows(before: Month, now: Month) -> Iterator[dict]:
    """The rows of the tables change and counts."""
    shards = {"shard": now.shard, "since": before.shard}
    both = [
        (quantity, rate, before.rates[quantity]) for quantity, rate in now.rates.items() if quantity in before.rates
    ]
    for at, (quantity, new, old) in enumerate(both, 1):
        keys = {"at": f"{at:04}", "quantity": quantity.name, "of": quantity.of, **dict(quantity.owner), **shards}
        yield SECTION.row("change", keys, "before", **old)
        yield SECTION.row("change", keys, "now", **new)
        yield SECTION.row("change", keys, "change", **_change(new, old))
    for at, name in enumerate(now.counts, 1):
        keys = {"at": f"{at:04}", "quantity": name, **shards}
        items = [month.counts[COUNTED.get(name, name)] for month in (before, now)]
        numbers = {"before": before.counts[name], "now": now.counts[name]}
        for metric, n in zip(numbers, items, strict=True):
            yield SECTION.row("counts", keys, metric, numbers[metric], n)
        yield SECTION.row("counts", keys, "change", numbers["now"] - numbers["before"], min(items))


def _change(new, old):
    counts = {"n": min(new["n"], old["n"]), "abstained": new["abstained"] + old["abstained"]}
    if new["value"] is None or old["value"] is None:
        return {"value": None, **counts}
    low, high = difference_interval(new, old)
    return {"value": new["value"] - old["value"], "low": low, "high": high, **counts}
