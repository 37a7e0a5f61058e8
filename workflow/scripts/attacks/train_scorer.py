"""Train a scorer on each half of the documents of a corpus, or of the study's documents in named shards. What it says
of passages: see score_passages."""

import json
from itertools import chain
from pathlib import Path

from ragassay.base import tables
from ragassay.base.atomic import write_text
from ragassay.base.stage import log, run
from ragassay.corpora import corpus
from ragassay.schemas.corpora import PASSAGES
from ragassay.schemas.documents import DOCUMENTS
from ragassay.studies.poisoning.defences.scorer import DOCUMENTS as HALVES
from ragassay.studies.poisoning.defences.scorer import ScorerError, half_of, kind_of
from ragassay.text.near_duplicates import clustered


def train_scorer(passages, documents, scorer, kind, settings, similarity, cut_after_words):
    """Either `passages`, the tables of a corpus, or `documents`, those of shards, is empty."""
    whole = chain(*map(corpus.documents, passages), _texts(DOCUMENTS, documents, "doc_id"))
    halves = divided(whole, [*passages, *documents], similarity, cut_after_words)

    def texts(half):
        read = chain(_texts(PASSAGES, passages, "document_id"), _texts(DOCUMENTS, documents, "doc_id"))
        return (text for document, text in read if halves[document] == half)

    folder = Path(scorer)
    folder.mkdir(parents=True, exist_ok=True)
    write_text(folder / HALVES, json.dumps(halves, ensure_ascii=False, sort_keys=True))
    kind_of(kind).trained(texts, **settings).write(folder)
    log.info("%d documents, %d of them in the second half", len(halves), sum(halves.values()))


def _texts(table, paths, document):
    for path in paths:
        for batch in tables.batches(table, path, [document, "text"]):
            yield from zip(batch[document].to_pylist(), batch["text"].to_pylist(), strict=True)


def divided(documents, paths, similarity: float, first_words: int) -> dict[str, int]:
    """document -> its half: near-duplicates lie in the same one, and no document changes sides when others come."""
    clusters = clustered(documents, similarity, first_words)
    halves = {name: half_of(cluster) for name, cluster in clusters.items()}
    if len(set(halves.values())) < 2:
        raise ScorerError(
            f"{paths[0]}: found {len(halves)} documents in {len(set(halves.values()))} of two halves, expected some in"
            " both, since each half is scored by what the other has taught; add documents, or name another scorer"
        )
    return halves


if __name__ == "__main__":
    run(train_scorer, snakemake)
