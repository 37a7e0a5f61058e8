"""Train detectors on a question set's own labels, and ask each about documents that it was not trained on.

Over ten folds each document is tested once, together with its near-duplicates. Questions without a label and those that
are too long for a detector's model are excluded. Heads are regressions, since two layers learn nothing from a set's few
questions, and are not kept: they say how far a detector gets on such questions.
"""

import numpy as np

from ragassay.base import tables
from ragassay.base.chance import PARTS, split_of
from ragassay.base.errors import AssayError
from ragassay.base.stage import log, run
from ragassay.models.heads import learning, scores
from ragassay.schemas.documents import DOCUMENTS
from ragassay.schemas.scope_answers import FOLD_PREDICTIONS
from ragassay.schemas.scope_questions import QUESTIONS
from ragassay.studies.scope.detectors.detector import DetectorQuestion, kind, too_long
from ragassay.studies.scope.votes import KINDS, OUT
from ragassay.text.near_duplicates import clustered


class FoldsError(AssayError):
    """A question set cannot be divided into folds for training."""


def predict_in_folds(
    documents, questions, prompt, weights, fold_predictions, name, detectors, embeddings, similarity, cut_after_words
):
    """`name` is the question set's; `detectors` are the settings of each."""
    texts = tables.read(DOCUMENTS, documents, ["doc_id", "text"]).to_pylist()
    groups = clustered(((row["doc_id"], row["text"]) for row in texts), similarity, cut_after_words)
    texts = {row["doc_id"]: row["text"] for row in texts}
    rows = tables.read(QUESTIONS, questions).to_pylist()
    rows = [row for row in rows if row["intended"] in KINDS]
    with tables.Writer(FOLD_PREDICTIONS, fold_predictions) as writer:
        for settings in detectors:
            names = {"detector": settings["detector"], "encoder": settings["encoder"]["name"]}
            method = kind(settings, embeddings, prompt)
            for row in in_folds(name, names["detector"], method, rows, texts, groups):
                writer.add(names | row)
    log.info("%d questions about %d groups of documents", len(rows), len({groups[row["doc_id"]] for row in rows}))


def in_folds(name, owner, method, rows, texts, groups, heads=(scores.LOGISTIC,), recipe=None, seeds=()):
    """The score of each question by each head and seed, from trainings without its group of documents."""
    asked = [DetectorQuestion(row["question_id"], row["doc_id"], row["text"], texts[row["doc_id"]]) for row in rows]
    features = method.features(asked)
    whole = ~too_long(features)
    rows, features = [row for row, read in zip(rows, whole, strict=True) if read], features[whole]
    clusters = np.array([groups[row["doc_id"]] for row in rows])
    truth = np.array([row["intended"] == OUT for row in rows])
    folds = [np.array([split_of(cluster, fold) for cluster in clusters]) for fold in range(len(PARTS))]
    check_folds(name, owner, folds, truth, len(set(clusters)))
    for fold, parts in enumerate(folds):
        data = learning.Data(features, truth, parts, clusters, "questions", "documents")
        inside = np.flatnonzero(data.of(learning.TEST))
        if not len(inside):
            continue
        learned = learning.learn(f"detector {owner}", data, heads, method.balanced, recipe, seeds, [1.0])
        for (head, seed), arrays in learned.heads.items():
            for number, score in zip(inside, scores.scores(arrays, features[inside]).tolist(), strict=True):
                same = {name: rows[number][name] for name in ("question_id", "doc_id")}
                yield same | {"head": head, "seed": seed, "fold": fold, "score": score, "out_of_scope": score > 0}


def check_folds(name, owner, folds, truth, count) -> None:
    """Raises FoldsError unless each fold that tests questions has both labels to train on; `count` is of groups of
    documents.
    """
    trained_on = [truth[parts == learning.TRAIN] for parts in folds if (parts == learning.TEST).any()]
    if not trained_on or any(labels.all() or not labels.any() for labels in trained_on):
        raise FoldsError(
            f"question set {name}: found too few documents, or one label alone, for ten folds of detector {owner}"
            f" ({len(truth)} questions about {count} groups of documents, {truth.sum()} of them out of scope),"
            " expected questions in scope and out of scope in the training part of each; set detectors: false"
        )


if __name__ == "__main__":
    run(predict_in_folds, snakemake)
