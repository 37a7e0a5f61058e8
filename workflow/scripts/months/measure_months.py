"""Turn what stands in the tables of each shard into trends, and into what changed since the month before.

Numbers are those of the other sections, for the questions of one shard. A change has an interval from both shards,
since no document is in two, and counts as many items as the smaller has.
"""

from collections import Counter, defaultdict
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc

from ragassay.base import tables
from ragassay.base.lookup import Lookup
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
from ragassay.studies.scope.votes import DEFUSED, KEPT, NOT_DEFUSED, OUT

SECTION = Section("months")
KEPT_SHARE, HARD_SHARE, ANSWERED, AUROC = "questions kept", "hard questions", "questions answered", "AUROC"
ANSWERS = {NOT_DEFUSED: 1.0, DEFUSED: 0.0}  # ties and labels without a verdict abstain
TRENDS = {KEPT_SHARE: ("trend", "kept_share"), HARD_SHARE: ("trend", "hard_share")}
TRENDS |= {ANSWERED: ("answered", "answered"), AUROC: ("detectors", "auroc")}
COUNTED = {"dollars": "requests"}  # how many items a number rests on that is no count itself


def measure_months(
    documents, selected_questions, hardness_scores, defusion_labels, predictions, calls, metrics, resamples, seed
):
    """Files of `documents` and `selected_questions` are in the order of the shards; all are of the study's own
    generator and judge.
    """
    grades, scores, paid = Lookup(_grades(hardness_scores)), _scores(predictions), _paid(calls)
    months = []
    files_of = {DOCUMENTS: documents, SELECTED_QUESTIONS: selected_questions, DEFUSION_LABELS: defusion_labels}
    for shard, files in tables.by_shard(files_of).items():
        columns = ["question_id", "doc_id", "intended", "status"]
        questions = tables.read_all(SELECTED_QUESTIONS, files[SELECTED_QUESTIONS], columns).to_pandas()
        of_documents = tables.read_all(DOCUMENTS, files[DOCUMENTS], ["doc_id"])
        counts = {"documents": of_documents.num_rows, "questions": len(questions)}
        counts |= {"kept": int((questions["status"] == KEPT).sum()), **paid[shard]}
        hard = {name: float(row["hard"]) for name, row in grades.of(questions["question_id"].tolist()).items()}
        hard = pd.Series(hard.values(), pd.Index(hard, dtype="str"), float)
        answers = dict(map(_labels, files[DEFUSION_LABELS]))
        months.append(Month(shard, counts, rates_of(questions, hard, answers, scores[shard], resamples, seed)))
    changes = change_rows(*months[-2:]) if len(months) > 1 else ()
    tables.write(METRICS, metrics, [*trend_rows(months), *changes])
    log.info("%d shards", len(months))


def _grades(paths):
    """Whether each question is hard, of those with the scores that grades rest on; undecided ones are not."""
    for path in paths:
        for batch in tables.batches(HARDNESS_SCORES, path, ["question_id", "score", "wording", "hard"]):
            scored = batch.filter(pc.and_(pc.is_valid(batch["score"]), pc.is_valid(batch["wording"])))
            yield pa.table({"question_id": scored["question_id"], "hard": pc.fill_null(scored["hard"], False)})


def _labels(path):
    """A responder and prompt, and the labels of its questions."""
    keys, rows = tables.keys(DEFUSION_LABELS, path), tables.read(DEFUSION_LABELS, path, ["question_id", "label"])
    return (keys["responder"], keys["prompt"]), rows.to_pandas().set_index("question_id")["label"]


def _scores(paths):
    """shard -> method -> question -> its mean score over seeds, of documents that are new to the detector."""
    scores = defaultdict(dict)
    for path in paths:
        keys, columns = tables.keys(PREDICTIONS, path), ["question_id", "head", "shard", "part", "score"]
        new = [PREDICTIONS.schema.empty_table().select(columns)]
        for batch in tables.batches(PREDICTIONS, path, columns):
            trained_on = pc.is_in(batch["part"], pa.array(TRAINED_ON))
            new.append(pa.Table.from_batches([batch]).filter(pc.invert(trained_on)))
        rows = pa.concat_tables(new).to_pandas()
        means = rows.groupby(["shard", "head", "question_id"])["score"].mean()
        for head in HEADS:
            for shard in rows.loc[rows["head"] == head, "shard"].unique():
                scores[shard][name_of(keys["detector"], keys["encoder"], head)] = means[shard, head]
    return scores


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


if __name__ == "__main__":
    run(measure_months, snakemake)
