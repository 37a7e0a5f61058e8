"""Turn what stands in the tables of each shard into trends, and into what changed since the month before."""

from collections import Counter, defaultdict
from pathlib import Path

import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc

from ragassay.base import tables
from ragassay.base.stage import log, run
from ragassay.schemas.documents import DOCUMENTS
from ragassay.schemas.hardness import HARDNESS_SCORES
from ragassay.schemas.report import CALLS, METRICS
from ragassay.schemas.scope_answers import DEFUSION_LABELS, PREDICTIONS
from ragassay.schemas.scope_questions import SELECTED_QUESTIONS
from ragassay.studies.scope.detectors.detector import TRAINED_ON
from ragassay.studies.scope.detectors.detector_results import HEADS, name_of
from ragassay.studies.scope.months_section import Month, change_rows, rates_of, trend_rows
from ragassay.studies.scope.votes import KEPT


def measure_months(
    documents, selected_questions, hardness_scores, defusion_labels, predictions, calls, metrics, resamples, seed
):
    """Files of `documents` and `selected_questions` are in the order of the shards; all are of the study's own
    generator and judge.
    """
    hard, scores, paid = _hard(hardness_scores), _scores(predictions), _paid(calls)
    labels = defaultdict(dict)
    for path in defusion_labels:
        keys = tables.keys(DEFUSION_LABELS, path)
        labels[keys["shard"]][keys["responder"], keys["prompt"]] = path
    months = []
    for of_documents, of_questions in zip(documents, selected_questions, strict=True):
        shard = tables.keys(DOCUMENTS, of_documents)["shard"]
        columns = ["question_id", "doc_id", "intended", "status"]
        questions = tables.read(SELECTED_QUESTIONS, of_questions, columns).to_pandas()
        counts = {"documents": tables.read(DOCUMENTS, of_documents, ["doc_id"]).num_rows, "questions": len(questions)}
        counts |= {"kept": int((questions["status"] == KEPT).sum()), **paid[shard]}
        answers = {cell: _labels(path) for cell, path in labels[shard].items()}
        months.append(Month(shard, counts, rates_of(questions, hard, answers, scores[shard], resamples, seed)))
    changes = change_rows(*months[-2:]) if len(months) > 1 else ()
    tables.write(METRICS, metrics, [*trend_rows(months), *changes])
    log.info("%d shards", len(months))


def _hard(paths):
    """question -> 1 if it is hard, else 0, for those with the scores that grades rest on; undecided ones are not."""
    rows = tables.frame(HARDNESS_SCORES, paths, ["question_id", "score", "wording", "hard"])
    rows = rows.dropna(subset=["score", "wording"])
    return pd.Series(rows["hard"].fillna(False).to_numpy(float), rows["question_id"])


def _labels(path):
    rows = tables.read(DEFUSION_LABELS, path, ["question_id", "label"])
    return rows.to_pandas().set_index("question_id")["label"]


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


if __name__ == "__main__":
    run(measure_months, snakemake)
