"""Measure RAGuard under other settings: the rows of the table of sweeps. Reads stored scores, like a defence itself,
and asks no model: what it leaves to answer from is a table that others read.
"""

from ragassay.base import tables
from ragassay.base.stage import log, run
from ragassay.schemas.attacks import POISONED_PASSAGES, RETRIEVED, TARGETS
from ragassay.schemas.corpora import NEIGHBOURS
from ragassay.schemas.defences import PASSAGE_SCORES, RAGUARD_SWEEPS, SWEEP_SHOWN
from ragassay.studies.poisoning.defences.evidence import Evidence, sample
from ragassay.studies.poisoning.defences.thresholds import LITERAL
from ragassay.studies.poisoning.measures.sweeps import Sweep, related_rows


def sweep_raguard(
    targets, neighbours, passages, poisoned_passages, passage_scores, retrieved, raguard_sweeps, sweep_shown,
    rows, keys, related, similarity, encoder, embeddings, resamples, seed,
):  # fmt: skip
    """`poisoned_passages` and `retrieved` are files of the attacks in `rows`, in one order. Of `passages` the last are
    those that samples are drawn from.
    """
    found = {tables.keys(RETRIEVED, path)["attack"]: tables.read(RETRIEVED, path).to_pylist() for path in retrieved}
    planted = tables.read_all(POISONED_PASSAGES, poisoned_passages, ["passage_id", "number"])
    numbers = dict(zip(planted["passage_id"].to_pylist(), planted["number"].to_pylist(), strict=True))
    made, shown = [], []
    for name in dict.fromkeys(row["scorer"] for row in rows):
        scores = [path for path in passage_scores if tables.keys(PASSAGE_SCORES, path)["scorer"] == name]
        evidence = Evidence(targets, passages, poisoned_passages, scores, encoder, embeddings)
        clean = evidence.by_target(_clean(neighbours))
        attacked = {attack: evidence.by_target(rows) for attack, rows in found.items()}
        own = [row for row in rows if row["scorer"] == name]
        for draw in dict.fromkeys(map(_draw, own)):
            alike = [row for row in own if _draw(row) == draw]
            drawn = evidence.rows(sample(passages[-1:], [], *draw))
            literal = any(row["settings"].get("similarity_null") == LITERAL for row in alike)
            similarities = evidence.similarities(drawn, similarity) if literal else None
            sweep = Sweep(evidence.questions, drawn, clean, attacked, numbers, similarities)
            for row in alike:
                looked = sweep.judged(row)
                made += sweep.rows(keys, row, looked, resamples, seed)
                shown += sweep.shown(row, looked)
    made += related_rows(keys, tables.read(TARGETS, targets).to_pylist(), clean, related)
    tables.write(RAGUARD_SWEEPS, raguard_sweeps, made)
    tables.write(SWEEP_SHOWN, sweep_shown, shown)
    log.info("%d rows of sweeps, %d numbers", len(rows), len(made))


def _draw(row):
    return row["sample"], row["seed"]


def _clean(path):
    for row in tables.read(NEIGHBOURS, path).to_pylist():
        yield row | {"target_id": row["query_id"], "poisoned": False, "aimed_at": None}


if __name__ == "__main__":
    run(sweep_raguard, snakemake)
