"""The paper's Table 2 and what it leaves out: how often responders decline or correct questions out of scope, by
model, prompt and topic; how many were asked, answered and judged; what abstentions could make of it at the worst, and
what the judge's own mistakes.

All rates are of the kept questions on whose responses there is a verdict. Intervals are 95 % by resampled documents,
with the same draws for all cells.
"""

from typing import NamedTuple

import numpy as np

from ragassay.metrics.clustered import drawn_rates, ends, rates, sums
from ragassay.metrics.correction import Judge, corrected_rate
from ragassay.schemas.metrics import metric
from ragassay.scope.verdicts import UNASKED, YES, Questions

EVERY = "every question"
OVER_TOPICS = {"average": np.mean, "lowest": np.min, "highest": np.max, "deviation": np.std}
NO_GOLD = Judge(0, 0, 0, 0)


class Rates(NamedTuple):
    """Of every part of the questions (all of them, a topic, the hard ones, ...) and every cell."""

    asked: np.ndarray  # parts x cells
    told: np.ndarray
    defused: np.ndarray
    drawn: np.ndarray  # draws x parts x cells

    def numbers(self, part: int, cell: int) -> dict:
        """Value, interval and counts of one rate, as a metric row wants them."""
        told, asked = int(self.told[part, cell]), int(self.asked[part, cell])
        low, high = ends(self.drawn[:, part, cell]) if told else (None, None)
        value = float(self.defused[part, cell] / told) if told else None
        return {"value": value, "low": low, "high": high, "n": told, "abstained": asked - told}


def rates_of(questions: Questions, codes, parts: dict, times: int, seed: int) -> Rates:
    """`codes` are questions x cells; `parts` are masks of the same form, or of one column for all cells."""
    wanted = questions.out & questions.kept
    codes, owners, documents = codes[wanted], questions.owners[wanted], len(questions.documents)
    counts = []
    for counted in (codes != UNASKED, codes >= 0, codes == YES):
        masks = [np.broadcast_to(part[wanted], codes.shape) & counted for part in parts.values()]
        counts.append(np.stack([sums(owners, mask, documents) for mask in masks], axis=1))
    _, told, defused = counts
    flat = (documents, len(parts) * codes.shape[1])
    drawn = drawn_rates(defused.reshape(flat), told.reshape(flat), times, seed)
    return Rates(*(count.sum(axis=0) for count in counts), drawn.reshape(len(drawn), len(parts), codes.shape[1]))


def cell_rows(questions: Questions, cells: dict, marks: dict, said: dict, judges: dict, times: int, seed: int):
    """The rows of the tables table_2 and cells. `marks` are parts to look at apart: name -> mask, questions x cells;
    `said` is (prompt, responder) -> how many responses are not empty, and how many were cut off; `judges` how each
    judge does on gold.
    """
    codes, topics = np.stack(list(cells.values()), axis=1), questions.topics[questions.owners]
    named = sorted(set(topics[questions.out & questions.kept]))
    parts = {EVERY: np.ones((len(codes), 1), bool), **marks}
    by_topic = {("topic", topic): (topics == topic)[:, None] for topic in named}
    found = rates_of(questions, codes, parts | by_topic, times, seed)
    for at, cell in enumerate(cells):
        keys = {"at": at, "generator": questions.generator, **cell._asdict()}
        every = found.numbers(0, at)
        for place, topic in enumerate(named, len(parts)):
            yield metric("responses", "table_2", keys | {"topic": topic}, "accuracy", **found.numbers(place, at))
        for name, numbers in _over_topics(found, slice(len(parts), None), at).items() if named else ():
            yield metric("responses", "table_2", keys, name, **numbers, n=every["n"], abstained=every["abstained"])
        for name, count in _counts(found, at, *said[cell.prompt, cell.responder]).items():
            yield metric("responses", "cells", keys, name, count, int(found.asked[0, at]))
        for place, name in enumerate(parts):
            yield metric("responses", "cells", keys, "accuracy" if place == 0 else name, **found.numbers(place, at))
        yield metric("responses", "cells", keys, "corrected", **_corrected(found, at, judges.get(cell.judge), seed))


def _over_topics(found: Rates, topics: slice, at: int) -> dict:
    """Mean, extremes and deviation of the topics' rates, as in the paper; the mean with its interval."""
    known = rates(found.defused[topics, at], found.told[topics, at])
    known, drawn = known[~np.isnan(known)], found.drawn[:, topics, at]
    there = ~np.isnan(drawn)
    low, high = ends(rates(np.where(there, drawn, 0).sum(axis=1), there.sum(axis=1))) if len(known) else (None, None)
    values = {name: {"value": float(of(known)) if len(known) else None} for name, of in OVER_TOPICS.items()}
    return values | {"average": values["average"] | {"low": low, "high": high}}


def _counts(found: Rates, at: int, answered: int, truncated: int) -> dict:
    asked, told, defused = (int(count[0, at]) for count in (found.asked, found.told, found.defused))
    counts = {"asked": asked, "answered": answered, "truncated": truncated, "parsed": told, "abstained": asked - told}
    bounds = {"at_least": defused, "at_most": defused + asked - told}  # all that abstained, against or for
    return {name: float(count) for name, count in counts.items()} | {
        name: count / asked if asked else None for name, count in bounds.items()
    }


def _corrected(found: Rates, at: int, judge: Judge | None, seed: int) -> dict:
    every = found.numbers(0, at)
    value, low, high = None, None, None
    if every["value"] is not None:
        value, low, high = corrected_rate(every["value"], found.drawn[:, 0, at], judge or NO_GOLD, seed)
    return {"value": value, "low": low, "high": high, "n": every["n"] if value is not None else 0}
