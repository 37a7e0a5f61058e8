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

ASKED = ("question_id", "doc_id", "text")


def apply_detector(
    heads, card, known_documents, documents, questions, prompt, weights, predictions, detector, embeddings, asked,
    similarity, cut_after_words,
):  # fmt: skip
    learnt, about = saved.read(heads, card)
    own = kind(detector, embeddings, prompt)
    saved.check(card, about["identity"], own.identity())
    found = tables.read_all(DOCUMENTS, documents, ["doc_id", "cluster_id", "text"]).to_pylist()
    made_with = tables.read(DETECTOR_DOCUMENTS, known_documents).to_pylist()
    parts = known.parts(found, made_with, similarity, cut_after_words)
    texts = {row["doc_id"]: row["text"] for row in found}
    rows = tables.read_all(QUESTIONS, questions, ["question_id", "doc_id", "shard", "intended", "text"])
    rows = rows.sort_by([("doc_id", "ascending"), ("question_id", "ascending")])
    if not len(rows):
        told = ", ".join(map(str, questions)) or "no file"
        raise DetectorError(f"{told}: found no question in table questions of {asked}, expected at least one")
    given = [
        Asked(question_id, doc_id, text, texts[doc_id])
        for question_id, doc_id, text in zip(*(rows[name].to_pylist() for name in ASKED), strict=True)
    ]
    start, same = 0, rows.select(["question_id", "doc_id", "shard", "intended"])
    with tables.Writer(PREDICTIONS, predictions) as writer:
        for features in own.stream(given):
            own_rows = same.slice(start, len(features)).to_pylist()
            start += len(features)
            for (head, seed), arrays in learnt.items():
                scored = scores.scores(arrays, features)
                said = scores.probabilities(scored, about["heads"][f"{head}.{seed}"]["temperature"])
                for row, score, probability in zip(own_rows, scored.tolist(), said.tolist(), strict=True):
                    result = {"score": score, "probability": probability, "out_of_scope": score > 0}
                    result |= {"part": parts[row["doc_id"]]}
                    writer.add({**row, **result, "head": head, "seed": seed, "asked": asked})
    log.info("%d questions, %d heads", len(rows), len(learnt))


if __name__ == "__main__":
    run(apply_detector, snakemake)
