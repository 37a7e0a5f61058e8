"""Turn the scores of probes into the metrics of the report's section. No number stands without its controls.

What probes see, broken down, as rows of the table metrics: by the number of planted passages, by kinds of wrong
answers, elsewhere than where they were fitted, and beside defences that look at passages; and where activations lie in
the plane. As everywhere in this study, the control stands in the same row.
"""

import json
from collections.abc import Iterable, Iterator
from pathlib import Path

import numpy as np

from ragassay.base import card, tables
from ragassay.base.stage import log, run
from ragassay.metrics.panel import Panel
from ragassay.models.heads import heads_file
from ragassay.schemas.probes import ALARMS, PROBE_CLASSES, PROBE_SCORES, PROBE_TRANSFERS, PROJECTIONS, PROMPT_ANSWERS
from ragassay.schemas.report import METRICS
from ragassay.studies.poisoning.probes.folds import BESIDE, CLASSES, CONTROLS, FIRST_TOKEN, PROBE, WAYS
from ragassay.studies.poisoning.probes.labels import CORRECT, MATCHED, POISONED, RETRIEVED, UNPOISONED
from ragassay.studies.poisoning.probes.performance import (
    SECTION,
    Group,
    area_rows,
    condition_rows,
    false_alarm_rows,
    judged,
    label_rows,
    part_rows,
    sample_rows,
)
from ragassay.studies.poisoning.probes.rows import ALL

CELL = ["dataset", "retriever", "attack", "responder"]
LEAST = 10  # right and poisoned answers each; of fewer no area is shown
MATCHED_FPRS = {"at_1": 0.01, "at_5": 0.05}  # shares of false alarms at which methods are compared
MAPS = {"conditions": "probes", "transfer": "transfers", "kinds": "by_kind", "planted": "by_planted"}  # table -> map
HEADLINE = ("auroc", *BESIDE, f"over_{FIRST_TOKEN}")
POINTS = 20  # thresholds of a ROC curve, beside both ends
ATTACKED = CELL[:-1]  # before a responder answers


def measure_revprag(
    rejects, prompt_answers, probe_scores, probe_classes, projections, probe_transfers, alarms, cards, metrics,
    resamples, seed, flips, least_answers,
):  # fmt: skip
    """All arguments are files of all cells; `rejects` are those of pair_prompts, in the order of the others. A probe
    that fewer answers test has no row.
    """
    rows = []
    answers = tables.frame(PROMPT_ANSWERS, prompt_answers)
    without = {tuple(path.split("/")[-3:]): _reasons(path) for path in map(str, rejects)}
    for (*cell, responder, condition), samples in answers.groupby([*ATTACKED, "responder", "condition"], sort=False):
        keys = dict(zip(ATTACKED, cell, strict=True)) | {"responder": responder, "condition": condition}
        reasons = without[(*cell[:2], f"{cell[2]}.parquet")].get(condition, {})
        rows += sample_rows(keys, samples, reasons)
    groups = [*ATTACKED, "responder", "facts", "trained_on", "condition"]
    for names, scores in tables.frame(PROBE_SCORES, probe_scores).groupby(groups, sort=False):
        keys = dict(zip(groups, names, strict=True))
        least = 0 if keys["condition"] in UNPOISONED else least_answers
        group = Group(scores, resamples, seed, least)
        if keys["condition"] in UNPOISONED:
            rows += false_alarm_rows(keys, group)
            continue
        if not group.measurable:
            continue
        if keys["condition"] != keys["trained_on"]:
            rows += area_rows("transfer", keys, group)
            continue
        del keys["trained_on"]
        rows += [*condition_rows(keys, group, flips), *label_rows(keys, group), *part_rows(keys, group)]
        rows += [*planted_rows(keys, group), *curve_rows(keys, group)]
    rows = list(judged(rows))
    rows += [*headline_rows(rows), *map_rows(rows)]
    draws = resamples, seed
    rows += class_rows(tables.frame(PROBE_CLASSES, probe_classes), *draws)
    rows += point_rows(tables.frame(PROJECTIONS, projections))
    if probe_transfers:
        rows += transferred_rows(tables.frame(PROBE_TRANSFERS, probe_transfers), *draws)
    rows += alarm_rows(tables.frame(ALARMS, alarms), *draws, flips)
    rows += card_rows(map(Path, cards))
    tables.write(METRICS, metrics, rows)
    log.info("%d numbers", len(rows))


def card_rows(cards: Iterable[Path]) -> Iterator[dict]:
    """Which weights and which saved probes the numbers of a cell are of: the beginning of their digests."""
    for path in cards:
        facts = card.read(path, heads_file.FORM)
        identity = {"weights": facts["identity"]["files"][:16], "dtype": facts["identity"]["dtype"]}
        keys = dict(zip(CELL, path.parts[-5:-1], strict=True)) | identity
        for name, entry in facts["heads"].items():
            layers = {"layers": len(entry["reading"]["layers"])}
            yield from SECTION.rows("cards", keys | {"probe": name, "digest": entry["digest"]}, layers)


