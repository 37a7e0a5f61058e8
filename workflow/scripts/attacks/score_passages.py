"""How surprising passages are to a scorer: those of a corpus, or those that an attack plants there."""

import json
from pathlib import Path

import pyarrow as pa

from ragassay.base import tables
from ragassay.base.stage import log, run
from ragassay.schemas.attacks import POISONED_PASSAGES
from ragassay.schemas.corpora import PASSAGES
from ragassay.schemas.defences import PASSAGE_SCORES
from ragassay.studies.poisoning.defences.scorer import DOCUMENTS, Surprise, opened, surprises

COLUMNS = ["passage_id", "text", "document_id"]


def score_passages(passages, poisoned_passages, scorer, passage_scores, of_corpus, name, kind, settings, reading):
    """In `scorer` is the folder of one that was trained here; with `of_corpus` the clean passages are scored."""
    folder = scorer[0] if scorer else None
    halves = json.loads(Path(folder, DOCUMENTS).read_text(encoding="utf-8")) if folder else {}  # document -> its half
    model = opened(name, kind, settings, folder)
    scored_by = json.dumps(model.identity, sort_keys=True)
    batches = _clean(passages, halves, model) if of_corpus else _planted(poisoned_passages, passages, halves, model)
    with tables.Writer(PASSAGE_SCORES, passage_scores) as writer:
        for ids, texts, sides in batches:
            scores = list(surprises(model, texts, sides, **reading))
            columns = {key: [getattr(surprise, key) for surprise in scores] for key in Surprise._fields}
            columns["scored_by"] = [scored_by] * len(ids)
            if ids:
                writer.write(pa.table({"passage_id": ids, "half": sides} | columns))
    log.info("%d passages scored", writer.written)


def _clean(paths, halves, model):
    """Ids, texts and halves of some passages at a time, each passage once. The scorer may have read a passage under the
    name of another document, as in a snapshot with ids of its own.
    """
    seen = set()
    for batch in (batch for path in paths for batch in tables.batches(PASSAGES, path, COLUMNS)):
        rows = [row for row in batch.to_pylist() if row["passage_id"] not in seen]
        seen.update(row["passage_id"] for row in rows)
        ids, texts, owners = ([row[name] for row in rows] for name in COLUMNS)
        yield ids, texts, [_half(*pair, halves, model) for pair in zip(owners, texts, strict=True)]


def _planted(path, passages, halves, model):
    """What was made from a passage belongs to the half of its document."""
    rows = tables.read(POISONED_PASSAGES, path, ["passage_id", "text", "made_from"]).to_pylist()
    sources, owners = {row["made_from"] for row in rows} - {None}, {}
    for batch in (batch for path in passages for batch in tables.batches(PASSAGES, path, COLUMNS)) if sources else ():
        pairs = zip(batch["passage_id"].to_pylist(), batch["document_id"].to_pylist(), strict=True)
        owners |= {name: own for name, own in pairs if name in sources}
    sides = [_half(owners.get(row["made_from"]), row["text"], halves, model) for row in rows]
    yield [row["passage_id"] for row in rows], [row["text"] for row in rows], sides


def _half(document, text, halves, model):
    return halves[document] if document in halves else model.half(text)


if __name__ == "__main__":
    run(score_passages, snakemake)
