"""The panel against scikit-learn, scipy and plain loops, on random items with clusters, gaps and ties."""

import tracemalloc

import numpy as np
import pytest
from sklearn.metrics import cohen_kappa_score, roc_auc_score, roc_curve

from ragassay.metrics import resampling
from ragassay.metrics.agreement import kappa
from ragassay.metrics.panel import Panel
from ragassay.metrics.resampling import draws, interval, share_interval

NOTHING = {"value": None, "low": None, "high": None, "n": 0, "abstained": 0}


@pytest.fixture(params=range(5))
def items(request):
    """Clusters, truths and the scores of three methods, the last with gaps, all with ties."""
    random = np.random.default_rng(request.param)
    count = int(random.integers(30, 120))
    clusters = random.integers(0, 12, count).astype(str)
    positive = random.random(count) < 0.4
    scores = np.round(random.normal(positive[:, None] * [0.0, 1.0, 2.0], 1.0, (count, 3)), 1)
    scores[random.random(count) < 0.2, 2] = np.nan
    return clusters, positive, scores


def slowly(clusters, values, times, seed):
    """The mean in each draw: each cluster comes so often as its weight says, with all its items."""
    names, found = sorted(set(clusters)), []
    for weights in np.concatenate(list(draws(names, times, seed))):
        weight = dict(zip(names, weights.astype(int).tolist(), strict=True))
        items = [value for value, name in zip(values, clusters, strict=True) for _ in range(weight[name])]
        items = [value for value in items if not np.isnan(value)]
        found.append(np.mean(items) if items else np.nan)
    return found


def test_means_and_their_draws_are_those_of_a_plain_loop(items):
    clusters, _, scores = items
    found = Panel(clusters, 40, seed=3).mean(scores)
    np.testing.assert_allclose(found.values, np.nanmean(scores, axis=0), rtol=1e-12)
    for method in range(3):
        np.testing.assert_allclose(found.drawn[:, method], slowly(clusters, scores[:, method], 40, 3), atol=1e-12)
        row = found.row(method)
        known = found.drawn[:, method]
        counted = ~np.isnan(scores[:, method])
        size, own = len({*np.array(clusters)[counted]}), scores[counted, method]
        share = own.min() >= 0 and own.max() <= 1
        expected = share_interval(row["value"], known, size, counted.sum()) if share else interval(known, size)
        assert (row["low"], row["high"]) == pytest.approx(expected, abs=1e-12)
        assert row["n"] == counted.sum()


def test_areas_are_those_of_scikit_learn(items):
    assert Panel(list("abcd")).auroc(np.arange(4.0), np.arange(4) % 2 > 0).clusters == [4]
    clusters, positive, scores = items
    found = Panel(clusters, 25, seed=1).auroc(scores, positive)
    everything = Panel(clusters, 25, seed=1)
    for method in range(3):
        known = ~np.isnan(scores[:, method])
        own, kinds = scores[known, method], positive[known]
        assert found.values[method] == pytest.approx(roc_auc_score(kinds, own), abs=1e-12)
        for weights, drawn in zip(np.concatenate(list(everything.draws())), found.drawn[:, method], strict=True):
            weights = weights[everything.owners[known]]
            if 0 < (weights * kinds).sum() < weights.sum():
                assert drawn == pytest.approx(roc_auc_score(kinds, own, sample_weight=weights), abs=1e-12)
            else:
                assert np.isnan(drawn)


def test_areas_of_many_scores_take_as_much_memory_as_draws_do(monkeypatch):
    random = np.random.default_rng(0)
    scores, positive, documents = random.random(20_000), random.random(20_000) < 0.5, np.arange(20_000) % 10
    plain = Panel(documents, 200).auroc(scores, positive)
    monkeypatch.setattr(resampling, "NUMBERS", 2**16)
    tracemalloc.start()
    in_pieces = Panel(documents, 200).auroc(scores, positive)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert all(np.array_equal(one, other) for one, other in zip(in_pieces, plain, strict=True))
    assert peak < 10e6  # 20,000 scores of 200 draws are 32 MB


@pytest.mark.parametrize("fpr", [0.0, 0.01, 0.1, 0.5, 1.0])
def test_true_positives_at_a_share_of_false_alarms_are_those_of_scikit_learn(items, fpr):
    clusters, positive, scores = items
    found = Panel(clusters).tpr_at(scores, positive, fpr)
    for method in range(3):
        known = ~np.isnan(scores[:, method])
        alarms, passing, _ = roc_curve(positive[known], scores[known, method], drop_intermediate=False)
        assert found.values[method] == pytest.approx(passing[alarms <= fpr + 1e-12].max(), abs=1e-12)


