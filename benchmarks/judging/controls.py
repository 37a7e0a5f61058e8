"""Detectors and controls on the demo's own questions, each of which is new to them once.

The study's split uses nine in ten documents for training and validation, so its test part is small. Cross-validation
over ten folds tests every document once. Each method stands beside the overlap control and beside the question without
its document, on the same questions: all of them, and the hard ones. On the question set that was written by hand the
two controls stand alone: no detector is trained on so few."""

import contextlib
import re
from pathlib import Path

import numpy as np
import pandas as pd
import yaml

from common.clone import cloned, snakemake
from common.figures import figure
from ragassay.base import tables
from ragassay.config import schema
from ragassay.config.settings import checked
from ragassay.documents.ids import PARTS, split_of
from ragassay.metrics.panel import Panel
from ragassay.models.heads import learning, scores
from ragassay.models.heads.scores import Recipe
from ragassay.plan import detectors
from ragassay.schemas.documents import DOCUMENTS
from ragassay.schemas.hardness import HARDNESS_SCORES
from ragassay.schemas.scope_questions import QUESTIONS, SELECTED_QUESTIONS
from ragassay.studies.scope.detectors.detector import DetectorQuestion, kind
from ragassay.studies.scope.detectors.detector_results import answered
from ragassay.studies.scope.votes import KEPT, OUT

CONTROLS = ("overlap/minilm", "question_alone/minilm")
OVERLAP, ALONE = (f"{name} logistic" for name in CONTROLS)
NLI = "sbert_nli/minilm logistic"
# AUROC of the controls at most: what the wording gives away, where chance is .5.
GIVEN_AWAY = {OVERLAP: 0.80, ALONE: 0.75}
GIVEN_AWAY_BY_HAND = {OVERLAP: 0.75, ALONE: 0.65}
NATURAL = "natural"  # the question set that was written by hand
RESAMPLES = 2000


def controls() -> None:
    with cloned() as clone:
        snakemake(clone, "detectors", f"results/questions/{NATURAL}/{NATURAL}.parquet")
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
    written_by_hand(config)


def written_by_hand(config):
    texts = {row["doc_id"]: row for row in rows_of(DOCUMENTS, f"documents/{NATURAL}.parquet")}
    asked = rows_of(QUESTIONS, f"questions/{NATURAL}/*.parquet")
    used = [name for name in detectors.used(config) if name in CONTROLS]
    answers = [row for name in used for row in predicted_in_folds(config, *name.split("/"), asked, texts)]
    questions = pd.DataFrame([{**row, "out": row["intended"] == OUT} for row in asked]).sort_values("question_id")
    compared(NATURAL, questions, pd.DataFrame(answers), GIVEN_AWAY_BY_HAND)


def rows_of(table, pattern):
    return tables.read_all(table, sorted(Path("results").glob(pattern))).to_pylist()


def predicted_in_folds(config, name, encoder, kept, texts):
    """The predictions of each head of a detector on documents that it was not trained on."""
    own = detectors.method(config, name, encoder)
    found = kind(own["detector"], own["embeddings"], "resources/prompts/detect_scope.yaml")
    asked = [
        DetectorQuestion(row["question_id"], row["doc_id"], row["text"], texts[row["doc_id"]]["text"]) for row in kept
    ]
    features, clusters = found.features(asked), np.array([texts[row["doc_id"]]["cluster_id"] for row in kept])
    truth, recipe = np.array([row["intended"] == OUT for row in kept]), config["detectors"]["recipe"]
    for fold in range(len(PARTS)):
        parts = np.array([split_of(cluster, fold) for cluster in clusters])
        data = learning.Data(features, truth, parts, clusters)
        seeds = config["detectors"]["seeds"]
        learned = learning.learn(name, data, found.heads, found.balanced, Recipe(**recipe), seeds, [1.0])
        inside = np.flatnonzero(data.of(learning.TEST))
        for (head, _), arrays in learned.heads.items():
            for number, score in zip(inside, scores.scores(arrays, features[inside]), strict=True):
                row = {"method": f"{name}/{encoder} {head}", "question_id": kept[number]["question_id"]}
                yield row | {"out_of_scope": bool(score > 0), "score": float(score)}


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
