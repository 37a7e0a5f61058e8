"""Turn what people said and the labels of judges into the metrics of the report's section on agreement.

People said it on the pages of this workflow, of a sample of a generator's questions or of a question set's, or in votes
that came with a set. Each is a sample of its own; judges are held to the gold of each.
"""

import json
from collections import defaultdict
from pathlib import Path

from ragassay import tables
from ragassay.annotation.measures import Measures
from ragassay.annotation.recorded import Recorded, recorded
from ragassay.annotation.tasks import DEFUSION
from ragassay.errors import AssayError
from ragassay.schemas.annotation_items import ANNOTATION_ITEMS
from ragassay.schemas.annotations import ANNOTATIONS
from ragassay.schemas.defusion_labels import DEFUSION_LABELS
from ragassay.schemas.gold import GOLD
from ragassay.schemas.human_labels import HUMAN_LABELS
from ragassay.schemas.metrics import METRICS
from ragassay.schemas.questions import QUESTIONS
from ragassay.schemas.scope_labels import SCOPE_LABELS
from ragassay.stage import log, run

INTENTION = "(intention)"  # what questions were written to be, beside what judges say of them


def measure_agreement(
    annotation_items, annotations, gold, human_labels, questions, scope_labels, defusion_labels, metrics,
    judges, annotators_per_item, resamples, seed,
):  # fmt: skip
    """`annotation_items`, `annotations` and `gold` have a file for each sample that was labelled here."""
    samples = dict(_labelled_here(annotation_items, annotations, gold, annotators_per_item))
    for path in human_labels:
        name = Path(path).stem
        found = recorded(tables.read(HUMAN_LABELS, path).to_pylist())
        samples[f"{name}, recorded" if name in samples else name] = found
    if not any(sample.annotations for sample in samples.values()):
        raise AssayError("found nothing that people labelled, expected labels of `make annotate` or a set with votes")
    said, rows = _said(questions, scope_labels, defusion_labels), []
    for name, sample in samples.items():
        items = {(row["question_id"], row["responder"], row["prompt_name"]): row["item_id"] for row in sample.items}
        labels = {
            judge: {items[key]: label for key, label in own.items() if key in items} for judge, own in said.items()
        }
        labels = {judge: own for judge, own in labels.items() if own or judge in judges}
        order = sorted(labels, key=lambda judge: (judges.index(judge) if judge in judges else len(judges), judge))
        labels = {judge: labels[judge] for judge in order}
        measures = Measures(name, *sample[:3], labels, sample.per_item, resamples, seed)
        rows += [row for row in measures.rows() if not _is_of_nobody(row)]
        told = (name, len(sample.items), len(sample.annotations), len(sample.gold))
        log.info("%s: %d items, %d labels, %d settled", *told)
    tables.write(METRICS, metrics, rows)


def _labelled_here(items, annotations, gold, per_item):
    for shown, said, settled in zip(items, annotations, gold, strict=True):
        rows = (
            tables.read(table, path).to_pylist()
            for table, path in ((ANNOTATION_ITEMS, shown), (ANNOTATIONS, said), (GOLD, settled))
        )
        yield Path(said).parent.name, Recorded(*rows, per_item)


def _said(questions, scope_labels, defusion_labels):
    """judge, or the intention -> question, responder and prompt -> label; without the last two it is about scope."""
    found = defaultdict(dict)
    for row in tables.read_all(QUESTIONS, questions, ["question_id", "intended"]).to_pylist():
        found[INTENTION][row["question_id"], None, None] = row["intended"]
    for row in tables.read_all(SCOPE_LABELS, scope_labels, ["question_id", "label", "judge"]).to_pylist():
        found[row["judge"]][row["question_id"], None, None] = row["label"]
    columns = ["question_id", "responder", "prompt_name", "label", "judge"]
    for row in tables.read_all(DEFUSION_LABELS, defusion_labels, columns).to_pylist():
        found[row["judge"]][row["question_id"], row["responder"], row["prompt_name"]] = row["label"]
    return found


def _is_of_nobody(row):
    """Whether it is about what responses were meant to be."""
    keys = json.loads(row["keys"])
    return keys.get("judge") == INTENTION and DEFUSION in (keys.get("task"), row["table"].removeprefix("figure_2_"))


if __name__ == "__main__":
    run(measure_agreement, snakemake)