def test_a_mask_measures_some_items_with_the_draws_of_all(items):
    clusters, positive, scores = items
    own = Panel(clusters, 30, seed=4)
    found = own.means(scores, {"positive": positive, "negative": ~positive, "everything": None})
    for name, mask in (("positive", positive), ("negative", ~positive)):
        alone = np.where(mask[:, None], scores, np.nan)
        for method in range(3):
            expected = slowly(clusters, alone[:, method], 30, 4)
            np.testing.assert_allclose(found[name].drawn[:, method], expected, atol=1e-12)
            row = found[name].row(method)
            assert row["value"] == pytest.approx(np.nanmean(alone[:, method]), abs=1e-12)
            unknown = np.isnan(scores[mask, method]).sum()
            assert (row["n"], row["abstained"]) == (mask.sum() - unknown, unknown)
        np.testing.assert_array_equal(own.part(mask).mean(scores[mask]).drawn, found[name].drawn)
    assert found["everything"].abstained.tolist() == [0, 0, 0]
    np.testing.assert_array_equal(found["everything"].drawn, own.mean(scores).drawn)


def test_methods_may_be_asked_about_different_items(items):
    clusters, positive, scores = items
    own, asked = Panel(clusters, 20), np.stack([positive, ~positive, positive], axis=1)
    alone = Panel(clusters, 20)
    for together, of_one in (
        (own.mean(scores, asked), lambda method: alone.mean(scores[:, method], asked[:, method])),
        (
            own.auroc(scores, ~np.isnan(scores[:, 2]), asked),
            lambda method: alone.auroc(scores[:, method], ~np.isnan(scores[:, 2]), asked[:, method]),
        ),
    ):
        for method in range(3):
            assert together.row(method) == pytest.approx(of_one(method).row(), abs=1e-12)
            assert together.counts[method] + together.abstained[method] == asked[:, method].sum()


def test_one_column_of_scores_serves_all_columns_of_a_mask(items):
    clusters, positive, scores = items
    masks = np.stack([scores[:, 0] > 0, np.ones(len(clusters), bool), scores[:, 0] > 99], axis=1)
    own = Panel(clusters, 20)
    together = own.auroc(scores[:, 2], positive, masks)
    for at in range(3):
        assert together.row(at) == pytest.approx(own.auroc(scores[:, 2], positive, masks[:, at]).row(), abs=1e-12)
    assert together.row(2) == NOTHING


def test_the_difference_of_two_estimates_is_that_of_each_draw(items):
    clusters, positive, scores = items
    found = Panel(clusters, 50).means(scores, {"positive": positive, "negative": ~positive})
    difference = found["positive"].minus(found["negative"])
    np.testing.assert_array_equal(difference.drawn, found["positive"].drawn - found["negative"].drawn)
    row = difference.row(1)
    assert row["value"] == pytest.approx(scores[positive, 1].mean() - scores[~positive, 1].mean(), abs=1e-12)
    assert row["n"] == len(clusters) and row["low"] < row["value"] < row["high"]


def test_any_number_can_be_measured_under_the_same_draws(items):
    clusters, positive, scores = items
    own, said = Panel(clusters, 30, seed=5), scores[:, 1] > 0.5
    agreeing = own.measure(lambda weights: (weights * (said == positive)).sum() / weights.sum(), abstained=3)
    same = own.mean((said == positive).astype(float))
    np.testing.assert_allclose(agreeing.drawn, same.drawn, atol=1e-12)
    ends = dict(zip(("low", "high"), interval(same.drawn, len({*clusters})), strict=True))
    assert agreeing.row() == pytest.approx(same.row() | ends | {"abstained": 3})
    beyond_chance = own.measure(lambda weights: kappa(said, positive, weights))
    weights = np.concatenate(list(own.draws()))[7, own.owners].astype(int)
    assert beyond_chance.drawn[7, 0] == pytest.approx(
        cohen_kappa_score(np.repeat(said, weights), np.repeat(positive, weights))
    )


def test_bounds_are_what_abstentions_could_make_of_a_rate():
    values = np.array([[1, 1], [0, np.nan], [np.nan, np.nan], [1, 0]])

    def bounds(mask):
        return Panel(range(4)).mean(values, np.array(mask, bool)).bounds()

    lowest, highest = bounds([1, 1, 1, 1])
    assert lowest.tolist() == [0.5, 0.25] and highest.tolist() == [0.75, 0.75]
    lowest, highest = bounds([1, 1, 0, 0])
    assert lowest.tolist() == [0.5, 0.5] and highest.tolist() == [0.5, 1]
    assert np.isnan(bounds([0, 0, 0, 0])).all()


def test_of_nothing_there_is_no_number():
    empty = Panel([], 10)
    for estimates in (empty.mean(np.empty((0, 2))), empty.auroc(np.empty((0, 2)), np.empty(0, bool))):
        assert estimates.drawn.shape == (10, 2) and np.isnan(estimates.drawn).all()
    assert empty.mean(np.empty((0, 2))).row(1) == NOTHING
    assert empty.auroc(np.empty(0), np.empty(0, bool)).row() == NOTHING
    assert empty.measure(lambda weights: weights.sum()).row() == NOTHING
    one_kind = Panel(["a", "b"], 10)
    assert one_kind.auroc([1.0, 2.0], [True, True]).row()["value"] is None
    assert one_kind.tpr_at([1.0, 2.0], [True, True], 0.1).row()["value"] is None
    assert one_kind.mean([np.nan, np.nan]).row() == NOTHING
    assert one_kind.mean([np.nan, np.nan], [True, False]).row() == NOTHING | {"abstained": 1}
