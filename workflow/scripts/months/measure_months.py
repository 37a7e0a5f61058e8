"""Turn what stands in the tables of each shard into trends, and into what changed since the month before.

Numbers are those of the other sections, for the questions of one shard. A change has an interval from both shards,
since no document is in two, and counts as many items as the smaller has.
"""

from collections import Counter, defaultdict
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from ragassay.base import tables
from ragassay.base.stage import log, run
from ragassay.metrics.panel import Panel
from ragassay.metrics.resampling import difference_interval
from ragassay.schemas.documents import DOCUMENTS
from ragassay.schemas.hardness import HARDNESS_SCORES
from ragassay.schemas.report import CALLS, METRICS, Section
from ragassay.schemas.scope_answers import DEFUSION_LABELS, PREDICTIONS
from ragassay.schemas.scope_questions import SELECTED_QUESTIONS
from ragassay.studies.scope.detectors.detector import TRAINED_ON
from ragassay.studies.scope.detectors.detector_results import HEADS, name_of
from ragassay.studies.scope.strata import scores_by_shard
from ragassay.studies.scope.verdict_matrix import aligned, coded, numeric
from ragassay.studies.scope.votes import DEFUSED, KEPT, NOT_DEFUSED, OUT

SECTION = Section("months")
KEPT_SHARE, HARD_SHARE, ANSWERED, AUROC = "questions kept", "hard questions", "questions answered", "AUROC"
ANSWERS = [DEFUSED, NOT_DEFUSED]  # ties and labels without a verdict abstain
TRENDS = {KEPT_SHARE: ("trend", "kept_share"), HARD_SHARE: ("trend", "hard_share")}
TRENDS |= {ANSWERED: ("answered", "answered"), AUROC: ("detectors", "auroc")}
COUNTED = {"dollars": "requests"}  # how many items a number rests on that is no count itself


def measure_months(
    documents, selected_questions, hardness_scores, defusion_labels, predictions, calls, metrics, resamples, seed
):
    """Files of `documents` and `selected_questions` are in the order of the shards; all are of the study's own
    generator and judge.
    """
    columns, paid = ("question_id", "score", "wording", "hard"), _paid(calls)
    grades, months = scores_by_shard(hardness_scores, columns), []
    [generator] = {tables.keys(HARDNESS_SCORES, path)["generator"] for path in hardness_scores}
    files_of = {DOCUMENTS: documents, SELECTED_QUESTIONS: selected_questions, DEFUSION_LABELS: defusion_labels}
    for shard, files in tables.by_shard(files_of | {PREDICTIONS: predictions}).items():
        columns = ["question_id", "doc_id", "intended", "status"]
        questions = tables.read_all(SELECTED_QUESTIONS, files[SELECTED_QUESTIONS], columns).combine_chunks()
        of_documents = tables.read_all(DOCUMENTS, files[DOCUMENTS], ["doc_id"])
        counts = {"documents": of_documents.num_rows, "questions": questions.num_rows}
        counts |= {"kept": pc.sum(pc.equal(questions["status"], KEPT), min_count=0).as_py(), **paid[shard]}
        cell = ["responder", "prompt"]
        answers = tables.by_keys(DEFUSION_LABELS, files[DEFUSION_LABELS], cell, ["question_id", "label"])
        scores = dict(_scores(files[PREDICTIONS]))
        months.append(
            Month(shard, counts, rates_of(questions, grades(generator, shard), answers, scores, resamples, seed))
        )
    changes = change_rows(*months[-2:]) if len(months) > 1 else ()
    tables.write(METRICS, metrics, [*trend_rows(months), *changes])
    log.info("%d shards", len(months))


def _scores(paths):
    """(method, questions and their mean scores over seeds) of each head, of documents that are new to the detector."""
    for keys, rows in tables.each(PREDICTIONS, paths, ["question_id", "head", "part", "score"]):
        rows = rows.filter(pc.invert(pc.is_in(rows["part"], pa.array(TRAINED_ON))))
        for head in HEADS:
            of_head = rows.filter(pc.equal(rows["head"], head))
            questions = pc.run_end_encode(of_head["question_id"].combine_chunks())  # seeds stand together
            owners = np.searchsorted(questions.run_ends, np.arange(of_head.num_rows), side="right")
            if len(owners):
                means = of_head["score"].to_pandas().groupby(owners).mean().to_numpy()
                yield name_of(keys["detector"], keys["encoder"], head), (questions.values, means)


def _paid(paths):
    """shard -> requests and dollars; a shard is the last key of a file."""
    paid = defaultdict(lambda: Counter({"requests": 0, "dollars": 0.0}))
    for path in paths:
        rows = tables.read(CALLS, path, ["requests", "dollars"])
        for name in rows.column_names:
            paid[Path(path).stem][name] += pc.sum(rows[name], min_count=0).as_py()
    return paid


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


def rates_of(questions, grades, labels: dict, scores: dict, times: int, seed: int) -> dict[Quantity, dict]:
    """The rates of the questions of one shard, from tables. `grades` are rows of hardness_scores, undecided ones not
    hard; `labels` are (responder, prompt) -> rows of labels, `scores` method -> questions and their scores.
    """
    ids, panel = questions["question_id"].combine_chunks(), Panel(questions["doc_id"].to_pylist(), times, seed)
    kept, out = (np.asarray(pc.equal(questions[name], of)) for name, of in (("status", KEPT), ("intended", OUT)))
    grades = grades.filter(pc.and_(pc.is_valid(grades["score"]), pc.is_valid(grades["wording"])))  # what they rest on
    hard = np.asarray(pc.fill_null(grades["hard"], False)).astype(float)
    columns = {Quantity(KEPT_SHARE): (ids, kept, True)}
    columns[Quantity(HARD_SHARE)] = grades["question_id"].combine_chunks(), hard, kept & out
    for (responder, prompt), rows in labels.items():
        cell = Quantity(ANSWERED, (("responder", responder), ("prompt", prompt)))
        columns[cell] = rows["question_id"].combine_chunks(), numeric(coded(rows["label"], ANSWERS)), kept & out
    means = panel.mean(*_matrices(ids, columns))
    rates = {quantity: means.row(at) for at, quantity in enumerate(columns)}
    if scores:
        columns = {Quantity(AUROC, (("method", name),)): (*of_method, kept) for name, of_method in scores.items()}
        values, asked = _matrices(ids, columns)
        areas = panel.auroc(values, out, asked)
        rates |= {quantity: areas.row(at) for at, quantity in enumerate(columns)}
    return rates


def _matrices(ids, columns):
    """questions x quantities: values, and masks of the questions to count, from ids with values and a mask of each."""
    values = [aligned(ids, names, np.asarray(numbers, float), np.nan) for names, numbers, _ in columns.values()]
    asked = [mask & np.asarray(pc.is_in(ids, value_set=names)) for names, _, mask in columns.values()]
    return np.stack(values, axis=1), np.stack(asked, axis=1)


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


if __name__ == "__main__":
    run(measure_months, snakemake)