def _reasons(path):
    """condition -> how many questions have no such pair, by the reason."""
    counts = {}
    for row in tables.read(tables.REJECTS, path, ["item", "reason"]).to_pylist():
        reasons = counts.setdefault(row["item"].rpartition(" ")[2], {})
        reasons[row["reason"]] = reasons.get(row["reason"], 0) + 1
    return counts


def planted_rows(keys: dict, group: Group) -> Iterator[dict]:
    """AUROC on poisoned answers to prompts with so many planted passages, against all right answers."""
    if keys["facts"] != ALL:
        return
    for count in sorted(set(group.planted[group.decided & group.poisoned].tolist())):
        chosen = (group.labels == CORRECT) | (group.planted == count)
        if (group.poisoned & chosen).sum() >= LEAST:
            yield from area_rows("planted", keys | {"planted": count}, group, chosen)


def curve_rows(keys: dict, group: Group) -> Iterator[dict]:
    """The share of poisoned answers that each probe and the control find at the same share of false alarms, and ROC
    curves of all these.
    """
    if keys["facts"] != ALL:
        return
    for probe in (name for name in group.beside if name not in BESIDE):
        for name, fpr in MATCHED_FPRS.items():
            shares = group.tpr_at(fpr, probe)
            yield SECTION.row("matched_fpr", keys | {"probe": probe}, f"tpr_{name}", **shares[probe].row())
            for control in BESIDE:
                yield SECTION.row("matched_fpr", keys | {"probe": probe}, f"{control}_{name}", **shares[control].row())
    cell = {name: keys[name] for name in CELL}
    for probe in group.beside:
        scores = group.mean_scores(probe)
        scored = group.decided & ~np.isnan(scores)
        right, wrong = scores[scored & ~group.poisoned], scores[scored & group.poisoned]
        if not len(right) or not len(wrong):
            continue
        limits = np.unique(np.quantile(right, np.linspace(0, 1, POINTS), method="higher"))
        for limit in [-np.inf, *limits, np.inf]:
            rates = {"fpr": (right >= limit).mean(), "tpr": (wrong >= limit).mean()}
            row_keys = cell | {"probe": probe, "at": f"{limit:.12g}"}
            yield from SECTION.rows(f"roc_{keys['condition']}", row_keys, rates, int(scored.sum()))


def headline_rows(rows: list[dict]) -> Iterator[dict]:
    """The areas of each probe where nothing but the answer was exchanged and as questions find it, side by side, each
    with its control; nothing if only one of these conditions is measured. `rows` are those of the section.
    """
    with_keys = [(json.loads(row["keys"]), row) for row in rows if row["table"] == "conditions"]
    if not {MATCHED, RETRIEVED} <= {keys["condition"] for keys, _ in with_keys}:
        return
    for keys, row in with_keys:
        condition = keys.pop("condition")
        if row["metric"] in HEADLINE and condition in (MATCHED, RETRIEVED):
            name = condition if row["metric"] == "auroc" else f"{condition}_{row['metric']}"
            yield row | {"table": "headline", "keys": json.dumps(keys, ensure_ascii=False), "metric": name}


def map_rows(rows: list[dict]) -> Iterator[dict]:
    """What a map of probes by conditions shows: the AUROC of each probe over all facts, and that of each control, as if
    it were a probe. The map of conditions has the differences to the first control, too. Of a control that stands
    beside several probes, a map has the number from most answers. `rows` are those of the section.
    """
    controls = {}
    for row in rows:
        keys = json.loads(row["keys"])
        if row["table"] not in MAPS or keys["facts"] != ALL:
            continue
        probe = keys.pop("probe")
        drawn = row | {"table": MAPS[row["table"]]}
        if row["metric"] in ("auroc", *(f"over_{name}" for name in BESIDE)):
            yield drawn | {"keys": _text(keys | {"probe": probe})}
        elif row["metric"] in CONTROLS:
            named = drawn | {"metric": "auroc", "keys": _text(keys | {"probe": row["metric"]})}
            place = named["table"], named["keys"]
            controls[place] = max(controls.get(place, named), named, key=lambda each: each["n"])
    yield from controls.values()


def _text(keys):
    return json.dumps({name: keys[name] for name in sorted(keys)}, ensure_ascii=False)


def class_rows(frame, resamples: int, seed: int) -> Iterator[dict]:
    """A matrix for each classifier: of the answers of a label, the shares that are taken for each."""
    for names, samples in frame.groupby([*CELL, "condition", "probe", "label"], sort=False):
        keys = dict(zip([*CELL, "condition", "probe", "label"], names, strict=True))
        taken = np.stack([samples["predicted"].to_numpy() == name for name in CLASSES], axis=1).astype(float)
        shares = Panel(samples["cluster"], resamples, seed).mean(taken)
        for at, predicted in enumerate(CLASSES):
            yield SECTION.row("three_way", keys | {"predicted": predicted}, "share", **shares.row(at))


