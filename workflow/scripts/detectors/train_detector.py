"""Train a detector of out-of-scope questions on the kept ones, with features of a frozen model.

Features are computed once and stored, the heads on them are trained with several seeds, and the card says on what, and
how many questions were left out since the model cannot read them whole. Of more than `most_questions` some documents
are drawn, with all their questions, by a hash of their ids: the rest is not read.
`weights` are the files of the model, where they are inputs.
"""

import hashlib
import json
from collections import Counter

import numpy as np
import pyarrow.compute as pc

from ragassay.base import chance, tables
from ragassay.base.chance import split_of
from ragassay.base.stage import log, run
from ragassay.models.heads import heads_file, learning
from ragassay.models.heads.scores import Recipe
from ragassay.models.local import LocalModel
from ragassay.schemas.documents import DOCUMENTS
from ragassay.schemas.scope_answers import DETECTOR_DOCUMENTS, DETECTOR_TRAINING
from ragassay.schemas.scope_questions import SELECTED_QUESTIONS
from ragassay.studies.scope.detectors.detector import (
    TOO_LONG,
    DetectorError,
    DetectorQuestion,
    described,
    kind,
    too_long,
)
from ragassay.studies.scope.votes import KEPT


def train_detector(
    documents, selected_questions, prompt, weights, heads, card, training, known_documents,
    detector, embeddings, recipe, seeds, shares, cut_after_words, most_questions,
):  # fmt: skip
    statuses = (tables.read(SELECTED_QUESTIONS, path, ["status"]) for path in selected_questions)
    kept = sum(part.filter(_is_kept(part)).num_rows for part in statuses)
    drawn = most_questions / max(kept, 1)
    texts = {row["doc_id"]: row for path in documents for row in _drawn(tables.read(DOCUMENTS, path), drawn)}
    parts = (tables.read(SELECTED_QUESTIONS, path) for path in selected_questions)
    rows = (row for part in parts for row in _drawn(part.filter(_is_kept(part)), drawn))
    rows = sorted(rows, key=lambda row: row["question_id"])
    _check_parts(rows, texts)
    method = kind(detector, embeddings, prompt)
    asked = [
        DetectorQuestion(row["question_id"], row["doc_id"], row["text"], texts[row["doc_id"]]["text"]) for row in rows
    ]
    features = method.features(asked)
    read = ~too_long(features)
    rows, asked = ([question for question, whole in zip(some, read, strict=True) if whole] for some in (rows, asked))
    data = learning.Data(
        features[read],
        np.array([row["intended"] == "out_of_scope" for row in rows], bool),
        np.array([row["split"] for row in rows], str),
        np.array([texts[row["doc_id"]]["cluster_id"] for row in rows], str),
        items_are="questions",
        clusters_are="documents",
    )
    learned = learning.learn(
        f"detector {detector['detector']}", data, method.heads, method.balanced, Recipe(**recipe), seeds, shares
    )
    record = {"detector": detector, "identity": method.identity(), "recipe": recipe, "data": _data(rows, asked)}
    if drawn < 1:
        record["data"]["drawn_from"] = kept
        log.info("%d of %d questions, those of documents drawn at random", len(read), kept)
    if not read.all():
        record["data"][TOO_LONG] = int((~read).sum())
        log.info("%d of %d questions are too long for the model, left out", (~read).sum(), len(read))
    cut, at_tokens = method.cut(asked)
    if at_tokens:
        counts = {"documents": cut, "of": len({question.document for question in asked}), "at_tokens": at_tokens}
        record["data"]["cut"] = counts
        log.info("%(documents)d of %(of)d documents are longer than the %(at_tokens)d tokens that are read", counts)
    if commit := LocalModel(f"model {detector['encoder']['name']}", detector["encoder"]).commit:
        record["commit"] = commit
    record |= {"heads": {f"{head}.{seed}": _head(learned, data, head, seed) for head, seed in learned.heads}}
    heads_file.write(heads, card, learned.heads, record)
    tables.write(DETECTOR_TRAINING, training, learned.rows)
    tables.write(DETECTOR_DOCUMENTS, known_documents, described(list(texts.values()), cut_after_words))
    parts = ", ".join(f"{count} {part}" for part, count in sorted(Counter(data.parts.tolist()).items()))
    log.info("%d heads from %d questions (%s)", len(learned.heads), len(rows), parts)


def _is_kept(rows):
    return pc.equal(rows["status"], KEPT)


def _drawn(rows, share):
    """Those of drawn documents."""
    if share < 1:
        rows = rows.filter([chance.share("train_detector", name) < share for name in rows["doc_id"].to_pylist()])
    return rows.to_pylist()


def _check_parts(rows, texts):
    """Check that no training question has a document that counts as new when the detector is measured."""
    for row in rows:
        expected = split_of(texts[row["doc_id"]]["cluster_id"])
        if row["split"] != expected:
            raise DetectorError(
                f"selected_questions, shard {row['shard']}: found {row['question_id']} in the part {row['split']},"
                f" expected {expected}, where its document {row['doc_id']} is; delete that table and select again"
            )


def _data(rows, asked):
    """The training data: counts, and a digest that changes with every question, text, document, label and part."""
    pairs = zip(rows, asked, strict=True)
    trained_on = [[*one, row["intended"], row["split"]] for row, one in pairs]
    counts = Counter(f"{row['split']} {row['intended']}" for row in rows)
    return {
        "digest": hashlib.sha256(json.dumps(trained_on).encode()).hexdigest(),
        "questions": dict(sorted(counts.items())),
    }


def _head(learned, data, head, seed):
    temperature, by_part = learned.temperatures[head, seed], {}
    for part in (learning.VALIDATION, learning.TEST):
        scored = learning.scored(learned.heads[head, seed], data, part)
        by_part[part] = learning.figures(*scored, temperature) | {"n": len(scored[0])}
    return {"temperature": temperature, **by_part}


if __name__ == "__main__":
    run(train_detector, snakemake)
