"""Folds: what is tested was neither fitted on nor calibrated on, and shuffling touches nothing but training labels.
Three classes: each sample is classified once, by what was fitted on other clusters. A defence and a probe at one share
of false alarms: what each way is on numbers that can be counted by hand.
"""

import json
import math

import numpy as np
import pandas as pd
import pytest
from sklearn.linear_model import LogisticRegression
from sklearn.preprocessing import StandardScaler

from ragassay.base.chance import split_of
from ragassay.metrics.panel import auroc
from ragassay.studies.poisoning.probes import folds
from ragassay.studies.poisoning.probes.folds import (
    CLASSES,
    WAYS,
    Contestant,
    classified,
    conformal,
    parts,
    problem,
    scored,
    ways,
)
from ragassay.studies.poisoning.probes.samples import ActivationProbe
from scripts.probes.measure_revprag import alarm_rows

CLUSTERS = np.array([f"d{at // 2}" for at in range(120)])
LABELS = np.array(["correct", "poisoned"] * 60)
FEATURES = np.random.default_rng(0).normal(size=(120, 1, 4)).astype(np.float32)


@pytest.fixture
def spied(monkeypatch):
    """What a kind is given to fit on, fold by fold."""
    seen = []

    class Spy(ActivationProbe):
        def fit(self, training, validation, seed=0):
            seen.append((training, validation))
            return self

        def score(self, part):
            return part.features[part.rows][:, 0, 0].astype(float)

    monkeypatch.setattr(folds, "kind_of", lambda *_: Spy)
    return seen


def test_every_sample_is_tested_once_by_what_never_saw_its_cluster(spied):
    every, tested = np.ones(120, bool), []
    for own in scored(Contestant("m", "m", {}, FEATURES, [0]), LABELS, CLUSTERS, every, every, 0.1):
        training, validation = spied[own.fold]
        learnt = set(CLUSTERS[training.rows]) | set(CLUSTERS[validation.rows])
        assert not learnt & set(CLUSTERS[own.rows]) and not set(CLUSTERS[training.rows]) & set(
            CLUSTERS[validation.rows]
        )
        assert all(split_of(name, own.fold) == "test" for name in CLUSTERS[own.rows])
        tested += own.rows.tolist()
    assert sorted(tested) == list(range(120))


@pytest.mark.parametrize("count", [10, 1])
def test_a_threshold_is_the_conformal_one_of_right_answers_that_other_folds_test(spied, count):
    every = np.ones(120, bool)
    for own in scored(Contestant("m", "m", {}, FEATURES, [0], count), LABELS, CLUSTERS, every, every, 0.2):
        rows = set(range(120)) - set(own.rows.tolist()) if count > 1 else set(spied[own.fold][1].rows.tolist())
        right = np.sort([FEATURES[row, 0, 0] for row in rows if LABELS[row] == "correct"])
        place = math.ceil((len(right) + 1) * 0.8)
        assert own.threshold == (right[place - 1] if place <= len(right) else None)


def test_a_conformal_threshold_keeps_its_rate_on_one_more_and_needs_enough():
    dice, flagged = np.random.default_rng(0), []
    for _ in range(4000):
        *others, one_more = dice.normal(size=25)
        flagged.append(one_more > conformal(np.array(others), 0.1))
    assert np.mean(flagged) == pytest.approx(2 / 25, abs=0.015)  # the 23rd of 24
    assert conformal(np.arange(18.0), 0.05) is None and conformal(np.arange(19.0), 0.05) == 18
    assert conformal(np.array([np.nan, *range(19)]), 0.05) == 18


def test_undecided_answers_are_tested_and_never_trained_on(spied):
    labels, every = LABELS.copy(), np.ones(120, bool)
    labels[:30] = "undecided"
    tested = np.concatenate(
        [own.rows for own in scored(Contestant("m", "m", {}, FEATURES, [0]), labels, CLUSTERS, every, every, 0.1)]
    )
    assert sorted(tested) == list(range(120))
    assert all(row >= 30 for parts in spied for part in parts for row in part.rows)


