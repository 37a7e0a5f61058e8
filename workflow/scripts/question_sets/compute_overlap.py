"""Measure the words and similarity that questions share with their documents: the features of the overlap control.

For questions of any origin. compute_hardness measures how near a question is to its document's claims.
"""

from ragassay.base import tables
from ragassay.base.stage import log, run
from ragassay.models.encoders.embed import Embedder
from ragassay.models.encoders.encoder import Encoder
from ragassay.schemas.documents import DOCUMENTS
from ragassay.schemas.hardness import OVERLAP
from ragassay.schemas.scope_questions import QUESTIONS
from ragassay.studies.scope.controls import Overlap

TOGETHER = 200  # documents whose texts are embedded at once


def compute_overlap(documents, questions, overlap, encoder, embeddings):
    embedder, asked = Embedder(Encoder(**encoder), embeddings), {}
    for row in tables.read(QUESTIONS, questions, ["question_id", "doc_id", "text"]).to_pylist():
        asked.setdefault(row["doc_id"], []).append(row)
    texts = tables.read(DOCUMENTS, documents, ["doc_id", "cluster_id", "text"]).to_pylist()
    texts = [row for row in texts if row["doc_id"] in asked]
    with tables.Writer(OVERLAP, overlap) as writer:
        for start in range(0, len(texts), TOGETHER):
            together = texts[start : start + TOGETHER]
            pairs = [(question, row) for row in together for question in asked[row["doc_id"]]]
            features = Overlap(embedder).measure([(question["text"], row["text"]) for question, row in pairs])
            for (question, row), measured in zip(pairs, features, strict=True):
                ids = {"question_id": question["question_id"], "doc_id": row["doc_id"]}
                writer.add(ids | {"cluster_id": row["cluster_id"], "encoder": embedder.encoder.name} | measured)
    log.info("%d questions measured, %s", writer.written, embedder.told)


if __name__ == "__main__":
    run(compute_overlap, snakemake)
