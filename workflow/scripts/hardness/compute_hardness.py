"""Measure how near questions and recovered claims are to their document, and what words questions share with it.

Judges nothing. Both measures share one stage, since loading an encoder takes longer than embedding a small shard.

A question of a document without claims cannot be measured and is rejected.
"""

from collections import defaultdict
from dataclasses import dataclass

import numpy as np

from ragassay.base import tables
from ragassay.base.stage import log, run
from ragassay.base.tally import reject
from ragassay.models.encoders.embed import Embedder
from ragassay.models.encoders.encoder import Encoder
from ragassay.schemas.documents import DOCUMENTS
from ragassay.schemas.hardness import HARDNESS
from ragassay.schemas.relevance import DRIFT
from ragassay.schemas.scope_questions import CLAIMS, QUESTIONS, RECOVERED_CLAIMS
from ragassay.search.nearest import unit
from ragassay.studies.scope import controls
from ragassay.studies.scope.strata import DIGITS, similarity, stratum
from ragassay.studies.scope.strata import drift as drift_of
from ragassay.text.sentences import sentences

TOGETHER = 200  # documents whose texts are embedded at once
STAGE = "compute_hardness"
NO_CLAIMS = "no_claims", "found no claim of its document, expected at least one to measure nearness by"


def compute_hardness(
    documents, claims, recovered_claims, questions, hardness, drift, rejects, encoder, embeddings, limits
):
    embedder = Embedder(Encoder(**encoder), embeddings)
    columns = ["doc_id", "cluster_id", "text"]
    texts = {row["doc_id"]: row for row in tables.read(DOCUMENTS, documents, columns).to_pylist()}
    claims_of = _by_document(tables.read(CLAIMS, claims, ["doc_id", "slot", "text"]).to_pylist())
    guesses = _by_document(tables.read(RECOVERED_CLAIMS, recovered_claims).to_pylist())
    asked = _by_document(tables.read(QUESTIONS, questions).to_pylist())
    measures = [
        Measure(texts[name], rows, guesses.get(name, []), asked.pop(name, [])) for name, rows in claims_of.items()
    ]
    lost = [row for rows in asked.values() for row in rows]
    tables.write(tables.REJECTS, rejects, [reject(STAGE, row, row["question_id"], *NO_CLAIMS) for row in lost])
    with tables.Writer(HARDNESS, hardness) as near, tables.Writer(DRIFT, drift) as drifted:
        for start in range(0, len(measures), TOGETHER):
            together = measures[start : start + TOGETHER]
            needed = list(dict.fromkeys(text for measure in together for text in measure.texts()))
            vectors = dict(zip(needed, unit(embedder.embed(needed)), strict=True))
            for measure in together:
                for row in measure.hardness(vectors, limits):
                    near.add(row | {"encoder": embedder.encoder.name})
                for row in drift_of(measure.claims, measure.guesses, vectors):
                    drifted.add(row | {"encoder": embedder.encoder.name})
    counts = (near.written, drifted.written, embedder.told)
    log.info("%d questions and %d guesses measured, %s", *counts)


@dataclass
class Measure:
    """One document with its claims, the guesses for them, and its questions."""

    document: dict
    claims: list[dict]
    guesses: list[dict]
    asked: list[dict]

    def texts(self):
        """All texts to embed."""
        yield from (row["text"] for row in (*self.claims, *self.guesses, *self.asked))
        if self.asked:
            yield from (self.document["text"], *sentences(self.document["text"]))

    def hardness(self, vectors, limits):
        if not self.asked:
            return
        text = self.document["text"]
        of_sentences = np.array([vectors[sentence] for sentence in sentences(text)])
        document = controls.Document(text, vectors[text], of_sentences)
        claims = np.array([vectors[row["text"]] for row in self.claims])
        sources = {row["recovered_id"]: vectors[row["text"]] for row in self.guesses}
        for question in self.asked:
            vector, source = vectors[question["text"]], sources.get(question["recovered_id"])
            nearest, mean = similarity(vector, claims)
            claim_nearest, claim_mean = (None, None) if source is None else similarity(source, claims)
            entities = controls.entities(question["text"])
            row = {name: question[name] for name in ("question_id", "doc_id", "shard", "intended")}
            row |= {"cluster_id": self.document["cluster_id"], "stratum": stratum(nearest, limits)}
            row |= {"nearness": nearest, "nearness_mean": mean}
            row |= {"claim_nearness": claim_nearest, "claim_nearness_mean": claim_mean, "n_entities": len(entities)}
            row |= {"n_shared_entities": sum(controls.has(document, entity) for entity in entities)}
            features = controls.features(question["text"], vector, document)
            yield row | {name: round(value, DIGITS) for name, value in features.items()}


def _by_document(rows):
    grouped = defaultdict(list)
    for row in rows:
        grouped[row["doc_id"]].append(row)
    return grouped


if __name__ == "__main__":
    run(compute_hardness, snakemake)
