"""Turn the labels of people and judges into the metrics of the report's section on agreement.

People's labels come from our pages, for a sample of a generator's or question set's questions, or from votes that came
with a set. Each is a separate sample, and judges are compared with the gold labels of each.
"""

import json

import pandas as pd

from ragassay.base import tables
from ragassay.base.errors import AssayError
from ragassay.base.stage import log, run
from ragassay.people.labelling import DEFUSION
from ragassay.people.table_4 import Measures, Recorded, recorded
from ragassay.schemas.people import ANNOTATION_ITEMS, ANNOTATIONS, GOLD, HUMAN_LABELS
from ragassay.schemas.report import METRICS
from ragassay.schemas.scope_answers import DEFUSION_LABELS
from ragassay.schemas.scope_questions import QUESTIONS, SCOPE_LABELS

INTENTION = "(intention)"  # what questions were written to be, beside what judges say of them
RESPONSE, NOTHING = ["question_id", "responder", "prompt_name"], ""


def measure_agreement(
    annotation_items, annotations, gold, human_labels, questions, scope_labels, defusion_labels, metrics,
    judges, annotators_per_item, resamples, seed,
):  # fmt: skip
    """`annotation_items`, `annotations` and `gold` have a file for each sample that was labelled here."""
    samples = dict(_labelled_here(annotation_items, annotations, gold, annotators_per_item))
    for name, votes in tables.frame(HUMAN_LABELS, human_labels).groupby("question_set"):
        samples[f"{name}, recorded" if name in samples else name] = recorded(votes.to_dict("records"))
    if not any(sample.annotations for sample in samples.values()):
        raise AssayError("found nothing that people labelled, expected labels of `make annotate` or a set with votes")
    labels, rows = _labels(questions, scope_labels, defusion_labels), []
    first = [judge for judge in judges if judge in set(labels["judge"])]
    for name, sample in samples.items():
        items = pd.DataFrame(sample.items, columns=["item_id", *RESPONSE]).fillna(NOTHING)
        judged = labels.merge(items, on=RESPONSE).groupby("judge")
        by_judge = {judge: dict(zip(of_judge["item_id"], of_judge["label"], strict=True)) for judge, of_judge in judged}
        order = [*first, *sorted(by_judge.keys() - set(first))]
        by_judge = {judge: by_judge.get(judge, {}) for judge in order}
        measures = Measures(name, *sample[:3], by_judge, sample.per_item, resamples, seed)
        rows += [row for row in measures.rows() if not _is_of_nobody(row)]
        counts = (name, len(sample.items), len(sample.annotations), len(sample.gold))
        log.info("%s: %d items, %d labels, %d settled", *counts)
    tables.write(METRICS, metrics, rows)


def _labelled_here(items, annotations, gold, per_item):
    for files in zip(items, annotations, gold, strict=True):
        declared = zip((ANNOTATION_ITEMS, ANNOTATIONS, GOLD), files, strict=True)
        rows = (tables.read(table, path).to_pylist() for table, path in declared)
        yield tables.keys(ANNOTATIONS, files[1])["generator"], Recorded(*rows, per_item)


def _labels(questions, scope_labels, defusion_labels):
    """What judges say about questions and responses, and the intention; without a responder it is about scope."""
    intended = tables.frame(QUESTIONS, questions, ["question_id", "intended"]).rename(columns={"intended": "label"})
    scope = tables.frame(SCOPE_LABELS, scope_labels, ["question_id", "label"])
    defusion = tables.frame(DEFUSION_LABELS, defusion_labels, ["question_id", "prompt_name", "label"])
    together = pd.concat([intended.assign(judge=INTENTION), scope, defusion])[[*RESPONSE, "judge", "label"]]
    return together.fillna(NOTHING)


def _is_of_nobody(row):
    """Whether it is about what responses were meant to be."""
    keys = json.loads(row["keys"])
    return keys.get("judge") == INTENTION and DEFUSION in (keys.get("task"), row["table"].removeprefix("figure_2_"))


if __name__ == "__main__":
    run(measure_agreement, snakemake)
