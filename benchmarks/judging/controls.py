"""Detectors and controls on the demo's own questions, each of which is new to them once.

The study's split uses nine in ten documents for training and validation, so its test part is small. Cross-validation
over ten folds tests every document once. Each method stands beside the overlap control and beside the question without
its document, on the same questions: all of them, and the hard ones. On the question set that was written by hand the
two controls stand alone: no detector is trained on so few."""

import contextlib
import json
import re
from pathlib import Path

import pandas as pd
import yaml

from common.clone import cloned, snakemake
from common.figures import figure
from ragassay.base import tables
from ragassay.config import schema
from ragassay.config.settings import checked
from ragassay.metrics.panel import Panel
from ragassay.models.heads.scores import Recipe
from ragassay.plan import detectors
from ragassay.schemas.documents import DOCUMENTS
from ragassay.schemas.hardness import HARDNESS_SCORES
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
OVERLAP_OF_SET = "(overlap control)"
GIVEN_AWAY_BY_HAND = {OVERLAP_OF_SET: "<= 0.75", "(wording control)": "<= 0.65"}
RESAMPLES = 2000


def controls() -> None:
    with cloned() as clone:
        snakemake(clone, "detectors", "results/metrics/question_sets.parquet")
        with contextlib.chdir(clone):
            measure()


def measure():
    config = Path("config/config.yaml")
    config = checked(yaml.safe_load(config.read_text()), [config], schema.merged())
    texts = {row["doc_id"]: row for row in rows_of(DOCUMENTS, "documents/*.parquet")}
    kept = [row for row in rows_of(SELECTED_QUESTIONS, "selected_questions/*/*/*.parquet") if row["status"] == KEPT]
    hard = {row["question_id"] for row in rows_of(HARDNESS_SCORES, "hardness_scores/*/*.parquet") if row["hard"]}
    answers = []
    for used in detectors.used(config):
        answers += predicted_in_folds(config, *used.split("/"), kept, texts)
    questions = pd.DataFrame([{**row, "out": row["intended"] == OUT} for row in kept]).sort_values("question_id")
    for intended, number in questions["intended"].value_counts().items():
        figure(f"scope_demo_kept_{intended}", int(number), "questions", ">= 160")
    for stratum, rows in (("all", questions), ("hard", questions[questions["question_id"].isin(hard)])):
        if rows["out"].nunique() == 2:  # else no method can tell anything apart
            compared(stratum, rows, pd.DataFrame(answers), GIVEN_AWAY)
    written_by_hand()


def written_by_hand():
    """Near misses against answered questions, both written by hand, as the report has them: what the controls tell, and
    beside them the judge and detectors that are trained on other documents of the set.
    """
    rows = [(row, json.loads(row["keys"])) for row in rows_of(METRICS, "metrics/question_sets.parquet")]
    rows = [(row["value"], keys) for row, keys in rows if (row["table"], row["metric"]) == ("types", "auroc")]
    rows = [(value, keys) for value, keys in rows if (keys["type"], keys["truth"]) == ("near_miss", "intention")]
    auroc = {keys["judge"]: value for value, keys in rows}
    for value, keys in rows:
        name, is_control = f"written_near_misses_{_label(keys['judge']).strip('_')}_auroc", keys["role"] == "control"
        target = GIVEN_AWAY_BY_HAND[keys["judge"]] if is_control else "> 0.5"
        figure(name, value, "auroc", target, None if is_control else auroc[OVERLAP_OF_SET])


def rows_of(table, pattern):
    return tables.read_all(table, sorted(Path("results").glob(pattern))).to_pylist()


def predicted_in_folds(config, name, encoder, kept, texts):
    """The predictions of each head of a detector on documents that it was not trained on."""
    settings = detectors.method(config, name, encoder)
    method = kind(settings["detector"], settings["embeddings"], "resources/prompts/detect_scope.yaml")
    groups = {doc_id: row["cluster_id"] for doc_id, row in texts.items()}
    texts = {doc_id: row["text"] for doc_id, row in texts.items()}
    recipe, seeds = Recipe(**config["detectors"]["recipe"]), config["detectors"]["seeds"]
    for row in in_folds("the study", name, method, kept, texts, groups, method.heads, recipe, seeds):
        yield row | {"method": f"{name}/{encoder} {row['head']}"}


def compared(stratum, questions, answers, given_away):
    methods, _, right, scored = answered(questions, answers)
    panel = Panel(questions["doc_id"], RESAMPLES)
    auroc = dict(zip(methods, panel.auroc(scored, questions["out"]).values, strict=True))
    for control, most in given_away.items():
        figure(f"folds_{stratum}_{_label(control)}_auroc", auroc[control], "auroc", f"<= {most}")
    if NLI in methods:
        column = {name: right[:, place] for place, name in enumerate(methods)}
        for control in (OVERLAP, ALONE):
            more = panel.mean(column[NLI] - column[control]).row()
            figure(f"folds_{stratum}_{_label(NLI)}_over_{control.split('/')[0]}", more["value"], "share", "> 0")


def _label(method):
    return re.sub(r"\W", "_", method)
