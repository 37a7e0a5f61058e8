"""Both methods at one share of false alarms: what each way is on numbers that can be counted by hand."""

import json

import numpy as np
import pandas as pd
import pytest

from ragassay.metrics.auroc import auroc
from ragassay.studies.poisoning.probes.breakdowns import alarm_rows
from ragassay.studies.poisoning.probes.folds import WAYS, ways

COUNT = 4000
CELL = dict(zip(("dataset", "retriever", "attack", "responder"), "sram", strict=True))


@pytest.fixture(scope="module")
def drawn():
    """Two scores that see different halves of the poison, on quite different scales."""
    draw = np.random.default_rng(0)
    poisoned, folds = np.arange(COUNT) % 2 > 0, np.arange(COUNT) // 2 % 10
    seen = draw.random(COUNT) < 0.5
    defence = draw.normal(size=COUNT) + 6 * (poisoned & seen)
    probe = np.exp(draw.normal(size=COUNT) + 6 * (poisoned & ~seen))
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


def frame(drawn, probes):
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
    own = frame((poisoned, folds, defence, probe), {"logistic": probe, "control": noise})
    rows = [json.loads(row["keys"]) | row for row in alarm_rows(own, 100, 0, 199)]
    assert {row["probe"] for row in rows} == {"logistic"}
    values = {(row["way"], row["metric"]): row for row in rows}
    assert {metric for _, metric in values} == {"auroc", "control", "tpr", "fpr", "over_probe", "p"}
    # the control's ranks depend on the fold a little, as those of every score do
    assert values["chain", "control"]["value"] == pytest.approx(auroc(noise, poisoned), abs=0.02)
    gained = values["either", "tpr"]["value"] - values["probe", "tpr"]["value"]
    assert values["either", "over_probe"]["value"] == pytest.approx(gained) and gained > 0.3
    assert values["either", "over_probe"]["low"] > 0 and values["either", "p"]["value"] < 0.05
    assert ("probe", "p") not in values
    few = own[own["target_id"].isin([f"t{at}" for at in range(15)])]
    assert not list(alarm_rows(few, 10, 0, 9)), "of seven poisoned answers no area is shown"
