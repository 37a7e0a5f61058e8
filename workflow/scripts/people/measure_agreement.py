"""Turn annotations, gold and the labels of judges into the metrics of the report's section on agreement.

All about the sample of the study's own generator and judge, which are the first; other judges are held to the same
gold.
"""

from ragassay import tables
from ragassay.annotation.measures import Measures
from ragassay.annotation.tasks import DEFUSION
from ragassay.schemas.annotation_items import ANNOTATION_ITEMS
from ragassay.schemas.annotations import ANNOTATIONS
from ragassay.schemas.defusion_labels import DEFUSION_LABELS
from ragassay.schemas.gold import GOLD
from ragassay.schemas.metrics import METRICS
from ragassay.schemas.selected_questions import SELECTED_QUESTIONS
from ragassay.stage import log, run

INTENTION = "(intention)"  # what questions were written to be, beside what judges say of them


def measure_agreement(
    annotation_items,
    annotations,
    gold,
    selected_questions,
    defusion_labels,
    metrics,
    judges,
    annotators_per_item,
    resamples,
    seed,
):
    shown, said, settled = (
        tables.read_all(table, paths).to_pylist()
        for table, paths in ((ANNOTATION_ITEMS, annotation_items), (ANNOTATIONS, annotations), (GOLD, gold))
    )
    labels = {judge: {} for judge in [*judges, INTENTION]}
    asked = _items_by_question(shown)
    for path in selected_questions:
        columns = ["question_id", "label", "intended", "judge"]
        for row in tables.read(SELECTED_QUESTIONS, path, columns).to_pylist():
            if item := asked.get((row["question_id"], None, None)):
                labels[row["judge"]][item] = row["label"]
                labels[INTENTION][item] = row["intended"]
    for path in defusion_labels:
        columns = ["question_id", "responder", "prompt_name", "label", "judge"]
        for row in tables.read(DEFUSION_LABELS, path, columns).to_pylist():
            if item := asked.get((row["question_id"], row["responder"], row["prompt_name"])):
                labels[row["judge"]][item] = row["label"]
    found = Measures(shown, said, settled, labels, annotators_per_item, resamples, seed)
    rows = [row for row in found.rows() if f'"{INTENTION}"' not in row["keys"] or not _is_of(DEFUSION, row)]
    tables.write(METRICS, metrics, rows)
    log.info("%d items, %d labels, %d settled", len(shown), len(said), len(settled))


def _items_by_question(items):
    return {(row["question_id"], row["responder"], row["prompt_name"]): row["item_id"] for row in items}


def _is_of(task, row):
    return f'"{task}"' in row["keys"] or row["table"].endswith(task)


if __name__ == "__main__":
    run(measure_agreement, snakemake)
