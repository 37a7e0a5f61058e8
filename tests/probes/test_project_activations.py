"""Activations in the plane: the principal components of their means over layers, and a t-SNE that can be repeated."""

import numpy as np

from ragassay.models.activations.state_store import Decoder
from ragassay.schemas.probes import ACTIVATIONS, PROJECTIONS
from ragassay.studies.poisoning.probes.reading import Readings


def test_pca_is_that_of_the_means_over_layers(study):
    rows = study.rows(PROJECTIONS)
    own = [row for row in rows if (row["method"], row["condition"]) == ("pca", "released")]
    assert len(own) == 30 and {row["label"] for row in own} == {"correct", "poisoned"}
    decoder = Decoder("model tiny", study.model)
    store = Readings.resolved([{}], decoder).store(decoder, study.embeddings)
    keys = {
        (row["target_id"], row["condition"], row["side"]): bytes.fromhex(row["key"]) for row in study.rows(ACTIVATIONS)
    }
    states = store.read([keys[row["target_id"], row["condition"], row["side"]] for row in own])[:, :, 0]
    means = states.astype(np.float64).mean(axis=1)
    left, sizes, _ = np.linalg.svd(means - means.mean(axis=0), full_matrices=False)
    expected, found = left[:, :2] * sizes[:2], np.array([[row["x"], row["y"]] for row in own])
    assert np.allclose(np.abs(found), np.abs(expected), atol=1e-3) and found.std(axis=0)[0] > found.std(axis=0)[1]


def test_every_condition_is_drawn_both_ways_and_the_same_again(study):
    rows = study.rows(PROJECTIONS)
    assert {(row["condition"], row["method"]) for row in rows} >= {("matched", "t_sne"), ("released", "t_sne")}
    with study.changed(PROJECTIONS):
        study.project()
        assert study.rows(PROJECTIONS) == rows
        study.project(seed=1)
        assert study.rows(PROJECTIONS) != rows or len({(row["x"], row["y"]) for row in rows}) > 100