def test_shuffling_exchanges_labels_of_the_training_part_alone(spied):
    every = np.ones(120, bool)
    list(scored(Contestant("m", "m", {}, FEATURES, [0], shuffled=True), LABELS, CLUSTERS, every, every, 0.1))
    for training, validation in spied:
        assert (training.labels != (LABELS[training.rows] == "poisoned")).any()
        assert training.labels.sum() == (LABELS[training.rows] == "poisoned").sum()
        assert (validation.labels == (LABELS[validation.rows] == "poisoned")).all()


def test_a_class_about_one_document_is_refused():
    every = np.ones(120, bool)
    assert problem(LABELS, CLUSTERS, every) is None
    alone = every & ((LABELS == "correct") | (CLUSTERS == "d3"))
    assert "found 1 poisoned answers about 1 documents among 61" in problem(LABELS, CLUSTERS, alone)


THREE = np.array([CLASSES[at % 3] for at in range(180)])
DOCUMENTS = np.array([f"d{at // 3}" for at in range(180)])
ALL = np.ones(180, bool)


def shifted(strength):
    found = np.random.default_rng(0).normal(size=(180, 1, 4)).astype(np.float32)
    for at, name in enumerate(CLASSES):
        found[name == THREE, 0, at] += strength
    return found


def share(strength, labels=THREE):
    found = list(classified(shifted(strength), labels, DOCUMENTS, ALL))
    rows, predicted = (np.concatenate(part) for part in zip(*found, strict=True))
    assert sorted(rows.tolist()) == np.flatnonzero(np.isin(labels, CLASSES)).tolist()
    return (labels[rows] == predicted).mean()


def test_three_kinds_are_told_apart_where_they_differ_and_not_where_they_do_not():
    assert share(4) > 0.9 and share(0) < 0.5


def test_other_labels_are_not_classified_and_a_rare_class_is_not_shown(monkeypatch):
    labels = THREE.copy()
    labels[:30] = "undecided"
    assert share(4, labels) > 0.9
    monkeypatch.setattr(folds, "FEWEST", 100)
    assert not list(classified(shifted(4), THREE, DOCUMENTS, ALL))


PROMPTS = 4000
CELL = dict(zip(("dataset", "retriever", "attack", "responder"), "sram", strict=True))


@pytest.fixture(scope="module")
def drawn():
    """Two scores that see different halves of the poison, on quite different scales."""
    draw = np.random.default_rng(0)
    poisoned, folds = np.arange(PROMPTS) % 2 > 0, np.arange(PROMPTS) // 2 % 10
    seen = draw.random(PROMPTS) < 0.5
    defence = draw.normal(size=PROMPTS) + 6 * (poisoned & seen)
    probe = np.exp(draw.normal(size=PROMPTS) + 6 * (poisoned & ~seen))
    return poisoned, folds, defence, probe


def test_all_ways_raise_the_same_share_of_false_alarms_and_either_finds_what_each_half_misses(drawn):
    poisoned, folds, defence, probe = drawn
    found = ways(defence, probe, ~poisoned, folds, 0.05)
    alarms = {way: flagged[~poisoned].mean() for way, (_, flagged) in found.items()}
    assert alarms == pytest.approx(dict.fromkeys(WAYS, 0.05), abs=0.012)
    hits = {way: flagged[poisoned].mean() for way, (_, flagged) in found.items()}
    assert hits["either"] > 0.95 and 0.45 < hits["defence"] < 0.65 and 0.45 < hits["probe"] < 0.65
    assert hits["chain"] < 0.5


def test_thresholds_and_ranks_know_nothing_of_their_own_fold(drawn):
    poisoned, folds, defence, probe = drawn
    before = ways(defence, probe, ~poisoned, folds, 0.05)
    changed = np.where(folds == 3, defence + 100 * ~poisoned, defence)  # right answers of fold 3 look bad
    after = ways(changed, probe, ~poisoned, folds, 0.05)
    same = (folds == 3) & poisoned
    for way in WAYS:
        assert (before[way][0][same] == after[way][0][same]).all() and (
            before[way][1][same] == after[way][1][same]
        ).all()
    assert after["defence"][1][folds == 3][::2].all(), "and are all alarms"
    alone = ways(defence, probe, ~poisoned & (folds == 3), folds, 0.05)["defence"][0]
    assert np.isnan(alone[folds == 3]).all() and not np.isnan(alone[folds != 3]).any()


