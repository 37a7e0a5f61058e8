"""Probes elsewhere: what is tested was fitted on other places and other documents; shapes that differ are refused."""

import numpy as np
import pytest

from probe_study import CELL
from ragassay.documents.ids import split_of
from ragassay.metrics.panel import auroc
from ragassay.schemas.probes import PROBE_TRANSFERS
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
