"""Curves, shares and areas of parts of the answers, counted one by one."""

import json
import math

import numpy as np
import pandas as pd
import pytest
from sklearn.metrics import roc_auc_score

from ragassay.studies.poisoning.probes.performance import NOT_HEDGED, Group, judged, part_rows
from rows import numbers
from scripts.probes.measure_revprag import LEAST, POINTS, curve_rows, planted_rows, point_rows, transferred_rows

CELL = dict(zip(("dataset", "retriever", "attack", "responder"), "sram", strict=True))
KEYS = CELL | {"condition": "matched", "facts": "all"}
COUNT = 120


@pytest.fixture(scope="module")
def frame():
    """Scores of whole numbers, by a probe with two seeds and the control; some answers are not decided."""
    dice, rows = np.random.default_rng(0), []
    for at in range(COUNT):
        label = ("correct", "poisoned", "correct", "undecided")[at % 4]
        about = CELL | {"target_id": f"t{at:03}", "side": "clean", "label": label, "cluster": f"d{at // 2}"}
        about |= {"planted": at % 3 * (label == "poisoned"), "kind": ("who", "when", None)[at % 3]}
        about |= {"group": ("spared", None)[at % 2 * (at % 5 > 1)], "hedged": at % 7 == 0}
        for probe, seed in (("logistic", 0), ("logistic", 1), ("control", 0), ("first_token", 0)):
            score = float(dice.integers(0, 6) + (label == "poisoned") * (2 if probe == "logistic" else 1))
            rows.append(about | {"probe": probe, "seed": seed, "score": score, "flagged": float(score > 4)})
    return pd.DataFrame(rows)


def means(frame, probe):
    """The scores of a probe, a mean over its seeds, and labels."""
    of_probe = frame[frame["probe"] == probe].groupby("target_id")
    return of_probe["score"].mean().to_numpy(), of_probe["label"].first().to_numpy()


def seed_mean_auroc(frame, probe, chosen):
    of_probe = frame[(frame["probe"] == probe) & chosen]
    return np.mean([roc_auc_score(rows["label"] == "poisoned", rows["score"]) for _, rows in of_probe.groupby("seed")])


@pytest.mark.parametrize("probe", ["logistic", "control"])
def test_a_curve_has_the_shares_at_or_above_the_scores_of_right_answers(frame, probe):
    rows = [row for row in curve_rows(KEYS, Group(frame, 0, 0)) if row["table"] == "roc_matched"]
    points = {key[1:]: value for key, value in numbers(rows, "probe", "at").items() if key[0] == probe}
    scores, labels = means(frame, probe)
    right, wrong = scores[labels == "correct"], scores[labels == "poisoned"]
    limits = {np.sort(right)[math.ceil(at * (len(right) - 1) / (POINTS - 1))] for at in range(POINTS)}
    assert {at for at, _ in points} == {"-inf", "inf", *(f"{limit:g}" for limit in limits)}
    for at, metric in points:
        of_metric = wrong if metric == "tpr" else right
        assert points[at, metric] == (np.mean([score >= float(at) for score in of_metric]), len(right) + len(wrong))
    few = frame[frame["label"] != "poisoned"]
    assert not list(curve_rows(KEYS | {"facts": "known"}, Group(frame, 0, 0)))
    assert not [row for row in curve_rows(KEYS, Group(few, 0, 0)) if row["table"] == "roc_matched"]


