"""The overlap control learns what overlap tells, from other documents only, and nothing where there is nothing."""

import numpy as np
import pytest

from ragassay.metrics.auroc import auroc
from ragassay.schemas.scope_questions import FEATURES
from ragassay.studies.scope import controls


def rows(count, shift, seed=0):
    """Questions, four per document, half of them out of scope and that much higher in every feature."""
    draw = np.random.default_rng(seed)
    labels = np.arange(count) % 2 == 1
    values = draw.standard_normal((count, len(FEATURES))) + shift * labels[:, None]
    found = [
        {"doc_id": f"doc-{at // 4}", "cluster_id": f"c-{at // 4}", **dict(zip(FEATURES, row, strict=True))}
        for at, row in enumerate(values.tolist())
    ]
    return found, labels


def test_it_learns_what_there_is_to_learn():
    given, labels = rows(400, 0.7)
    assert auroc(controls.overlap_scores(given, labels), labels) > 0.85


def test_where_there_is_nothing_it_finds_nothing():
    given, labels = rows(400, 0.0)
    assert 0.4 < auroc(controls.overlap_scores(given, labels), labels) < 0.6


def test_shuffled_labels_give_chance():
    given, labels = rows(400, 0.7)
    shuffled = np.random.default_rng(1).permutation(labels)
    assert 0.4 < auroc(controls.overlap_scores(given, shuffled), shuffled) < 0.6


def test_a_score_never_depends_on_its_own_document():
    given, labels = rows(200, 0.7)
    before = controls.overlap_scores(given, labels)
    own = [at for at, row in enumerate(given) if row["doc_id"] == "doc-3"]
    changed = labels.copy()
    changed[own] = ~changed[own]
    after = controls.overlap_scores(given, changed)
    assert [after[at] for at in own] == [before[at] for at in own] and after != before


def test_scores_are_the_same_again():
    assert controls.overlap_scores(*rows(100, 0.3)) == controls.overlap_scores(*rows(100, 0.3))


@pytest.mark.parametrize("count", [0, 4])
def test_too_little_gives_no_score(count):
    assert controls.overlap_scores(*rows(count, 1)) == [None] * count
