"""The report's section: every number with its controls."""

import json

from probe_study import COUNT
from ragassay import tables
from ragassay.metrics.auroc import auroc
from ragassay.schemas.metrics import METRICS
from ragassay.schemas.probe_scores import PROBE_SCORES


def metrics(study, table):
    found = {}
    for row in tables.read(METRICS, study.place("metrics")).to_pylist():
        if row["table"] == table:
            keys = json.loads(row["keys"])
            key = (keys["condition"], keys.get("facts"), keys.get("probe"), keys.get("trained_on"))
            found.setdefault(key, {})[row["metric"]] = row
    return found


def test_areas_are_those_of_the_scores_and_have_their_controls_beside_them(study):
    found = metrics(study, "conditions")
    assert {key[:2] for key in found} >= {("released", "all"), ("matched", "all"), ("matched", "unknown")}
    rows = [
        row
        for row in tables.read(PROBE_SCORES, study.place("probe_scores")).to_pylist()
        if (row["condition"], row["trained_on"], row["facts"]) == ("matched", "matched", "all")
        and row["label"] in ("correct", "poisoned")
    ]
    for name, probe in (("auroc", "logistic"), *((one, one) for one in ("control", "answer_text", "shuffled"))):
        own = [row for row in rows if row["probe"] == probe]
        expected = auroc([row["score"] for row in own], [row["label"] == "poisoned" for row in own])
        row = found["matched", "all", "logistic", None][name]
        assert abs(row["value"] - expected) < 1e-9 and row["low"] <= row["value"] <= row["high"]
        assert row["n"] == len(own)
    for own in found.values():
        assert {"auroc", "control", "answer_text", "shuffled", "over_control", "p", "tpr", "fpr"} <= own.keys()


def test_transfer_has_its_control_and_answers_are_counted(study):
    transfer = metrics(study, "transfer")
    assert {"auroc", "control"} == transfer["matched", "all", "logistic", "released"].keys()
    samples = metrics(study, "samples")["matched", None, None, None]
    counted = sum(samples[name]["value"] for name in ("correct", "poisoned", "hallucinated", "resisted", "undecided"))
    assert samples["questions"]["value"] == COUNT - 1 and counted == 2 * (COUNT - 1)
    assert samples["without_pair"]["value"] == 1
    assert metrics(study, "without_pair")["matched", None, None, None]["no_passage_answers"]["value"] == 1


def test_the_share_that_is_flagged_stands_for_each_label(study):
    rows = metrics(study, "labels")["released", "all", "logistic", None]
    assert rows["poisoned"]["value"] > 0.9 > 0.5 > rows["correct"]["value"]