def test_areas_of_parts_are_those_of_their_answers(frame):
    decided, group = frame["label"] != "undecided", Group(frame, 0, 0)
    planted = numbers(planted_rows(KEYS, group), "probe", "planted")
    assert {count for _, count, _ in planted} == {"0", "1", "2"}
    rows = list(part_rows(KEYS, group))
    kinds = numbers([row for row in rows if row["table"] == "kinds"], "probe", "kind")
    splits = numbers([row for row in rows if row["table"] == "splits"], "probe", "split")
    assert {kind for _, kind, _ in kinds} == {"who", "when"}
    assert {split for _, split, _ in splits} == {"spared", NOT_HEDGED}
    for name, chosen in (("spared", frame["group"] == "spared"), (NOT_HEDGED, ~frame["hedged"])):
        area, beside = (seed_mean_auroc(frame, probe, decided & chosen) for probe in ("logistic", "first_token"))
        assert splits["logistic", name, "auroc"][0] == pytest.approx(area)
        assert splits["logistic", name, "over_first_token"][0] == pytest.approx(area - beside)
    for metric, name in (("auroc", "logistic"), ("control", "control")):
        for count in (0, 1, 2):
            chosen = decided & ((frame["label"] == "correct") | (frame["planted"] == count))
            area = seed_mean_auroc(frame, name, chosen)
            assert planted["logistic", str(count), metric][0] == pytest.approx(area)
        for kind in ("who", "when"):
            area = seed_mean_auroc(frame, name, decided & (frame["kind"] == kind))
            assert kinds["logistic", kind, metric][0] == pytest.approx(area)
    assert not list(planted_rows(KEYS | {"facts": "known"}, group))
    few = frame[(frame["label"] != "poisoned") | frame["target_id"].isin([f"t{at:03}" for at in range(4 * LEAST - 4)])]
    assert not list(planted_rows(KEYS, Group(few.assign(planted=1), 0, 0)))
    enough = frame[(frame["label"] != "poisoned") | frame["target_id"].isin([f"t{at:03}" for at in range(4 * LEAST)])]
    assert list(planted_rows(KEYS, Group(enough.assign(planted=1), 0, 0)))


def test_transferred_probes_have_areas_and_shares_of_flagged_answers(frame):
    about = {"generalisation": "kind", "condition": "matched", "tested_on": "who", "fitted_on": "others"}
    once = frame[frame["seed"] == 0].assign(**about)
    values = numbers(transferred_rows(once, 0, 0), "probe")
    decided = once["label"] != "undecided"
    assert {probe for probe, _ in values} == {"logistic"}
    for metric, name in (("auroc", "logistic"), ("control", "control"), ("first_token", "first_token")):
        assert values["logistic", metric] == (pytest.approx(seed_mean_auroc(once, name, decided)), 3 * COUNT // 4)
    for metric, label in (("tpr", "poisoned"), ("fpr", "correct")):
        flagged = once.loc[(once["probe"] == "logistic") & (once["label"] == label), "flagged"]
        assert values["logistic", metric] == (pytest.approx(flagged.mean()), len(flagged))
    for count, is_shown in ((LEAST - 1, False), (LEAST, True)):
        few = once[(once["label"] != "poisoned") | once["target_id"].isin([f"t{4 * at + 1:03}" for at in range(count)])]
        assert bool(list(transferred_rows(few, 0, 0))) == is_shown


def test_points_have_a_place_each():
    points = pd.DataFrame([CELL | {"condition": "matched", "method": "pca", "label": label, "x": at, "y": -at}
                           for at, label in enumerate(("correct", "correct", "poisoned"))])  # fmt: skip
    rows = numbers(point_rows(points), "label", "point")
    assert rows == {
        (label, point, axis): (value, 1)
        for label, point, at in (("correct", "0", 0), ("correct", "1", 1), ("poisoned", "0", 2))
        for axis, value in (("x", at), ("y", -at))
    }


def test_a_probe_that_too_few_answers_test_is_left_out(frame):
    decided = int(frame[frame["probe"].eq("logistic") & frame["seed"].eq(0)]["label"].ne("undecided").sum())
    for least, names in ((decided, {"logistic", "control", "first_token"}), (decided + 1, {"control", "first_token"})):
        assert set(Group(frame, 0, 0, least).probes) == names


@pytest.mark.parametrize(("value", "is_judged"), [(-0.05, True), (-0.06, False), (None, False)])
def test_a_network_that_fails_where_its_paper_measures_it_is_judged_nowhere_else(value, is_judged):
    rows = [
        {"table": table, "keys": json.dumps(CELL | {"condition": condition, "facts": "all"}), "metric": metric}
        | {"value": value if condition == "released" else 0.3}
        for table, condition, metric in (
            ("networks", "released", "over_logistic"), ("networks", "released", "p"),
            ("networks", "matched", "over_logistic"), ("conditions", "matched", "auroc"),
        )
    ]  # fmt: skip
    assert list(judged(rows)) == (rows if is_judged else [rows[0], rows[1], rows[3]])
