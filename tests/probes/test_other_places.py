"""Probes on other places than those that they were fitted on, and beside alarms of defences."""

from collections import Counter

import numpy as np
import pytest

from probe_study import CELL
from ragassay.base import tables
from ragassay.documents.ids import split_of
from ragassay.metrics.panel import auroc
from ragassay.schemas.defences import FILTERED
from ragassay.schemas.probes import ALARMS, PROBE_SCORES, PROBE_TRANSFERS
from ragassay.studies.poisoning.probes.folds import Contestant
from ragassay.studies.poisoning.probes.samples import Joined, ProbeError


def test_a_place_is_tested_by_what_was_fitted_on_others_and_on_all(study, monkeypatch):
    seen, fitted = [], Contestant.fitted

    def spy(method, training, validation, seed):
        seen.append(training.rows)
        return fitted(method, training, validation, seed)

    monkeypatch.setattr(Contestant, "fitted", spy)
    before = study.place("probe_transfers").read_bytes()
    study.transfer([CELL], "kind")
    assert study.place("probe_transfers").read_bytes() == before
    rows = study.rows(PROBE_TRANSFERS)
    assert {(row["tested_on"], row["fitted_on"], row["probe"]) for row in rows} == {
        (place, fitted, probe)
        for place in ("who", "keeper")
        for fitted in ("others", "all")
        for probe in ("logistic", "control", "first_token")
    }
    sizes = [len(own) for own in seen]
    assert max(sizes) > 1.5 * min(sizes), "all places are more than the others"
    decided = [row for row in rows if row["label"] in ("correct", "poisoned") and row["fitted_on"] == "others"]
    for probe in ("logistic", "control"):
        own = [row for row in decided if row["probe"] == probe]
        assert auroc([row["score"] for row in own], [row["label"] == "poisoned" for row in own]) > 0.9
    odd = {row["target_id"]: row["tested_on"] for row in rows}
    assert all((int(name[-2:]) % 2 == 1) == (place == "keeper") for name, place in odd.items())
    assert all(any(split_of(row["cluster"], fold) == "test" for fold in range(10)) for row in rows)


def test_cells_stand_one_after_another_and_only_models_of_one_shape_together():
    draw = np.random.default_rng(0)
    one, other, wide = (draw.normal(size=shape).astype(np.float32) for shape in ((3, 2, 4), (2, 2, 4), (2, 2, 5)))
    joined = Joined([one, other], ["a", "b"])
    assert joined.shape == (5, 2, 4) and (joined[[4, 0, 3]] == np.stack([other[1], one[0], other[0]])).all()
    with pytest.raises(ProbeError, match="found activations of 2 layers x 4 numbers of a and of 2 x 5 of b"):
        Joined([one, wide], ["a", "b"])


def alarms(path):
    return tables.read(ALARMS, path).to_pylist()


def test_every_scored_prompt_stands_in_all_four_ways_beside_each_probe_and_the_control(study):
    rows = alarms(study.place("alarms"))
    scored = [
        (row["probe"], row["target_id"], row["side"])
        for row in study.rows(PROBE_SCORES)
        if (row["condition"], row["trained_on"], row["facts"]) == ("retrieved", "retrieved", "all")
        and row["probe"] not in ("log_probabilities", "answer_text", "first_words", "shuffled")
    ]
    counts = Counter((row["probe"], row["target_id"], row["side"]) for row in rows)
    assert counts == dict.fromkeys(scored, 4) and {"logistic", "control", "masking"} <= {name for name, *_ in scored}
    assert {row["defence"] for row in rows} == {"guard"}


def test_a_prompt_is_as_suspicious_as_its_worst_passage_that_is_shown(study, tmp_path):
    rows = alarms(study.place("alarms"))
    sure = {
        row["target_id"]
        for row in rows
        if row["way"] == "defence" and row["side"] == "attacked" and row["score"] > 2 and row["flagged"]
    }
    assert {f"target-{at:02}" for at in range(0, 23, 3)} == sure, "planted passages of every third target score 2"
    clean = tables.read(FILTERED, study.place("filtered_clean")).to_pylist()
    third = clean[0] | {"rank": 3, "passage_id": "p11", "score": 9.0}  # which no prompt of two passages shows
    with study.changed(FILTERED, [*clean, third], "filtered_clean"):
        study.combine(tmp_path / "alarms.parquet")
    assert alarms(tmp_path / "alarms.parquet") == rows
    blind = [row | {"score": None} if row["target_id"] == "target-00" else row for row in clean]
    with study.changed(FILTERED, blind, "filtered_clean"):
        study.combine(tmp_path / "blind.parquet")
    kept = {(row["target_id"], row["side"]) for row in alarms(tmp_path / "blind.parquet")}
    assert ("target-00", "attacked") in kept and ("target-00", "clean") not in kept
