"""Three classes: each sample is classified once, by what was fitted on other clusters."""

import numpy as np

from ragassay.studies.poisoning.probes import folds
from ragassay.studies.poisoning.probes.folds import CLASSES, classified

LABELS = np.array([CLASSES[at % 3] for at in range(180)])
CLUSTERS = np.array([f"d{at // 3}" for at in range(180)])
EVERY = np.ones(180, bool)


def features(strength):
    found = np.random.default_rng(0).normal(size=(180, 1, 4)).astype(np.float32)
    for at, name in enumerate(CLASSES):
        found[name == LABELS, 0, at] += strength
    return found


def share(strength, labels=LABELS):
    found = list(classified(features(strength), labels, CLUSTERS, EVERY))
    rows, predicted = (np.concatenate(part) for part in zip(*found, strict=True))
    assert sorted(rows.tolist()) == np.flatnonzero(np.isin(labels, CLASSES)).tolist()
    return (labels[rows] == predicted).mean()


def test_three_kinds_are_told_apart_where_they_differ_and_not_where_they_do_not():
    assert share(4) > 0.9 and share(0) < 0.5


def test_other_labels_are_not_classified_and_a_rare_class_is_not_shown(monkeypatch):
    labels = LABELS.copy()
    labels[:30] = "undecided"
    assert share(4, labels) > 0.9
    monkeypatch.setattr(folds, "FEWEST", 100)
    assert not list(classified(features(4), LABELS, CLUSTERS, EVERY))
