"""Apply a detector to questions about documents: score, probability and decision of each of its heads.

Any questions will do, also those of a question set; the part tells which documents the detector was made with.
"""

from ragassay import tables
from ragassay.detectors import known, saved, scores
from ragassay.detectors.detector import Asked, DetectorError, kind
from ragassay.schemas.detector_documents import DETECTOR_DOCUMENTS
from ragassay.schemas.documents import DOCUMENTS
from ragassay.schemas.predictions import PREDICTIONS
from ragassay.schemas.questions import QUESTIONS
from ragassay.stage import log, run


def apply_detector(
    heads, card, known_documents, documents, questions, prompt, weights, predictions, detector, embeddings, asked,
    similarity, cut_after_words,
):  # fmt: skip
    learnt, about = saved.read(heads, card)
    own = kind(detector, embeddings, prompt)
    if own.identity() != about["identity"]:
        raise DetectorError(f"{card}: the detector was trained with another model, prompt or token; train it again")
    texts = {row["doc_id"]: row for row in tables.read_all(DOCUMENTS, documents).to_pylist()}
    made_with = tables.read(DETECTOR_DOCUMENTS, known_documents).to_pylist()
    parts = known.parts(list(texts.values()), made_with, similarity, cut_after_words)
    columns = ["question_id", "doc_id", "shard", "intended", "text"]
    rows = sorted(
        tables.read_all(QUESTIONS, questions, columns).to_pylist(), key=lambda row: (row["doc_id"], row["question_id"])
    )
    given = [Asked(row["question_id"], row["doc_id"], row["text"], texts[row["doc_id"]]["text"]) for row in rows]
    features = own.features(given)
    with tables.Writer(PREDICTIONS, predictions) as writer:
        for (head, seed), arrays in learnt.items():
            found = scores.scores(arrays, features)
            said = scores.probabilities(found, about["heads"][f"{head}.{seed}"]["temperature"])
            for row, score, probability in zip(rows, found.tolist(), said.tolist(), strict=True):
                same = {name: row[name] for name in ("question_id", "doc_id", "shard", "intended")}
                result = {"score": score, "probability": probability, "out_of_scope": score > 0}
                result |= {"part": parts[row["doc_id"]]}
                writer.add({**same, **result, "head": head, "seed": seed, "asked": asked})
    log.info("%d questions, %d heads", len(rows), len(learnt))


if __name__ == "__main__":
    run(apply_detector, snakemake)
