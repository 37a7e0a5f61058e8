"""Measure what defences remove, miss and cost, each attack and defence in the same way: the report's section."""

from ragassay.base import tables
from ragassay.base.stage import log, run
from ragassay.metrics.panel import Panel
from ragassay.schemas.attacks import ANSWERS, FOUND_REWRITTEN, POISONED_PASSAGES, RETRIEVED, TARGETS
from ragassay.schemas.defences import FILTERED, RAGUARD_SWEEPS, SWEEP_ANSWERS
from ragassay.schemas.report import METRICS
from ragassay.studies.poisoning.defences import guard_card
from ragassay.studies.poisoning.measures import detection, utility

CELL = ["dataset", "retriever", "attack", "defence"]


def measure_raguard(
    targets, poisoned_passages, retrieved, found_rewritten, filtered, quarantine, guards, answers, raguard_sweeps,
    sweep_answers, metrics, depth, forwards, resamples, seed,
):  # fmt: skip
    """`filtered` are files of all cells; the others, of what these name. `guards` are those of fitted defences;
    `forwards` says how often each scorer runs its model for a passage.
    """
    wanted, planted = tables.frame(TARGETS, targets), tables.frame(POISONED_PASSAGES, poisoned_passages)
    retrievals = dict(list(tables.frame(RETRIEVED, retrieved).groupby(CELL[:3], sort=False)))
    retrievals |= dict(list(tables.frame(FOUND_REWRITTEN, found_rewritten).groupby(CELL, sort=False)))
    given = tables.frame(ANSWERS, answers).groupby([*CELL, "responder"], sort=False)
    given = {cell: rows_of_cell.set_index("target_id") for cell, rows_of_cell in given}
    cards = {guard_card.place(path): guard_card.read(path) for path in guards}
    rows, judged = [], {}
    for cell, rows_of_cell in tables.frame(FILTERED, filtered).groupby(CELL, sort=False):
        hits = retrievals[cell if cell in retrievals else cell[:3]]
        keys, looked = dict(zip(CELL, cell, strict=True)), detection.judged(rows_of_cell, hits, depth)
        panel, judged[cell] = Panel(looked["target_id"], resamples, seed), looked
        rows += detection.detection_rows(keys, looked, panel)
        rows += detection.ranking_rows(keys, looked, panel)
        rows += detection.alarm_rows(keys, looked, panel)
        asked = hits["target_id"].drop_duplicates()  # some attacks are tried on a few targets
        aimed = planted[(planted["dataset"] == cell[0]) & (planted["attack"] == cell[2])]
        rows += utility.failure_rows(keys, asked, aimed, rows_of_cell, looked)
        card = cards.get((cell[0], cell[1], cell[3]))
        rows += detection.null_rows(keys, looked, card)
        rows += utility.cost_rows(keys, rows_of_cell, len(asked), forwards.get(card["scorer"], 0) if card else 0)
    for (dataset, retriever, defence), card in cards.items():
        keys = {"dataset": dataset, "retriever": retriever, "attack": utility.CLEAN, "defence": defence}
        rows += detection.size_rows(keys, card)
    rows += detection.difference_rows(judged, resamples, seed)
    rows += utility.answer_rows(given, judged, wanted, resamples, seed)
    rows += utility.answer_difference_rows(given, resamples, seed)
    for cell, rows_of_cell in given.items():
        rows += utility.asking_rows(dict(zip(utility.NAMES, cell, strict=True)), rows_of_cell)
    rows += tables.read_all(RAGUARD_SWEEPS, raguard_sweeps).to_pylist()
    rows += utility.sweep_rows(tables.frame(SWEEP_ANSWERS, sweep_answers), given, resamples, seed)
    rows += (row for path in quarantine for row in detection.screening_rows(path))
    rows += list(utility.empty_rows(rows))
    tables.write(METRICS, metrics, rows)
    log.info("%d numbers of %d cells", len(rows), len(judged))


if __name__ == "__main__":
    run(measure_raguard, snakemake)
