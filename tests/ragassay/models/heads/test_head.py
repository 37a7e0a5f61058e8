"""The two-layer head: learns, is the same again, and is what its arrays say."""

import numpy as np
import pytest
import torch

from ragassay.models.heads import head, scores
from ragassay.models.heads.scores import Recipe

QUICK = Recipe(hidden=16, epochs=4, rate=1e-2)


@pytest.fixture
def parts(data):
    made = data()
    return [head.Labelled(made.features[made.of(name)], made.labels[made.of(name)]) for name in ("train", "validation")]


def test_training_changes_parameters_and_scores_vary(parts):
    before, _ = head.train(*parts, Recipe(hidden=16, epochs=1, rate=1e-12), 0)
    after, _ = head.train(*parts, QUICK, 0)
    assert all(np.abs(after[name] - before[name]).max() > 1e-3 for name in before)
    found = scores.scores(after, parts[1].features)
    assert found.std() > 0.1 and ((found > 0) == parts[1].labels).mean() > 0.8


@pytest.mark.parametrize("standardize", [False, True])
def test_the_same_seed_gives_the_same_bytes_and_another_one_others(parts, standardize):
    recipe = Recipe(hidden=16, epochs=2, rate=1e-3, standardize=standardize)
    runs = []
    for seed, threads in ((3, 1), (3, 2), (4, 1)):
        torch.set_num_threads(threads)
        torch.manual_seed(seed * 100 + threads)  # what others draw does not matter
        runs.append({name: array.tobytes() for name, array in head.train(*parts, recipe, seed)[0].items()})
    assert runs[0] == runs[1] and runs[0] != runs[2]


def test_the_best_epoch_on_the_validation_part_is_kept(parts):
    wild = Recipe(hidden=16, epochs=6, rate=0.3)
    arrays, history = head.train(*parts, wild, 1)
    best = min(history[1:], key=lambda row: row["validation_loss"])
    assert best["epoch"] < wild.epochs
    found = scores.scores(arrays, parts[1].features)
    loss = np.mean(np.logaddexp(0, found) - parts[1].labels * found)
    assert loss == pytest.approx(best["validation_loss"], abs=1e-4)


def test_without_a_validation_part_the_last_epoch_is_kept(parts):
    nothing = head.Labelled(parts[0].features[:0], parts[0].labels[:0])
    arrays, history = head.train(parts[0], nothing, QUICK, 0)
    assert len(history) == 5 and history[-1]["validation_loss"] is None
    assert ((scores.scores(arrays, parts[0].features) > 0) == parts[0].labels).mean() > 0.8


def test_scaling_is_part_of_the_head(parts):
    far = [head.Labelled(1000 + 50 * part.features, part.labels) for part in parts]
    arrays, _ = head.train(*far, Recipe(hidden=16, epochs=4, rate=1e-2, standardize=True), 0)
    assert ((scores.scores(arrays, far[1].features) > 0) == far[1].labels).mean() > 0.8
