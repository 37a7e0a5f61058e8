"""Detectors and controls on the demo's own questions, each of which is new to them once.

The study's split uses nine in ten documents for training and validation, so its test part is small. Cross-validation
over ten folds tests every document once. The detector stands beside the overlap control and beside the question without
its document, on the same questions. On near misses that were written by hand, detectors are trained on other documents
of the set. The lower ends of the intervals of detectors and judge count.
"""

import contextlib
import json
import re
from pathlib import Path

import pandas as pd

from common.clone import cloned, snakemake
from common.figures import figure
from ragassay.base import tables
from ragassay.config import schema
from ragassay.config.settings import of_files
from ragassay.metrics.panel import Panel
from ragassay.plan import detectors
from ragassay.schemas.documents import DOCUMENTS
from ragassay.schemas.report import METRICS
from ragassay.schemas.scope_questions import SELECTED_QUESTIONS
from ragassay.studies.scope.detectors.detector import kind
from ragassay.studies.scope.detectors.detector_results import answered
from ragassay.studies.scope.votes import KEPT, OUT
from scripts.detectors.predict_in_folds import in_folds

CONTROLS = ("overlap/minilm", "question_alone/minilm")
OVERLAP, ALONE = (f"{name} logistic" for name in CONTROLS)
NLI = "sbert_nli/minilm logistic"
# AUROC of the controls at most: what the wording gives away, where chance is .5.
GIVEN_AWAY = {OVERLAP: 0.80, ALONE: 0.75}
OVERLAP_OF_SET, GIVEN_AWAY_BY_HAND = "(overlap control)", {"(wording control)": "<= 0.65"}  # others at most .75
RESAMPLES = 2000


def controls() -> None:
    with cloned() as clone:
        snakemake(clone, "detectors", "results/metrics/question_sets.parquet")
        with contextlib.chdir(clone):
            measure()


def measure():
    config = of_files(["config/config.yaml"], schema.merged())
    texts = {row["doc_id"]: row for row in rows_of(DOCUMENTS, "documents/*.parquet")}
    kept = [row for row in rows_of(SELECTED_QUESTIONS, "selected_questions/*/*/*.parquet") if row["status"] == KEPT]
    answers = []
    for used in (*CONTROLS, NLI.split()[0]):
        answers += predicted_in_folds(config, *used.split("/"), kept, texts)
    questions = pd.DataFrame([{**row, "out": row["intended"] == OUT} for row in kept]).sort_values("question_id")
    for intended, number in questions["intended"].value_counts().items():
        figure(f"scope_demo_kept_{intended}", int(number), "questions", ">= 160")
    compared(questions, pd.DataFrame(answers))
    written_by_hand()


def written_by_hand():
    """Near misses against answered questions, as the report has them."""
    rows = [row | json.loads(row["keys"]) for row in rows_of(METRICS, "metrics/question_sets.parquet")]
    wanted = ("types", "auroc", "near_miss", "intention")
    rows = [row for row in rows if (row["table"], row["metric"], row.get("type"), row.get("truth")) == wanted]
    overlap = next(row["value"] for row in rows if row["judge"] == OVERLAP_OF_SET)
    for row in rows:
        name = f"near_misses_{_label(row['judge']).strip('_')}"
        if row["role"] == "control":
            figure(f"{name}_auroc", row["value"], "auroc", GIVEN_AWAY_BY_HAND.get(row["judge"], "<= 0.75"))
        else:
            figure(f"{name}_lower_end", row["low"], "auroc", "> 0.5", overlap)


def rows_of(table, pattern):
    return tables.read_all(table, sorted(Path("results").glob(pattern))).to_pylist()


def predicted_in_folds(config, name, encoder, kept, texts):
    """A detector's predictions on documents that it was not trained on."""
    settings = detectors.method(config, name, encoder)
    method = kind(settings["detector"], settings["embeddings"], "resources/prompts/detect_scope.yaml")
    groups = {doc_id: row["cluster_id"] for doc_id, row in texts.items()}
    texts = {doc_id: row["text"] for doc_id, row in texts.items()}
    for row in in_folds("the study", name, method, kept, texts, groups):
        yield row | {"method": f"{name}/{encoder} {row['head']}"}


def compared(questions, answers):
    methods, _, right, scored = answered(questions, answers)
    panel = Panel(questions["doc_id"], RESAMPLES)
    auroc = dict(zip(methods, panel.auroc(scored, questions["out"]).values, strict=True))
    column = {name: right[:, place] for place, name in enumerate(methods)}
    for control, most in GIVEN_AWAY.items():
        figure(f"folds_{_label(control)}_auroc", auroc[control], "auroc", f"<= {most}")
        more, name = panel.mean(column[NLI] - column[control]).row(), f"{_label(NLI)}_over_{control.split('/')[0]}"
        figure(f"folds_{name}_lower_end", more["low"], "share", "> 0", more["value"])


def _label(method):
    return re.sub(r"\W+", "_", method)
