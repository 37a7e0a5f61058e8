"""Turn the scores of probes into the metrics of the report's section. No number stands without its controls."""

from ragassay.base import tables
from ragassay.base.stage import log, run
from ragassay.schemas.probes import ALARMS, PROBE_CLASSES, PROBE_SCORES, PROBE_TRANSFERS, PROJECTIONS, PROMPT_ANSWERS
from ragassay.schemas.report import METRICS
from ragassay.studies.poisoning.probes.breakdowns import (
    alarm_rows,
    class_rows,
    curve_rows,
    headline_rows,
    map_rows,
    planted_rows,
    point_rows,
    transferred_rows,
)
from ragassay.studies.poisoning.probes.labels import UNPOISONED
from ragassay.studies.poisoning.probes.performance import (
    Group,
    area_rows,
    condition_rows,
    false_alarm_rows,
    kind_rows,
    label_rows,
    sample_rows,
)

CELL = ["dataset", "retriever", "attack"]


def measure_revprag(
    rejects, prompt_answers, probe_scores, probe_classes, projections, probe_transfers, alarms, metrics,
    resamples, seed, flips,
):  # fmt: skip
    """All arguments are files of all cells; `rejects` are those of pair_prompts, in the order of the others."""
    rows = []
    answers = tables.frame(PROMPT_ANSWERS, prompt_answers)
    without = {tuple(path.split("/")[-3:]): _reasons(path) for path in map(str, rejects)}
    for (*cell, responder, condition), own in answers.groupby([*CELL, "responder", "condition"], sort=False):
        keys = dict(zip(CELL, cell, strict=True)) | {"responder": responder, "condition": condition}
        reasons = without[(*cell[:2], f"{cell[2]}.parquet")].get(condition, {})
        rows += sample_rows(keys, own, reasons)
    groups = [*CELL, "responder", "facts", "trained_on", "condition"]
    for names, own in tables.frame(PROBE_SCORES, probe_scores).groupby(groups, sort=False):
        keys, group = dict(zip(groups, names, strict=True)), Group(own, resamples, seed)
        if keys["condition"] in UNPOISONED:
            rows += false_alarm_rows(keys, group)
            continue
        if not group.measurable:
            continue
        if keys["condition"] != keys["trained_on"]:
            rows += area_rows("transfer", keys, group)
            continue
        del keys["trained_on"]
        rows += [*condition_rows(keys, group, flips), *label_rows(keys, group), *kind_rows(keys, group)]
        rows += [*planted_rows(keys, group), *curve_rows(keys, group)]
    rows += [*headline_rows(rows), *map_rows(rows)]
    draws = resamples, seed
    rows += class_rows(tables.frame(PROBE_CLASSES, probe_classes), *draws)
    rows += point_rows(tables.frame(PROJECTIONS, projections))
    if probe_transfers:
        rows += transferred_rows(tables.frame(PROBE_TRANSFERS, probe_transfers), *draws)
    rows += alarm_rows(tables.frame(ALARMS, alarms), *draws, flips)
    tables.write(METRICS, metrics, rows)
    log.info("%d numbers", len(rows))


def _reasons(path):
    """condition -> how many questions have no such pair, by the reason."""
    counts = {}
    for row in tables.read(tables.REJECTS, path, ["item", "reason"]).to_pylist():
        reasons = counts.setdefault(row["item"].rpartition(" ")[2], {})
        reasons[row["reason"]] = reasons.get(row["reason"], 0) + 1
    return counts


if __name__ == "__main__":
    run(measure_revprag, snakemake)
