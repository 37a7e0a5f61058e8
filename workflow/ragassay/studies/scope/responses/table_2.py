"""The paper's Table 2 and more: how often responders decline or correct out-of-scope questions, by model, prompt and
topic; how many were asked, answered and judged; bounds for abstentions, and a correction for the judge's mistakes.

All rates are of the kept questions on whose responses there is a verdict. Intervals are 95 %, from resampled documents,
with the same draws for all cells.
"""

import numpy as np

from ragassay.metrics.correction import Judge, corrected_rate
from ragassay.metrics.panel import Estimates, bounds, number
from ragassay.metrics.resampling import share_interval
from ragassay.schemas.report import Section
from ragassay.studies.scope.responses.closed_book import AFTER, period
from ragassay.studies.scope.responses.judges import NO_GOLD
from ragassay.studies.scope.responses.verdict_matrix import UNASKED, Questions, defused

SECTION = Section("responses")
EVERY = "every question"
OVER_TOPICS = {"average": np.mean, "lowest": np.min, "highest": np.max, "deviation": np.std}


def cell_rows(questions: Questions, cells: dict, marks: dict, said: dict, judges: dict, times: int, seed: int):
    """The rows of the tables table_2 and cells. `marks` are parts to look at apart: name -> mask, questions x cells;
    `said` is (prompt, responder) -> how many responses are not empty, and how many were cut off; `judges` how each
    judge does on gold.
    """
    codes, topics = np.stack(list(cells.values()), axis=1), questions.topics[questions.owners]
    wanted = questions.out & questions.kept
    named = sorted(set(topics[wanted]))
    parts = {EVERY: np.ones((len(codes), 1), bool), **marks}
    by_topic = {topic: (topics == topic)[:, None] for topic in named}
    panel, asked = questions.panel(times, seed).part(wanted), codes != UNASKED
    values = defused(codes[wanted])
    found = panel.means(values, {name: (part & asked)[wanted] for name, part in parts.items()})
    of_topics = panel.means(values, {topic: (part & asked)[wanted] for topic, part in by_topic.items()})
    least, most = bounds(values, asked[wanted])
    for at, cell in enumerate(cells):
        keys = {"at": at, "generator": questions.generator, **cell._asdict()}
        every = found[EVERY].row(at)
        counts = {name: every[name] for name in ("n", "abstained")}
        for topic, estimates in of_topics.items():
            yield SECTION.row("table_2", keys | {"topic": topic}, "accuracy", **estimates.row(at))
        for name, numbers in _over_topics(list(of_topics.values()), at).items() if named else ():
            yield SECTION.row("table_2", keys, name, **numbers, **counts)
        for name, count in _counts(counts, *said.get((cell.prompt, cell.responder), (0, 0))).items():
            yield SECTION.row("cells", keys, name, float(count), sum(counts.values()))
        for name, bound in (("at_least", least[at]), ("at_most", most[at])):  # all that abstained, against or for
            yield SECTION.row("cells", keys, name, number(bound), sum(counts.values()))
        for name, estimates in found.items():
            yield SECTION.row("cells", keys, "accuracy" if name == EVERY else name, **estimates.row(at))
        judge = judges.get(cell.judge, NO_GOLD)
        corrected = _corrected(every, found[EVERY], at, judge, seed)
        yield SECTION.row("cells", keys, "corrected", **corrected)


def parts_of(questions: Questions, cells: dict, hard, cutoffs: dict) -> dict:
    """Parts of the questions to look at apart: the hard ones, and those that the responder cannot have read about."""
    after = {
        responder: np.array([period(day, cutoffs.get(responder)) == AFTER for day in questions.published], bool)
        for responder in {cell.responder for cell in cells}
    }
    unread = np.stack([after[cell.responder][questions.owners] for cell in cells], axis=1)
    return {"hard": questions.are_in(hard)[:, None], "after_cutoff": unread}


def counts_of(questions: Questions, responses) -> dict:
    """(prompt, responder) -> how many responses are not empty and how many were cut off, to kept out-of-scope
    questions; `responses` is a frame.
    """
    responses = responses[responses["question_id"].isin(questions.ids[questions.out & questions.kept])]
    counted = responses.assign(answered=responses["text"].str.strip() != "")
    sums = counted.groupby(["prompt", "responder"])[["answered", "truncated"]].sum()
    return {
        cell: (int(row.answered), int(row.truncated)) for cell, row in zip(sums.index, sums.itertuples(), strict=True)
    }


def _over_topics(topics: list[Estimates], at: int) -> dict:
    """Mean, extremes and deviation of the topics' rates, as in the paper; the mean with its interval."""
    rates = np.array([estimates.values[at] for estimates in topics])
    drawn = np.stack([estimates.drawn[:, at] for estimates in topics], axis=1)  # draws x topics
    known = rates[~np.isnan(rates)]
    if not len(known):
        return {name: {"value": None} for name in OVER_TOPICS}
    values = {name: {"value": float(of(known))} for name, of in OVER_TOPICS.items()}
    there = ~np.isnan(drawn)
    totals = np.where(there, drawn, 0).sum(axis=1)
    means = np.divide(totals, there.sum(axis=1), out=np.full(len(totals), np.nan), where=there.any(axis=1))
    items, documents = (sum(int(getattr(part, name)[at]) for part in topics) for name in ("counts", "clusters"))
    low, high = share_interval(values["average"]["value"], means, documents, items)
    return values | {"average": values["average"] | {"low": low, "high": high}}


def _counts(counts: dict, answered: int, truncated: int) -> dict:
    numbers = {"asked": sum(counts.values()), "answered": answered, "truncated": truncated}
    return numbers | {"parsed": counts["n"], "abstained": counts["abstained"]}


def _corrected(every: dict, estimates: Estimates, at: int, judge: Judge, seed: int) -> dict:
    value, low, high = None, None, None
    if every["value"] is not None:
        drawn, clusters = estimates.drawn[:, at], int(estimates.clusters[at])
        value, low, high = corrected_rate(every["value"], drawn, judge, seed, clusters)
    return {"value": value, "low": low, "high": high, "n": every["n"] if value is not None else 0}
