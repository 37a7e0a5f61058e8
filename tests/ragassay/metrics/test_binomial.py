"""The exact binomial interval against scipy's, and against what it promises."""

import pytest
from scipy import stats

from ragassay.metrics.binomial import clopper_pearson


@pytest.mark.parametrize(("hits", "count"), [(0, 1), (1, 1), (0, 30), (3, 30), (15, 300), (299, 300), (300, 300)])
@pytest.mark.parametrize("level", [0.9, 0.95])
def test_it_is_that_of_scipy(hits, count, level):
    expected = stats.binomtest(hits, count).proportion_ci(level, "exact")
    assert clopper_pearson(hits, count, level) == pytest.approx((expected.low, expected.high), abs=1e-12)


@pytest.mark.parametrize("rate", [0.01, 0.05, 0.5])
def test_it_covers_the_rate_at_least_as_often_as_it_says(rate):
    covered = sum(
        stats.binom.pmf(hits, 40, rate)
        for hits in range(41)
        if clopper_pearson(hits, 40)[0] <= rate <= clopper_pearson(hits, 40)[1]
    )
    assert covered >= 0.95


def test_nothing_has_no_rate():
    assert clopper_pearson(0, 0) == (None, None)
