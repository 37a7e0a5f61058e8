"""Train a scorer on each half of the documents of a corpus. What it says of passages: see score_passages."""

import json
from pathlib import Path

from ragassay.base import tables, variants
from ragassay.base.atomic import write_text
from ragassay.base.stage import log, run
from ragassay.schemas.corpora import PASSAGES
from ragassay.studies.poisoning.defences.scorer import DOCUMENTS, KINDS
from ragassay.studies.poisoning.measures.halves import divided


def train_scorer(passages, scorer, kind, own, similarity, cut_after_words):
    halves = divided(passages, similarity, cut_after_words)

    def texts(half):
        for batch in tables.batches(PASSAGES, passages, ["document_id", "text"]):
            yield from (row["text"] for row in batch.to_pylist() if halves[row["document_id"]] == half)

    folder = Path(scorer)
    folder.mkdir(parents=True, exist_ok=True)
    write_text(folder / DOCUMENTS, json.dumps(halves, ensure_ascii=False, sort_keys=True))
    variants.load(KINDS, kind, "scorers").Scorer.trained(texts, **own).write(folder)
    log.info("%d documents, %d of them in the second half", len(halves), sum(halves.values()))


if __name__ == "__main__":
    run(train_scorer, snakemake)
