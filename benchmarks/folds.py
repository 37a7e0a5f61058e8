"""Detectors on the demo's own questions, each of which is new to them once.

By the study's split nine in ten documents are learnt from or chosen by, so its test part is small; here the parts take
turns, and in ten of them every document is tested once.

Each method stands beside the overlap control and beside the question without its document, on the same questions: all
of them, and the hard ones. What demo-lm was taught of the study's own training documents is in its features in every
turn, so that most questions are less new to its detectors than to the others. `python benchmarks/folds.py FOLDER` reads
a project whose detectors are trained.
"""

import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np
import yaml
from figures import figure, finish

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "workflow"))

from ragassay import tables
from ragassay.config import checked
from ragassay.detectors import learning, scores, settings
from ragassay.detectors.comparison import Method, Questions
from ragassay.detectors.detector import Asked, kind
from ragassay.detectors.recipe import Recipe
from ragassay.schemas.documents import DOCUMENTS
from ragassay.schemas.hardness_scores import HARDNESS_SCORES
from ragassay.schemas.selected_questions import SELECTED_QUESTIONS
from ragassay.scope.votes import KEPT, OUT
from ragassay.splits import PARTS, split_of

OVERLAP, ALONE, NLI = (f"{name}/minilm logistic" for name in ("overlap", "question_alone", "sbert_nli"))
GIVEN_AWAY = "<= 0.75"  # by the wording of questions alone, where chance is .5
RESAMPLES = 2000


def main(project=None):
    with tempfile.TemporaryDirectory(prefix="ragassay-bench-") as folder:
        clone = Path(project or Path(folder, "clone"))
        if not project:
            subprocess.run(["git", "clone", "--quiet", str(ROOT), str(clone)], check=True)
            command = [sys.executable, "-m", "snakemake", "detectors", "--quiet", "rules"]
            subprocess.run(command, cwd=clone, check=True)
        os.chdir(clone)
        measure()
    finish()


def measure():
    config = Path("config/config.yaml")
    config = checked(yaml.safe_load(config.read_text()), [config], Path("workflow/schemas/config.schema.yaml"))
    texts = {row["doc_id"]: row for row in rows_of(DOCUMENTS, "documents/*.parquet")}
    kept = [row for row in rows_of(SELECTED_QUESTIONS, "selected_questions/*/*/*.parquet") if row["status"] == KEPT]
    hard = {row["question_id"] for row in rows_of(HARDNESS_SCORES, "hardness_scores/*/*.parquet") if row["hard"]}
    methods = {}
    for used in settings.used(config):
        methods |= asked_in_turns(config, *used.split("/"), kept, texts)
    for stratum in ("all", "hard"):
        own = [row for row in kept if stratum == "all" or row["question_id"] in hard]
        compared(stratum, Questions(own, RESAMPLES, 0), methods)


def rows_of(table, pattern):
    return tables.read_all(table, sorted(Path("results").glob(pattern))).to_pylist()


def asked_in_turns(config, name, encoder, kept, texts):
    """What each head of a detector says of documents that it was not made with."""
    own = settings.method(config, name, encoder)
    found = kind(own["detector"], own["embeddings"], "resources/prompts/detect_scope.yaml")
    asked = [Asked(row["question_id"], row["doc_id"], row["text"], texts[row["doc_id"]]["text"]) for row in kept]
    features, clusters = found.features(asked), np.array([texts[row["doc_id"]]["cluster_id"] for row in kept])
    truth, recipe, said = np.array([row["intended"] == OUT for row in kept]), config["detectors"]["recipe"], {}
    for turn in range(len(PARTS)):
        parts = np.array([split_of(cluster, turn) for cluster in clusters])
        data = learning.Data(features, truth, parts, clusters)
        seeds = config["detectors"]["seeds"]
        learnt = learning.learn(name, data, found.heads, found.balanced, Recipe(**recipe), seeds, [1.0])
        inside = np.flatnonzero(data.of(learning.TEST))
        for (head, _), arrays in learnt.heads.items():
            method = said.setdefault(f"{name}/{encoder} {head}", Method())
            for number, score in zip(inside, scores.scores(arrays, features[inside]), strict=True):
                method.add(kept[number]["question_id"], bool(score > 0), float(score))
    return said


def compared(stratum, questions, methods):
    control = methods[OVERLAP].right(questions)
    limit = questions.accuracy(control)[0]
    figure(f"folds_{stratum}_questions", len(questions), "questions")
    for name, method in sorted(methods.items()):
        label, right = "_".join(["folds", stratum, *re.findall("[a-z0-9]+", name)]), method.right(questions)
        figure(f"{label}_accuracy", questions.accuracy(right)[0], "share", limit=limit)
        aim = GIVEN_AWAY if name == ALONE else None
        figure(f"{label}_auroc", questions.auroc(method.score(questions))[0], "auroc", aim)
        for control in (OVERLAP, ALONE) if name == NLI else ():
            more, low, _ = questions.difference(right, methods[control].right(questions))
            over = f"{label}_over_{control.split('/')[0]}"
            figure(over, more, "share", "> 0")
            figure(f"{over}_at_least", low, "share")  # the low end of its interval


if __name__ == "__main__":
    main(*sys.argv[1:])
