"""What defences looked at for published questions that `echo` was not designed on."""

from pathlib import Path

import pandas as pd

from ragassay.base import tables
from ragassay.metrics.panel import Panel
from ragassay.schemas.attacks import RETRIEVED, TARGETS
from ragassay.schemas.defences import FEWER_PLANTED, FILTERED
from ragassay.studies.poisoning.defences.thresholds import fold_of
from ragassay.studies.poisoning.measures.detection import judged, marked

DEPTH = 15
DESIGNED_ON = {"0", "1"}  # the folds of questions by which `echo` was designed


def looked_at(results: Path) -> dict[tuple, pd.DataFrame]:
    """(dataset, retriever, attack, defence, planted) -> what a defence looked at; nothing is the number of all texts
    that the attack plants.
    """
    questions = tables.frame(TARGETS, sorted(results.glob("targets/*.parquet"))).set_index("target_id")["question"]
    cells = {}
    for path in sorted(results.glob("filtered/*/minilm/*.parquet")):
        place = tuple(tables.keys(FILTERED, path).values())
        retrieved, fewer = (
            Path(str(path).replace("/filtered/", f"/{name}/")) for name in ("retrieved", "fewer_planted")
        )
        hits = tables.frame(RETRIEVED, [retrieved])
        part = marked(tables.frame(FEWER_PLANTED, [fewer]))
        for defence, rows in tables.frame(FILTERED, [path]).groupby("defence"):
            fewer_of = part[(part["defence"] == defence) & (part["rank"] <= DEPTH)].groupby("planted")
            for planted, seen in [(None, judged(rows, hits, DEPTH)), *fewer_of]:
                asked = [fold_of(questions[name]) not in DESIGNED_ON for name in seen["target_id"]]
                cells[(*place, defence, planted)] = seen[asked]
    return cells


def wrong(rows: pd.DataFrame) -> dict:
    """The share of clean passages that is removed; where some are planted, of these that is kept."""
    return _panel(rows).mean(*_wrong(rows)).row()


def difference(rows: pd.DataFrame, others: pd.DataFrame) -> dict:
    """How much larger that share is than behind another defence of the same passages."""
    places = [list(zip(one["target_id"], one["passage_id"], strict=True)) for one in (rows, others)]
    if places[0] != places[1]:
        raise ValueError("found other passages behind one of both defences, expected the same in the same order")
    values, counted = _wrong(rows)
    values = values - _wrong(others)[0]
    return Panel(rows["target_id"][counted], 2000, 0).difference(values[counted]).row()


def _panel(rows):
    return Panel(rows["target_id"], 2000, 0)


def _wrong(rows):
    column = "poison" if rows["poison"].any() else "clean"
    return (rows["removed"].to_numpy(bool) == (column == "clean")).astype(float), rows[column].to_numpy(bool)
