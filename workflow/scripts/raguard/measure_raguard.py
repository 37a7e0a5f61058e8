"""Measure what defences remove, miss and cost, each attack and defence in the same way: the report's section."""

from ragassay import tables
from ragassay.defences import guard_file
from ragassay.metrics.panel import Panel
from ragassay.raguard import detection
from ragassay.raguard.calibration import null_rows
from ragassay.raguard.comparison import difference_rows
from ragassay.raguard.utility import answer_rows, failure_rows
from ragassay.schemas.answers import ANSWERS
from ragassay.schemas.filtered import FILTERED
from ragassay.schemas.metrics import METRICS
from ragassay.schemas.poisoned_passages import POISONED_PASSAGES
from ragassay.schemas.raguard_sweeps import RAGUARD_SWEEPS
from ragassay.schemas.retrieved import RETRIEVED
from ragassay.schemas.targets import TARGETS
from ragassay.stage import log, run

CELL = ["dataset", "retriever", "attack", "defence"]


def measure_raguard(
    targets, poisoned_passages, retrieved, filtered, guards, answers, raguard_sweeps, metrics, k, depth, resamples, seed
):
    """`filtered` are files of all cells; the others, of what these name. `guards` are those of fitted defences."""
    wanted, planted = tables.frame(TARGETS, targets), tables.frame(POISONED_PASSAGES, poisoned_passages)
    found = dict(list(tables.frame(RETRIEVED, retrieved).groupby(CELL[:3], sort=False)))
    given = dict(list(tables.frame(ANSWERS, answers).groupby([*CELL, "responder"], sort=False)))
    cards = {guard_file.place(path): guard_file.read(path) for path in guards}
    rows, judged = [], {}
    for cell, own in tables.frame(FILTERED, filtered).groupby(CELL, sort=False):
        keys, looked = dict(zip(CELL, cell, strict=True)), detection.judged(own, found[cell[:3]], depth)
        panel, judged[cell] = Panel(looked["target_id"], resamples, seed), looked
        rows += detection.detection_rows(keys, looked, panel)
        rows += detection.ranking_rows(keys, looked, panel)
        rows += detection.alarm_rows(keys, looked)
        asked = wanted.loc[wanted["dataset"] == cell[0], "target_id"]
        aimed = planted[(planted["dataset"] == cell[0]) & (planted["attack"] == cell[2])]
        rows += failure_rows(keys, asked, aimed, own, looked)
        rows += null_rows(keys, looked, cards.get((cell[0], cell[1], cell[3])))
    rows += difference_rows(judged, resamples, seed)
    rows += answer_rows(given, wanted, k, resamples, seed)
    rows += tables.read_all(RAGUARD_SWEEPS, raguard_sweeps).to_pylist()
    tables.write(METRICS, metrics, rows)
    log.info("%d numbers of %d cells", len(rows), len(judged))


if __name__ == "__main__":
    run(measure_raguard, snakemake)
