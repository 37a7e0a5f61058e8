"""What parts leave adds up to what one job makes of everything, to the bit, however items are cut and ordered."""

import numpy as np
import pytest
from sklearn.metrics import roc_auc_score

from ragassay.metrics.paired import p_of_flips
from ragassay.metrics.panel import Panel
from ragassay.metrics.sums import Totals, exact

NAMES = [f"d{number}" for number in range(40)]


@pytest.fixture(params=range(4))
def study(request):
    """The cluster of each item, values of two methods with gaps, of which one are no shares, and a mask."""
    random = np.random.default_rng(request.param)
    owners = np.repeat(NAMES, random.integers(1, 9, len(NAMES)))
    values = np.stack([random.random(len(owners)) < 0.3, exact(random.normal(size=len(owners)))], axis=1).astype(float)
    values[random.random(values.shape) < 0.2] = np.nan
    return random, owners, values, random.random(len(owners)) < 0.5


def parts(random, owners):
    """Items of all clusters, in shards of whole clusters, shards and items in any order."""
    names = random.permutation(NAMES)
    for shard in np.split(names, sorted(random.choice(np.arange(1, 40), 5, replace=False))):
        yield random.permutation(np.flatnonzero(np.isin(owners, shard)))


def test_sums_of_any_shards_give_the_bytes_of_one_job(study):
    random, owners, values, mask = study
    whole = Panel(owners, 60, 3).means(values, {"all": None, "some": mask})
    for _ in range(3):
        totals = Totals()
        for items in parts(random, owners):
            totals.add_means(Panel(owners[items], 60, 3), values[items], {"all": None, "some": mask[items]})
        for name, estimates in totals.estimates().items():
            assert [mine.tobytes() for mine in estimates] == [theirs.tobytes() for theirs in whole[name]]
            assert estimates.row(1) == whole[name].row(1)


def test_numbers_outside_a_mask_do_not_change_its_intervals():
    values, first = np.array([0.5, 0.25, 1.0, -0.5, 0.5, 2.0]), np.arange(6) < 3
    panel = Panel(range(6), 60)
    means = panel.means(values, {"first": first, "second": ~first})
    assert means["first"].row() == panel.mean(values, first).row() == panel.mean(np.abs(values) % 2, first).row()
    assert [bool(of_mask.shares[0]) for of_mask in means.values()] == [True, False]


def test_a_panel_keeps_its_draws_beside_one_of_the_same_names_without_any():
    panel, totals = Panel(["a", "b"], 9), Totals()
    for name, part in (("drawn", panel), ("undrawn", panel.undrawn()), ("again", panel)):
        totals.add_means(part, [1.0, 0.0], {name: None})
    assert {name: len(means.drawn) for name, means in totals.estimates().items()} == {
        "drawn": 9,
        "undrawn": 0,
        "again": 9,
    }
    assert totals.estimates()["drawn"].row() == panel.mean([1.0, 0.0]).row()


def test_means_that_wait_are_among_the_totals():
    totals = Totals()
    totals.add_means(Panel(["a", "b"], 9), [1.0, 0.0], {"all": None})
    assert totals["all"].totals[0].tolist() == [1] and totals["all"].totals.shape == (10, 1)


def test_flips_of_any_shards_give_the_p_of_one_job(study):
    random, owners, values, _ = study
    differences = np.sign(values)
    sums = sum(Panel(owners[items], 0, 3).flipped(differences[items], 99) for items in parts(random, owners))
    assert p_of_flips(sums).tolist() == Panel(owners, 0, 3).p(differences, 99).tolist()


def test_a_shard_without_items_adds_nothing(study):
    _, owners, values, _ = study
    totals = Totals()
    for items in ([], range(len(owners)), []):
        totals.add_means(Panel(owners[list(items)], 9), values[list(items)], {"all": None})
    assert totals.estimates()["all"].row() == Panel(owners, 9).mean(values).row()


def test_bounds_of_estimates_are_those_of_values(study):
    _, owners, values, mask = study
    shares = values[:, :1]
    filled = [np.where(np.isnan(shares), end, shares)[mask].mean(axis=0) for end in (0, 1)]
    np.testing.assert_allclose(Panel(owners).mean(shares, mask).bounds(), filled, rtol=1e-12)
    answers = np.array([1.0] * 15 + [0.0] * 7 + [np.nan])  # 15 / 22 * 22 is not 15
    assert [float(end[0]) for end in Panel(range(23)).mean(answers, np.full(23, True)).bounds()] == [15 / 23, 16 / 23]
    thirds = np.array([2 / 3] * 20 + [1 / 3] * 5 + [np.nan] * 3)  # such as the means of three seeds
    ends = Panel(range(28)).mean(thirds, np.full(28, True)).bounds()
    np.testing.assert_allclose(np.concatenate(ends), [15 / 28, 18 / 28], rtol=1e-14)
    seventh = Panel(range(7)).mean(np.array([2 / 3] + [0.0] * 6), np.full(7, True))
    np.testing.assert_allclose(np.concatenate(seventh.bounds()), [2 / 21, 2 / 21], rtol=1e-14)
    nothing = Panel(owners).mean(np.full(len(owners), np.nan), mask).bounds()
    assert [float(end[0]) for end in nothing] == [0, 1]


def test_exact_values_are_as_near_as_the_grid():
    values = np.random.default_rng(0).normal(size=1000)
    assert abs(exact(values) - values).max() <= 2.0**-27 and exact(0.5) == 0.5
    assert np.sum(exact(values)) == np.sum(exact(values)[::-1])


@pytest.mark.parametrize("digits", [1, 6], ids=["exact", "rounded"])
def test_areas_of_any_shards_are_those_of_one_job_and_as_near_as_they_say(digits):
    random = np.random.default_rng(digits)
    owners, positive = random.choice(NAMES, 3000), random.random(3000) < 0.4
    scores = np.round(random.beta(2 + positive, 2), digits)
    scores[:100] = np.nan
    everything = {"all": np.ones(3000, bool)}
    whole = Panel(owners, 30, 1).score_counts(scores, positive, everything)["all"]
    for _ in range(3):
        totals = Totals()
        for items in ([], *parts(random, owners)):
            counted = Panel(owners[items], 30, 1).score_counts(
                scores[items], positive[items], {"all": everything["all"][items]}
            )
            totals.add(counted)
        estimates = totals.estimates()["all"]
        assert [mine.tobytes() for mine in estimates] == [theirs.tobytes() for theirs in whole.estimates()]
    exactly = Panel(owners, 30, 1).auroc(scores, positive)
    assert whole.error() < 0.001 and (whole.error() == 0) == (digits == 1)
    np.testing.assert_allclose(estimates.drawn, exactly.drawn, atol=2 * whole.error() + 1e-12)
    assert estimates.values[0] == pytest.approx(roc_auc_score(positive[100:], scores[100:]), abs=whole.error() + 1e-12)
    assert [estimates.row()[name] for name in ("n", "abstained")] == [
        2900,
        100,
    ] and estimates.clusters == exactly.clusters


def test_positive_items_stand_against_negative_ones_of_others():
    random = np.random.default_rng(0)
    scores, positive, mask = random.random(200).round(2), random.random(200) < 0.5, random.random(200) < 0.3
    some, all_items = (
        Panel(np.arange(200), 9).score_counts(scores, positive, {"some": mask, "all": mask | True}).values()
    )
    expected = roc_auc_score(positive[mask | ~positive], scores[mask | ~positive])
    assert some.against(all_items).estimates().values == pytest.approx(expected)
