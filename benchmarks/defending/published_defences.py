"""Published targets and passages behind defences, all at one share of false alarms."""

import json

import pyarrow.parquet as pq

from common import clone
from defending import ragdefender_package
from poison import published_targets
from ragassay.base import tables
from ragassay.schemas.attacks import RETRIEVED, TARGETS
from ragassay.schemas.defences import FILTERED
from ragassay.studies.poisoning.defences.null import fold_of
from ragassay.studies.poisoning.measures.comparison import difference_rows
from ragassay.studies.poisoning.measures.detection import judged

RESULT, DEPTH = "results/metrics/raguard.parquet", 15
DESIGNED_ON = {"0", "1"}  # the folds of questions by which `echo` was designed
ATTACKS = {  # in figures -> name
    "black": "poisonedrag_black", "bare": "poisonedrag_bare", "black_1": "black_1", "bare_1": "bare_1",
    "outdated": "outdated", "edited": "edited", "knows_raguard": "adaptive_threshold", "knows_echo": "adaptive_echo",
}  # fmt: skip
ONE = {f"{name}_1": {"kind": f"poisonedrag_{name}", "settings": {"texts": 1}} for name in ("black", "bare")}
KNOWING = {  # attacks that ask a filter, which is bound to find less of them than others do
    name: {"kind": "adaptive_threshold", "settings": {"filter": own, "texts": 2, "candidates": 12, "targets": None}}
    for name, own in (("adaptive_threshold", "raguard"), ("adaptive_echo", "echo"))
}
DEFENCES = {
    "similarity": {"kind": "raguard", "settings": {"criteria": ["ts"]}},
    "literal": {"kind": "raguard", "settings": {"criteria": ["ts"], "similarity_null": "literal", "doublings": 0}},
    "found_null": {"kind": "raguard", "settings": {"surprise_null": "found"}},
    "near_duplicates": {"kind": "duplicates", "settings": {"similarity": 0.6}},
}
CALIBRATED = ("raguard", "found_null")  # a sample of the corpus promises nothing of what questions find
BASES = ("raguard", "similarity")  # what `echo` is compared with
COMPARED = ["raguard", "similarity", "ppl", "ppl_window", "trustrag", "ragdefender", "near_duplicates"]
COMPARED += ["question_share", "echo"]
WANTED = {  # alone, by the threshold that alpha 2.5 % gives
    ("nq", "poisonedrag_black", "similarity", "fpr"): "<= 0.05",
    ("nq", "poisonedrag_black", "similarity", "fnr"): "<= 0.13",
    ("nq", "none", "literal", "fpr"): "> 0.8",
}


def configured(project) -> dict:
    settings = published_targets.configured(project)
    settings |= {"attacks": ONE | KNOWING, "defences": DEFENCES}
    settings["under_attack"] = {"cells": [
        _cell(attacks=["none", *ATTACKS.values()], defences=COMPARED),
        _cell(attacks=["none"], defences=["literal", "found_null"]),
    ]}  # fmt: skip
    return settings


def _cell(**more):
    return {"datasets": ["nq", "realtimeqa"], "retrievers": ["minilm"]} | more


def measure(figure, project=None) -> None:
    clone.result(RESULT, configured, lambda path: _figures(figure, path), project)


def _figures(figure, path):
    names = {name: short for short, name in ATTACKS.items()} | {"none": "clean"}
    for row in pq.read_table(path).to_pylist():
        keys = json.loads(row["keys"])
        if "defence" not in keys:  # a sweep of settings
            continue
        cell = (keys["dataset"], keys["attack"], keys["defence"])
        name = f"{cell[0]}_{names[cell[1]]}_{cell[2]}"
        if row["table"] == "detection" and (target := WANTED.get((*cell, row["metric"]))):
            figure(f"{name}_{row['metric']}", row["value"], "share", target)
        elif row["table"] == "matched" and row["metric"] == "tpr_at_5":
            figure(f"{name}_found_at_5_percent", row["value"], "share")
        elif row["table"] == "calibration" and row["metric"] == "removed" and cell[2] in CALIBRATED:
            own = f"{name}_{keys['criterion']}_null_rate"
            if keys["criterion"] == "any":
                figure(own, row["value"], "share")
            else:
                target = "== 1" if cell[2] == "found_null" or keys["criterion"] == "ts" else None
                figure(f"{own}_within_the_interval", row["low"] <= 0.025 <= row["high"], "bool", target)
                figure(own, row["value"], "share")
    for base in BASES:
        _comparison(figure, path.parents[1], names, base)
    ragdefender_package.measure(figure, path.parents[1], names)


def _comparison(figure, results, names, base):
    """`echo` beside another defence on questions that it was not designed on."""
    questions = tables.frame(TARGETS, sorted(results.glob("targets/*.parquet"))).set_index("target_id")["question"]
    cells = {}
    for defence in (base, "echo"):
        for path in sorted(results.glob(f"filtered/*/minilm/*/{defence}.parquet")):
            cell = tuple(tables.keys(FILTERED, path).values())
            found = results / "retrieved" / cell[0] / cell[1] / f"{cell[2]}.parquet"
            rows = judged(tables.frame(FILTERED, [path]), tables.frame(RETRIEVED, [found]), DEPTH)
            cells[cell] = rows[[fold_of(questions[name]) not in DESIGNED_ON for name in rows["target_id"]]]
    better, worse, differences = set(), 0, {}
    for row in difference_rows(cells, 2000, 0, base):
        keys = json.loads(row["keys"])
        cell = f"{keys['dataset']}_{names[keys['attack']]}"
        figure(f"echo_beyond_{base}_{cell}_{row['metric']}", row["value"], row["metric"])
        if row["metric"] == "difference":
            differences[cell] = row["value"]
        elif row["value"] < 0.05 and keys["attack"] not in KNOWING:
            worse += differences[cell] < 0
            better |= _settings(keys) if differences[cell] > 0 else set()
    aimed = base == BASES[0]
    figure(f"echo_better_than_{base}", len(better), "settings_of_3", ">= 2" if aimed else None)
    figure(f"echo_worse_than_{base}", worse, "cells", "== 0" if aimed else None)


def _settings(keys):
    """Which of the settings that count a cell belongs to."""
    found = {"one text"} if keys["attack"] in ONE else set()
    found |= {"bare nq"} if (keys["dataset"], keys["attack"]) == ("nq", "poisonedrag_bare") else set()
    return found | ({"realtimeqa"} if keys["dataset"] == "realtimeqa" else set())
