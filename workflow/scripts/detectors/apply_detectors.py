"""Apply detectors to the questions of one shard: score, probability and decision of each of their heads.

Any questions will do, also those of a question set; the part says which documents a detector was trained on. A
question that is too long for a detector's model has rows without a prediction.
"""

from ragassay.base import tables
from ragassay.base.stage import log, run
from ragassay.models.heads import heads_file, scores
from ragassay.schemas.documents import DOCUMENTS
from ragassay.schemas.scope_answers import DETECTOR_DOCUMENTS, PREDICTIONS
from ragassay.schemas.scope_questions import QUESTIONS
from ragassay.studies.scope.detectors.detector import TOO_LONG, DetectorQuestion, kind, too_long, trained_parts

ASKED = ("question_id", "doc_id", "text")


def apply_detectors(
    heads, cards, known_documents, documents, questions, prompt, weights, predictions, detectors, embeddings, asked,
    similarity, cut_after_words,
):  # fmt: skip
    """Of each detector a file of heads, its card, the documents that it was trained on, and one of predictions."""
    given = tables.read(DOCUMENTS, documents, ["doc_id", "cluster_id", "text"]).to_pylist()
    rows = tables.read(QUESTIONS, questions, ["question_id", "doc_id", "shard", "intended", "text"])
    rows = rows.sort_by([("doc_id", "ascending"), ("question_id", "ascending")])
    for settings, *files in zip(detectors, heads, cards, known_documents, predictions, strict=True):
        _apply(kind(settings, embeddings, prompt), *files, given, rows, asked, similarity, cut_after_words)


def _apply(method, heads, card, known_documents, predictions, documents, rows, asked, similarity, cut_after_words):
    trained, record = heads_file.read(heads, card)
    heads_file.check(card, record["identity"], method.identity())
    made_with = tables.read(DETECTOR_DOCUMENTS, known_documents).to_pylist()
    parts = trained_parts(documents, made_with, similarity, cut_after_words)
    texts = {row["doc_id"]: row["text"] for row in documents}
    given = [
        DetectorQuestion(question_id, doc_id, text, texts[doc_id])
        for question_id, doc_id, text in zip(*(rows[name].to_pylist() for name in ASKED), strict=True)
    ]
    start, lost, same = 0, 0, rows.select(["question_id", "doc_id", "shard", "intended"])
    with tables.Writer(PREDICTIONS, predictions) as writer:
        for features in method.stream(given) if given else ():
            own_rows = same.slice(start, len(features)).to_pylist()
            start, without = start + len(features), too_long(features).tolist()
            lost += sum(without)
            for (head, seed), arrays in trained.items():
                scored = scores.scores(arrays, features)
                probabilities = scores.probabilities(scored, record["heads"][f"{head}.{seed}"]["temperature"])
                columns = own_rows, scored.tolist(), probabilities.tolist(), without
                for row, score, probability, unread in zip(*columns, strict=True):
                    result = {"score": score, "probability": probability, "out_of_scope": score > 0, "reason": None}
                    if unread:
                        result = dict.fromkeys(result) | {"reason": TOO_LONG}
                    result |= {"part": parts[row["doc_id"]]}
                    writer.add({**row, **result, "head": head, "seed": seed, "asked": asked})
    log.info("%s: %d questions, %d of them too long, %d heads", predictions, len(rows), lost, len(trained))


if __name__ == "__main__":
    run(apply_detectors, snakemake)
