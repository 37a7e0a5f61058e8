"""Measure how far recovered claims drift from the claims of their document, round by round. Judges nothing."""

from itertools import groupby

import numpy as np

from ragassay import tables
from ragassay.encoders.embed import Embedder
from ragassay.encoders.encoder import Encoder
from ragassay.schemas.claims import CLAIMS
from ragassay.schemas.drift import DRIFT
from ragassay.schemas.recovered_claims import RECOVERED_CLAIMS
from ragassay.scope.hardness import DIGITS, similarity, unit
from ragassay.stage import log, run


def measure_drift(claims, recovered_claims, drift, encoder, embeddings):
    embedder = Embedder(Encoder(**encoder), embeddings)
    originals = tables.read(CLAIMS, claims, ["doc_id", "slot", "text"]).to_pylist()
    guesses = tables.read(RECOVERED_CLAIMS, recovered_claims).to_pylist()
    texts = list(dict.fromkeys(row["text"] for row in (*originals, *guesses)))
    vectors = dict(zip(texts, unit(embedder.embed(texts)), strict=True))
    lists = {name: list(own) for name, own in groupby(originals, key=lambda row: row["doc_id"])}
    with tables.Writer(DRIFT, drift) as writer:
        for doc_id, own in groupby(guesses, key=lambda row: row["doc_id"]):
            first = {row["slot"]: vectors[row["text"]] for row in lists[doc_id]}
            whole, current = np.array(list(first.values())), dict(first)
            for row in own:  # round by round
                slot, vector = row["slot"], vectors[row["text"]]
                found = {"to_original": vector @ first[slot], "to_previous": vector @ current[slot]}
                found = {name: round(float(value), DIGITS) for name, value in found.items()}
                same = {name: row[name] for name in ("recovered_id", "doc_id", "round", "slot")}
                writer.add(
                    {**same, **found, "to_nearest": similarity(vector, whole)[0], "encoder": embedder.encoder.name}
                )
                current[slot] = vector
    log.info("%d guesses measured, %d texts embedded", writer.written, embedder.computed)


if __name__ == "__main__":
    run(measure_drift, snakemake)
