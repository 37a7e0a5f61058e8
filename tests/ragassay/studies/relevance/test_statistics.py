"""Statistics of relevance, and methods that fuse or choose them."""

import math
from types import SimpleNamespace

import numpy as np
import pytest
from scipy import stats

from ragassay.metrics.panel import auroc
from ragassay.studies.relevance import methods, statistics
from ragassay.studies.relevance.statistics import COMBINED, SIMPLE, TEMPERED, Setting, statistic


def slowly(name, row, temperature=1.0):
    """The statistic of one query as the paper writes it."""
    k = len(row)
    if name == "mss":
        return -max(row)
    if name == "knn":
        return -sorted(row, reverse=True)[k - 1]
    if name == "avg_knn":
        return -math.fsum(row) / k
    if name == "energy":
        return -temperature * math.log(math.fsum(math.exp(score / temperature) for score in row))
    total = math.fsum(math.exp(score / temperature) for score in row)
    shares = [math.exp(score / temperature) / total for score in row]
    return -math.fsum(share * math.log(share) for share in shares)


@pytest.fixture
def scores():
    return -np.sort(-np.random.default_rng(0).uniform(-0.2, 0.9, (200, 32)), axis=1)


@pytest.mark.parametrize("temperature", [1.0, 0.05])
@pytest.mark.parametrize("name", SIMPLE)
def test_a_statistic_is_that_of_a_plain_loop(name, temperature, scores):
    if name not in TEMPERED and temperature != 1:
        with pytest.raises(TypeError):
            SIMPLE[name](scores, temperature)
        return
    found = statistic(name, scores, temperature)
    assert found.dtype == np.float64 and found.shape == (200,)
    np.testing.assert_allclose(found, [slowly(name, row, temperature) for row in scores], rtol=0, atol=1e-12)


def test_single_precision_scores_are_taken_as_double(scores):
    """Softmax over cosines is so flat that its entropy differs from log(k) only in late digits."""
    narrow = scores.astype(np.float32)
    np.testing.assert_allclose(statistics.entropy(narrow), statistics.entropy(narrow.astype(np.float64)), atol=1e-13)
    assert (statistics.entropy(scores) < math.log(32)).all()


def test_sums_of_bm25_at_a_low_temperature_do_not_overflow():
    large = np.array([[40.0, 35.0, 0.0]])
    assert statistics.energy(large, 0.01) == -40 and 0 <= statistics.entropy(large, 0.01) < 1e-99


def test_fisher_and_simes_are_scipys():
    p = np.random.default_rng(1).uniform(0.001, 1, (50, 32))
    np.testing.assert_allclose(
        statistics.fisher(p), [stats.combine_pvalues(row, "fisher").statistic for row in p], rtol=1e-12
    )
    loop = [-min(32 * value / rank for rank, value in enumerate(sorted(row), 1)) for row in p]
    np.testing.assert_allclose(statistics.simes(p), loop, rtol=0, atol=1e-12)
    np.testing.assert_allclose(
        -statistics.simes(p), [stats.false_discovery_control(row).min() for row in p], rtol=0, atol=1e-12
    )


def test_combinations_rise_as_p_values_fall_even_to_zero():
    p = np.full((2, 4), 0.5)
    p[1, 0] = 0
    for combine in COMBINED.values():
        low, high = combine(p)
        assert np.isfinite([low, high]).all() and high > low


def similar(best, count, random):
    """queries x 8: one passage that stands out by `best`, and seven others."""
    others = random.normal(0.3, 0.05, (count, 8))
    others[:, 0] += random.normal(best, 0.1, count)
    return -np.sort(-others, axis=1)


@pytest.fixture
def parts():
    """Of two retrievers: fitting queries, the same ones masked, other known ones, unknown ones."""
    random = np.random.default_rng(0)
    return [[similar(best, 300, random) for _ in range(2)] for best in (0.3, 0.0, 0.3, 0.0)]


def test_fused_is_a_sum_in_standard_units(parts):
    fitting, _, known, _ = parts
    sums = 0
    for own, asked in zip(fitting, known, strict=True):
        sums = sums + (-asked[:, 0] + own[:, 0].mean()) / own[:, 0].std()
    np.testing.assert_allclose(statistics.fused_mss(fitting, known), sums, atol=1e-12)
    constant = [np.zeros((3, 2))]
    assert (statistics.fused_mss(constant, constant) == 0).all()


def test_two_retrievers_do_better_than_one(parts):
    fitting, masked, known, unknown = parts
    positive = np.repeat([False, True], 300)
    single = auroc(np.concatenate([-known[0][:, 0], -unknown[0][:, 0]]), positive)
    head = methods.fit_head(fitting, masked)
    for values in (
        [statistics.fused_mss(fitting, asked) for asked in (known, unknown)],
        [methods.apply_head(head, asked) for asked in (known, unknown)],
    ):
        assert auroc(np.concatenate(values), positive) > single + 0.01
    other = methods.fit_head(fitting, known)  # the same kind on both sides: nothing to learn
    assert np.abs(other["outer.weight"]).sum() < np.abs(head["outer.weight"]).sum() / 2


def test_the_choice_is_the_statistic_that_tells_masked_queries_best(parts):
    fitting, masked, _, _ = parts
    candidates = list(methods.settings([2, 8], [1.0, 0.05]))
    assert len(candidates) == len(set(candidates)) == 1 + 2 + 2 + 4 + 4
    found = methods.masked_aurocs(fitting[0], masked[0], candidates)
    asked = SimpleNamespace(nearest=lambda _, k: fitting[0][:, :k], masked=lambda _, k: masked[0][:, :k])
    chosen = methods.chosen(asked, "dense", candidates)
    assert found[candidates.index(chosen)] == max(found) > found[candidates.index(Setting("knn", 8, 1.0))] + 0.2
    np.testing.assert_array_equal(chosen.of(fitting[0]).shape, (300,))


def test_words_that_tell_nothing_rank_queries_by_chance_however_labels_fall_into_folds():
    """A small set of which a quarter is positive, with labels that have nothing to do with the texts."""
    random, words, areas = np.random.default_rng(0), [f"word{at}" for at in range(60)], []
    ids, positive = [str(at) for at in range(40)], np.arange(40) >= 30
    known, unknown = SimpleNamespace(name="known", ids=ids[:30]), SimpleNamespace(name="unknown", ids=ids[30:])
    for labeling in range(60):
        keys = [f"document {labeling} {at}" for at in random.permutation(40)]
        pair = SimpleNamespace(known=known, unknown=unknown, positive=positive, keys=keys)
        texts = {(of.name, query): " ".join(random.choice(words, 6)) for of in (known, unknown) for query in of.ids}
        areas.append(auroc(methods.words_alone(pair, texts), positive))
    assert abs(np.mean(areas) - 0.5) < 0.03, np.mean(areas)