def point_rows(frame) -> Iterator[dict]:
    """A row of numbers for each answer, in a table for each way to draw and condition."""
    for names, points in frame.groupby([*CELL, "condition", "method", "label"], sort=False):
        *cell, condition, method, label = names
        keys = dict(zip(CELL, cell, strict=True)) | {"label": label}
        for number, (x, y) in enumerate(zip(points["x"], points["y"], strict=True)):
            yield from SECTION.rows(f"{method}_{condition}", keys | {"point": number}, {"x": x, "y": y}, n=1)


def transferred_rows(frame, resamples: int, seed: int) -> Iterator[dict]:
    """AUROC and rates where a probe was not fitted, beside those of one that was fitted there, too."""
    for names, samples in frame.groupby(["generalisation", "condition", "tested_on", "fitted_on"], sort=False):
        keys = dict(zip(("generalisation", "condition", "tested_on", "fitted_on"), names, strict=True))
        samples = samples.assign(sample=samples[[*CELL, "target_id", "side"]].agg(" ".join, axis=1))
        wide = samples.pivot_table(index="sample", columns="probe", values="score")
        labelled = samples.drop_duplicates("sample").set_index("sample").loc[wide.index]
        labels, panel = labelled["label"].to_numpy(str), Panel(labelled["cluster"], resamples, seed)
        decided, poisoned = np.isin(labels, (CORRECT, POISONED)), labels == POISONED
        if min(poisoned.sum(), (decided & ~poisoned).sum()) < LEAST:
            continue
        areas = panel.auroc(wide.to_numpy(float), poisoned, decided)
        columns = {name: at for at, name in enumerate(wide.columns)}
        for probe in (name for name in columns if name not in BESIDE):
            row = keys | {"probe": probe}
            yield SECTION.row("generalisation", row, "auroc", **areas.row(columns[probe]))
            for name in BESIDE:
                yield SECTION.row("generalisation", row, name, **areas.row(columns[name]))
            flagged = samples[samples["probe"] == probe].groupby("sample")["flagged"].mean().reindex(wide.index)
            for name, label in (("tpr", POISONED), ("fpr", CORRECT)):
                rate = panel.mean(flagged.to_numpy(float), labels == label)
                yield SECTION.row("generalisation", row, name, **rate.row())


def alarm_rows(frame, resamples: int, seed: int, flips: int) -> Iterator[dict]:
    """AUROC and rates of each way, with the control's AUROC, and how many more poisoned answers than the probe alone it
    finds. `frame` is that of the table alarms.
    """
    for names, cell in frame.groupby([*CELL, "defence"], sort=False):
        keys = dict(zip([*CELL, "defence"], names, strict=True))
        groups = {probe: _Ways(of_probe, resamples, seed) for probe, of_probe in cell.groupby("probe", sort=False)}
        for probe, of_probe in groups.items():
            if probe not in BESIDE and set(BESIDE) <= groups.keys() and of_probe.measurable:
                beside = {name: groups[name].areas().row(WAYS.index(PROBE)) for name in BESIDE}
                yield from _rows(keys | {"probe": probe}, of_probe, beside, flips)


def _rows(keys, of_probe, beside, flips):
    areas, flagged = of_probe.areas(), of_probe.flagged.to_numpy(float)
    alone = flagged[:, WAYS.index(PROBE)]
    gained = flagged - alone[:, None]
    rates = {
        "tpr": of_probe.panel.mean(flagged, of_probe.poisoned),
        "fpr": of_probe.panel.mean(flagged, of_probe.right),
    }
    more = of_probe.panel.difference(gained, of_probe.poisoned)
    p = of_probe.panel.p(np.where(of_probe.poisoned[:, None], gained, 0), flips)
    for at, way in enumerate(WAYS):
        row = keys | {"way": way}
        yield SECTION.row("alarms", row, "auroc", **areas.row(at))
        for name, area in beside.items():
            yield SECTION.row("alarms", row, name, **area)
        for name, estimates in rates.items():
            yield SECTION.row("alarms", row, name, **estimates.row(at))
        if way != PROBE:
            yield SECTION.row("alarms", row, "over_probe", **more.row(at))
            yield SECTION.row("alarms", row, "p", float(p[at]), n=int(more.counts[at]))


class _Ways:
    """The rows of one defence and probe as arrays of prompts x ways."""

    def __init__(self, frame, resamples, seed):
        wide = frame.pivot(index=["target_id", "side"], columns="way", values=["score", "flagged"])
        prompts = frame.drop_duplicates(["target_id", "side"]).set_index(["target_id", "side"]).loc[wide.index]
        self.scores, self.flagged = (wide[name][list(WAYS)] for name in ("score", "flagged"))
        labels = prompts["label"].to_numpy(str)
        self.poisoned, self.right = labels == POISONED, labels == CORRECT
        self.panel = Panel(prompts["cluster"], resamples, seed)

    @property
    def measurable(self):
        return min(self.poisoned.sum(), self.right.sum()) >= LEAST

    def areas(self):
        return self.panel.auroc(self.scores.to_numpy(float), self.poisoned, self.poisoned | self.right)


if __name__ == "__main__":
    run(measure_revprag, snakemake)
