"""The panel against scikit-learn, scipy and plain loops, on random items with clusters, gaps and ties."""

import numpy as np
import pytest
from scipy import stats
from sklearn.metrics import roc_auc_score, roc_curve

from ragassay.metrics import panel
from ragassay.metrics.panel import Panel


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
    """The mean in each draw: clusters are drawn with all their items, one draw after the other."""
    names = sorted(set(clusters))
    random, found = np.random.default_rng(seed), []
    for _ in range(times):
        items = []
        for place in random.integers(0, len(names), len(names)):
            items += [value for value, name in zip(values, clusters, strict=True) if name == names[place]]
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
        assert (row["low"], row["high"]) == pytest.approx(tuple(np.quantile(known, [0.025, 0.975])), abs=1e-12)
        assert row["n"] == (~np.isnan(scores[:, method])).sum()


def test_areas_are_those_of_scikit_learn(items):
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


@pytest.mark.parametrize("fpr", [0.0, 0.01, 0.1, 0.5, 1.0])
def test_true_positives_at_a_share_of_false_alarms_are_those_of_scikit_learn(items, fpr):
    clusters, positive, scores = items
    found = Panel(clusters).tpr_at(scores, positive, fpr)
    for method in range(3):
        known = ~np.isnan(scores[:, method])
        alarms, passing, _ = roc_curve(positive[known], scores[known, method], drop_intermediate=False)
        assert found.values[method] == pytest.approx(passing[alarms <= fpr + 1e-12].max(), abs=1e-12)


def test_with_one_item_per_cluster_the_test_of_a_difference_is_that_of_mcnemar():
    random = np.random.default_rng(0)
    first, second = random.random(40) < 0.8, random.random(40) < 0.5
    wins, losses = int((first & ~second).sum()), int((second & ~first).sum())
    (found,) = Panel(np.arange(40)).p(first.astype(float) - second, flips=20_000)
    assert found == pytest.approx(stats.binomtest(wins, wins + losses).pvalue, abs=0.01)


def test_a_difference_is_the_mean_of_differences_under_the_same_draws(items):
    clusters, _, scores = items
    own = Panel(clusters, 30, seed=2)
    both, difference = own.mean(scores[:, :2]), own.mean(scores[:, 0] - scores[:, 1])
    np.testing.assert_allclose(difference.drawn[:, 0], both.drawn[:, 0] - both.drawn[:, 1], atol=1e-12)


def test_bounds_are_what_abstentions_could_make_of_a_rate():
    values = np.array([[1, 1], [0, np.nan], [np.nan, np.nan], [1, 0]])
    lowest, highest = panel.bounds(values)
    assert lowest.tolist() == [0.5, 0.25] and highest.tolist() == [0.75, 0.75]


def test_of_nothing_there_is_no_number():
    empty = Panel([], 10)
    assert empty.mean(np.empty((0, 2))).row(1) == {"value": None, "low": None, "high": None, "n": 0}
    assert empty.auroc(np.empty(0), np.empty(0, bool)).row() == {"value": None, "low": None, "high": None, "n": 0}
    one_kind = Panel(["a", "b"], 10)
    assert one_kind.auroc([1.0, 2.0], [True, True]).row()["value"] is None
    assert one_kind.tpr_at([1.0, 2.0], [True, True], 0.1).row()["value"] is None
    assert one_kind.mean([np.nan, np.nan]).row() == {"value": None, "low": None, "high": None, "n": 0}


def test_the_draws_do_not_depend_on_how_many_are_in_memory(items, monkeypatch):
    clusters, _, scores = items
    whole = Panel(clusters, 30).mean(scores).drawn
    monkeypatch.setattr(panel, "AT_ONCE", 7)
    np.testing.assert_array_equal(Panel(clusters, 30).mean(scores).drawn, whole)
