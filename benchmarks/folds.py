"""Detectors on the demo's own questions, each of which is new to them once.

The study's split uses nine in ten documents for training and validation, so its test part is small. Cross-validation
over ten folds tests every document once.

Each method stands beside the overlap control and beside the question without its document, on the same questions: all
of them, and the hard ones. demo-lm's features include what it was taught about the study's own training documents in
every fold, so that most questions are less new to its detectors than to the others. `python benchmarks/folds.py FOLDER`
reads a project whose detectors are trained.
"""

import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np
import pandas as pd
import yaml

from common.figures import figure, finish

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "workflow"))

from ragassay.base import tables
from ragassay.config import schema
from ragassay.config.settings import checked
from ragassay.documents.ids import PARTS, split_of
from ragassay.metrics.panel import Panel
from ragassay.models.heads import learning, scores
from ragassay.models.heads.recipe import Recipe
from ragassay.plan import detectors
from ragassay.schemas.documents import DOCUMENTS
from ragassay.schemas.scope_questions import HARDNESS_SCORES, QUESTIONS, SELECTED_QUESTIONS
from ragassay.studies.scope.detectors.comparison import answered
from ragassay.studies.scope.detectors.detector import Asked, kind
from ragassay.studies.scope.questions.votes import KEPT, OUT

OVERLAP, ALONE, NLI = (f"{name}/minilm logistic" for name in ("overlap", "question_alone", "sbert_nli"))
GIVEN_AWAY = {ALONE: "<= 0.75"}  # by the wording of questions alone, where chance is .5
NATURAL = "natural"  # the question set that was written by hand
GIVEN_AWAY_BY_HAND = {ALONE: "<= 0.65", OVERLAP: "<= 0.75"}
RESAMPLES = 2000
QUESTION_SET = f"results/questions/{NATURAL}/{NATURAL}.parquet"


def main(project=None):
    with tempfile.TemporaryDirectory(prefix="ragassay-bench-") as folder:
        clone = Path(project or Path(folder, "clone"))
        if not project:
            subprocess.run(["git", "clone", "--quiet", str(ROOT), str(clone)], check=True)
            command = [sys.executable, "-m", "snakemake", "detectors", QUESTION_SET, "--quiet", "rules"]
            subprocess.run(command, cwd=clone, check=True)
        os.chdir(clone)
        measure()
    finish()


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
    for stratum, own in (("all", questions), ("hard", questions[questions["question_id"].isin(hard)])):
        compared(stratum, own, pd.DataFrame(answers), GIVEN_AWAY)
    written_by_hand(config)


def written_by_hand(config):
    """The two controls alone on the question set that was written by hand: no detector is trained on so few."""
    texts = {row["doc_id"]: row for row in rows_of(DOCUMENTS, f"documents/{NATURAL}.parquet")}
    asked = rows_of(QUESTIONS, f"questions/{NATURAL}/*.parquet")
    controls = [name for name in detectors.used(config) if name in ("overlap/minilm", "question_alone/minilm")]
    answers = [row for used in controls for row in predicted_in_folds(config, *used.split("/"), asked, texts)]
    questions = pd.DataFrame([{**row, "out": row["intended"] == OUT} for row in asked]).sort_values("question_id")
    compared(NATURAL, questions, pd.DataFrame(answers), GIVEN_AWAY_BY_HAND)


def rows_of(table, pattern):
    return tables.read_all(table, sorted(Path("results").glob(pattern))).to_pylist()


def predicted_in_folds(config, name, encoder, kept, texts):
    """The predictions of each head of a detector on documents that it was not trained on."""
    own = detectors.method(config, name, encoder)
    found = kind(own["detector"], own["embeddings"], "resources/prompts/detect_scope.yaml")
    asked = [Asked(row["question_id"], row["doc_id"], row["text"], texts[row["doc_id"]]["text"]) for row in kept]
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
    methods, right, scored = answered(questions, answers)
    panel = Panel(questions["doc_id"], RESAMPLES)
    accuracy, auroc = panel.mean(right).values, panel.auroc(scored, questions["out"]).values
    figure(f"folds_{stratum}_questions", len(questions), "questions")
    for name in sorted(methods):
        at, label = methods.index(name), "_".join(["folds", stratum, *re.findall("[a-z0-9]+", name)])
        figure(f"{label}_accuracy", accuracy[at], "share", limit=accuracy[methods.index(OVERLAP)])
        figure(f"{label}_auroc", auroc[at], "auroc", given_away.get(name))
        for control in (OVERLAP, ALONE) if name == NLI else ():
            more = panel.mean(right[:, at] - right[:, methods.index(control)]).row()
            over = f"{label}_over_{control.split('/')[0]}"
            figure(over, more["value"], "share", "> 0")
            figure(f"{over}_at_least", more["low"], "share")  # the low end of its interval


if __name__ == "__main__":
    main(*sys.argv[1:])
