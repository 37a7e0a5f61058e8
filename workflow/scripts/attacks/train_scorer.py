"""Train a scorer on each half of the documents of a corpus. What it says of passages: see score_passages."""

import json
from pathlib import Path

from ragassay.base import tables
from ragassay.base.atomic import write_text
from ragassay.base.stage import log, run
from ragassay.corpora.corpus import documents
from ragassay.schemas.corpora import PASSAGES
from ragassay.studies.poisoning.defences.scorer import DOCUMENTS, ScorerError, half_of, kind_of
from ragassay.text.near_duplicates import clustered


def train_scorer(passages, scorer, kind, own, similarity, cut_after_words):
    halves = divided(passages, similarity, cut_after_words)

    def texts(half):
        for batch in tables.batches(PASSAGES, passages, ["document_id", "text"]):
            yield from (row["text"] for row in batch.to_pylist() if halves[row["document_id"]] == half)

    folder = Path(scorer)
    folder.mkdir(parents=True, exist_ok=True)
    write_text(folder / DOCUMENTS, json.dumps(halves, ensure_ascii=False, sort_keys=True))
    kind_of(kind).trained(texts, **own).write(folder)
    log.info("%d documents, %d of them in the second half", len(halves), sum(halves.values()))


def divided(passages, similarity: float, first_words: int) -> dict[str, int]:
    """document -> its half: near-duplicates lie in the same one, and no document changes sides when others come."""
    clusters = clustered(documents(passages), similarity, first_words)
    halves = {name: half_of(cluster) for name, cluster in clusters.items()}
    if len(set(halves.values())) < 2:
        raise ScorerError(
            f"{passages}: found {len(halves)} documents in {len(set(halves.values()))} of two halves, expected some in"
            " both, since each half is scored by what the other has taught; add documents, or name another scorer"
        )
    return halves


if __name__ == "__main__":
    run(train_scorer, snakemake)
