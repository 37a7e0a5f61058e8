"""Folds: what is tested was neither fitted on nor calibrated on, and shuffling touches nothing but training labels."""

import numpy as np
import pytest

from ragassay.documents.ids import split_of
from ragassay.studies.poisoning.probes import folds
from ragassay.studies.poisoning.probes.folds import Contestant, problem, scored
from ragassay.studies.poisoning.probes.samples import ActivationProbe

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
        training, validation = spied[-1]
        learnt = set(CLUSTERS[training.rows]) | set(CLUSTERS[validation.rows])
        assert not learnt & set(CLUSTERS[own.rows]) and not set(CLUSTERS[training.rows]) & set(
            CLUSTERS[validation.rows]
        )
        assert all(split_of(name, own.fold) == "test" for name in CLUSTERS[own.rows])
        right = validation.rows[~validation.labels]
        assert (FEATURES[right, 0, 0] > own.threshold).mean() <= 0.1
        tested += own.rows.tolist()
    assert sorted(tested) == list(range(120))


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
