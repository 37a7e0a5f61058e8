"""Measure RAGuard under other settings: the rows of the table of sweeps. Reads stored scores, like a defence itself."""

from ragassay import tables
from ragassay.defences.evidence import Evidence
from ragassay.defences.null import LITERAL
from ragassay.defences.samples import sample
from ragassay.raguard.related import related_rows
from ragassay.raguard.sweeps import Sweep
from ragassay.schemas.neighbours import NEIGHBOURS
from ragassay.schemas.poisoned_passages import POISONED_PASSAGES
from ragassay.schemas.raguard_sweeps import RAGUARD_SWEEPS
from ragassay.schemas.retrieved import RETRIEVED
from ragassay.schemas.targets import TARGETS
from ragassay.stage import log, run


def sweep_raguard(
    targets, neighbours, passages, poisoned_passages, passage_scores, retrieved, raguard_sweeps,
    rows, keys, size, related, similarity, encoder, embeddings, resamples, seed,
):  # fmt: skip
    """`poisoned_passages` and `retrieved` are files of the attacks in `rows`, in one order."""
    evidence = Evidence(targets, passages, poisoned_passages, passage_scores, encoder, embeddings)
    clean = evidence.by_target(_clean(neighbours))
    drawn = evidence.rows(sample(passages, [], size, 0))
    literal = any(row["settings"].get("similarity_null") == LITERAL for row in rows)
    attacked = {tables.keys(RETRIEVED, path)["attack"]: tables.read(RETRIEVED, path).to_pylist() for path in retrieved}
    attacked = {name: evidence.by_target(found) for name, found in attacked.items()}
    planted = tables.read_all(POISONED_PASSAGES, poisoned_passages, ["passage_id", "number"])
    numbers = dict(zip(planted["passage_id"].to_pylist(), planted["number"].to_pylist(), strict=True))
    similarities = evidence.similarities(drawn, similarity) if literal else None
    sweep = Sweep(evidence.questions, drawn, clean, attacked, numbers, similarities)
    found = [number for row in rows for number in sweep.rows(keys, row, resamples, seed)]
    found += related_rows(keys, tables.read(TARGETS, targets).to_pylist(), clean, related)
    tables.write(RAGUARD_SWEEPS, raguard_sweeps, found)
    log.info("%d rows of sweeps, %d numbers", len(rows), len(found))


def _clean(path):
    for row in tables.read(NEIGHBOURS, path).to_pylist():
        yield row | {"target_id": row["query_id"], "poisoned": False, "aimed_at": None}


if __name__ == "__main__":
    run(sweep_raguard, snakemake)
