"""Measure how near each question is to its document, and what shared words alone tell of it. Judges nothing.

A question of a document without claims cannot be measured and is rejected.
"""

from collections import defaultdict
from dataclasses import dataclass

import numpy as np

from ragassay import tables
from ragassay.encoders.embed import Embedder
from ragassay.encoders.encoder import Encoder
from ragassay.schemas.claims import CLAIMS
from ragassay.schemas.documents import DOCUMENTS
from ragassay.schemas.hardness import HARDNESS
from ragassay.schemas.novel_claims import NOVEL_CLAIMS
from ragassay.schemas.questions import QUESTIONS
from ragassay.scope import overlap
from ragassay.scope.hardness import DIGITS, similarity, stratum, unit
from ragassay.sentences import sentences
from ragassay.stage import log, run

TOGETHER = 200  # documents whose texts are embedded at once


def measure_hardness(documents, claims, novel_claims, questions, hardness, rejects, encoder, embeddings, limits):
    embedder = Embedder(Encoder(**encoder), embeddings)
    columns = ["doc_id", "cluster_id", "text"]
    texts = {row["doc_id"]: row for row in tables.read(DOCUMENTS, documents, columns).to_pylist()}
    own = _by_document(tables.read(CLAIMS, claims, ["doc_id", "text"]).to_pylist())
    recovered = tables.read(NOVEL_CLAIMS, novel_claims, ["recovered_id", "text"]).to_pylist()
    sources = {row["recovered_id"]: row["text"] for row in recovered}
    asked = _by_document(tables.read(QUESTIONS, questions).to_pylist())
    measures = []
    with tables.Writer(HARDNESS, hardness) as kept, tables.Writer(tables.REJECTS, rejects) as refused:
        for doc_id, rows in asked.items():
            if doc_id in own:
                found = [(row, sources.get(row["recovered_id"])) for row in rows]
                measures.append(Measure(**texts[doc_id], claims=[row["text"] for row in own[doc_id]], asked=found))
            else:
                for row in rows:
                    refused.add(_reject(row))
        for start in range(0, len(measures), TOGETHER):
            together = measures[start : start + TOGETHER]
            needed = list(dict.fromkeys(text for measure in together for text in measure.texts()))
            vectors = dict(zip(needed, unit(embedder.embed(needed)), strict=True))
            for measure in together:
                for row in measure.rows(vectors, limits):
                    kept.add(row | {"encoder": embedder.encoder.name})
    log.info("%d questions measured, %d texts embedded", kept.written, embedder.computed)


@dataclass
class Measure:
    """One document with its claims, and its questions, each with the text of the claim that it asks about, or None."""

    doc_id: str
    cluster_id: str
    text: str
    claims: list[str]
    asked: list[tuple[dict, str | None]]

    def texts(self):
        """All that has to be embedded."""
        yield from (self.text, *sentences(self.text), *self.claims)
        for question, source in self.asked:
            yield from (question["text"], *([source] if source else []))

    def rows(self, vectors, limits):
        of_sentences = np.array([vectors[sentence] for sentence in sentences(self.text)])
        document = overlap.Document(self.text, vectors[self.text], of_sentences)
        claims = np.array([vectors[claim] for claim in self.claims])
        for question, source in self.asked:
            text, vector = question["text"], vectors[question["text"]]
            nearest, mean = similarity(vector, claims)
            claim_nearest, claim_mean = similarity(vectors[source], claims) if source else (None, None)
            entities = overlap.entities(text)
            row = {name: question[name] for name in ("question_id", "doc_id", "shard", "intended")}
            row |= {
                "cluster_id": self.cluster_id,
                "nearness": nearest,
                "nearness_mean": mean,
                "stratum": stratum(nearest, limits),
            }
            row |= {"claim_nearness": claim_nearest, "claim_nearness_mean": claim_mean, "n_entities": len(entities)}
            row |= {"n_shared_entities": sum(overlap.has(document, entity) for entity in entities)}
            features = overlap.features(text, vector, document)
            yield row | {name: round(value, DIGITS) for name, value in features.items()}


def _by_document(rows):
    found = defaultdict(list)
    for row in rows:
        found[row["doc_id"]].append(row)
    return found


def _reject(row):
    detail = "found no claim of its document, expected at least one to measure nearness by"
    item = {"stage": "measure_hardness", "shard": row["shard"], "item": row["question_id"]}
    return item | {"reason": "no_claims", "detail": detail}


if __name__ == "__main__":
    run(measure_hardness, snakemake)