def alarms_frame(drawn, probes):
    poisoned, folds, defence, _ = drawn
    rows = []
    for name, probe in probes.items():
        for way, (scores, flagged) in ways(defence, probe, ~poisoned, folds, 0.05).items():
            own = CELL | {"defence": "guard", "probe": name, "way": way, "side": "clean", "score": scores}
            own |= {"flagged": flagged, "label": np.where(poisoned, "poisoned", "correct")}
            names = [f"t{at}" for at in range(len(folds))]
            rows.append(pd.DataFrame(own | {"target_id": names, "cluster": names}))
    return pd.concat(rows)


def test_rows_have_the_control_beside_them_and_what_the_defence_adds(drawn):
    poisoned, folds, defence, probe = (values[:400] for values in drawn)
    noise = np.random.default_rng(1).normal(size=400)
    own = alarms_frame((poisoned, folds, defence, probe), {"logistic": probe, "control": noise, "first_token": noise})
    rows = [json.loads(row["keys"]) | row for row in alarm_rows(own, 100, 0, 199)]
    assert {row["probe"] for row in rows} == {"logistic"}
    values = {(row["way"], row["metric"]): row for row in rows}
    assert {metric for _, metric in values} == {"auroc", "control", "first_token", "tpr", "fpr", "over_probe", "p"}
    # the control's ranks depend on the fold a little, as those of every score do
    assert values["chain", "control"]["value"] == pytest.approx(auroc(noise, poisoned), abs=0.02)
    gained = values["either", "tpr"]["value"] - values["probe", "tpr"]["value"]
    assert values["either", "over_probe"]["value"] == pytest.approx(gained) and gained > 0.3
    assert values["either", "over_probe"]["low"] > 0 and values["either", "p"]["value"] < 0.05
    assert ("probe", "p") not in values
    few = own[own["target_id"].isin([f"t{at}" for at in range(15)])]
    assert not list(alarm_rows(few, 10, 0, 9)), "of seven poisoned answers no area is shown"


def test_classes_are_those_of_scikit_learn_by_the_best_penalty():
    values = shifted(1)
    values[:, 0, 3] = values[:, 0, 3] * 50 + 300  # which is nothing once it is scaled
    flat = values.reshape(len(values), -1)
    for rows, predicted in classified(values, THREE, DOCUMENTS, ALL):
        fold = next(fold for fold in range(10) if split_of(DOCUMENTS[rows[0]], fold) == "test")
        place = parts(DOCUMENTS, fold)
        training, validation = place == "train", place == "validation"
        scaler = StandardScaler().fit(flat[training])
        models = [
            LogisticRegression(C=strength, class_weight="balanced").fit(
                scaler.transform(flat[training]), THREE[training]
            )
            for strength in (0.001, 0.01, 0.1)
        ]
        right = [model.score(scaler.transform(flat[validation]), THREE[validation]) for model in models]
        best = models[int(np.argmax(right))]
        assert (best.predict(scaler.transform(flat[rows])) == predicted).mean() > 0.95


def test_ranks_of_a_defence_and_a_probe_are_joined_one_prompt_at_a_time():
    draw = np.random.default_rng(4)
    defence, probe, right, folds = draw.normal(size=60), draw.normal(size=60), draw.random(60) < 0.6, np.arange(60) % 3
    found = ways(defence, probe, right, folds, 0.2)
    for at in range(60):
        others = right & (folds != folds[at])
        ranks = [plain_rank(values[at], np.sort(values[others])) for values in (defence, probe)]
        assert found["defence"][0][at] == pytest.approx(ranks[0]) and found["probe"][0][at] == pytest.approx(ranks[1])
        assert found["chain"][0][at] == pytest.approx(min(ranks)) and found["either"][0][at] == pytest.approx(
            max(ranks)
        )


def plain_rank(value, null):
    below = (null < value).sum() + (null == value).sum() / 2
    return below / len(null) + max(value - null[-1], 0) / (null[-1] - null[len(null) // 2])
