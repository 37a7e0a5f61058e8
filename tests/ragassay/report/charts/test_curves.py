"""Curves, points and ROC curves: every point in its place, names beside colours, panels where there are many."""

import pytest

from drawings import Drawing, number
from ragassay.report import charts


def mark(label, at, value, low=None, high=None, at_low=None, at_high=None, **more):
    return {"label": label, "at": at, "at_low": at_low, "at_high": at_high, **number(value, low, high), **more}


def draw(kind, *marks, **options):
    return Drawing(kind(list(marks), "T", "Documents", "Right", **options))


def middle(found):
    return (found.left + found.right) / 2, (found.top + found.bottom) / 2


def test_points_are_joined_in_the_order_of_their_places_and_stand_where_axes_say():
    drawing = draw(charts.lines, mark("a", 40, 0.9), mark("a", 10, 0.5), mark("a", 20, 0.7))
    assert sorted(drawing.tips) == ["a", "a, 10: 0.5", "a, 20: 0.7", "a, 40: 0.9"]
    (x1, y1), (x2, y2), (x3, y3) = (middle(drawing.mark(f"a, {at}")) for at in (10, 20, 40))
    assert (x3 - x1) / (x2 - x1) == pytest.approx(3, abs=0.05)
    assert y1 - y2 == pytest.approx(y2 - y3, abs=0.2) and y1 > y3  # higher is further up
    (curve,) = [found for found in drawing.marks if found.tip == "a"]
    across = [float(piece.split(",")[0]) for piece in curve.style["d"].removeprefix("M").split("L")]
    assert across == sorted(across) and len(across) == 3


def test_an_interval_has_a_whisker_that_the_axis_reaches():
    drawing = draw(charts.lines, mark("a", 1, 0.5, 0.1, 0.9), mark("a", 2, 0.5))
    (whisker,) = [rule for rule in drawing.rules if rule.left == rule.right]
    grid = [rule.top for rule in drawing.rules if rule.left != rule.right]
    assert min(grid) - 0.6 <= whisker.top < middle(drawing.mark("a, 1"))[1] < whisker.bottom <= max(grid) + 0.6


def test_places_that_are_a_few_whole_numbers_have_one_tick_each():
    words = draw(charts.lines, mark("a", 1, 0.5), mark("a", 2, 0.5), mark("a", 4, 0.7)).words
    assert {"1", "2", "4"} <= set(words) and not {"3", "1.5"} & set(words)
    assert {"1.5", "2.5"} <= set(draw(charts.lines, mark("a", 1.25, 0.5), mark("a", 3, 0.7)).words)


def test_places_that_differ_by_orders_of_magnitude_stand_on_a_logarithmic_axis():
    drawing = draw(charts.lines, *(mark("a", 10**power, 0.5) for power in range(4)))
    across = [middle(drawing.mark(f"a, {10**power}:"))[0] for power in range(4)]
    assert across[1] - across[0] == pytest.approx(across[3] - across[2], abs=0.1)
    assert {"1", "10", "100", "1k"} <= set(drawing.words)


def test_what_is_not_defined_has_no_point():
    drawing = draw(charts.lines, mark("a", 1, None), mark("a", 2, 0.5))
    assert [tip for tip in drawing.tips if ":" in tip] == ["a, 2: 0.5"]


def test_the_diagonal_is_where_both_axes_are_equal():
    drawing = draw(charts.lines, mark("a", 0.25, 0.25), mark("a", 0.75, 0.75), diagonal=True)
    (equal,) = drawing.curves
    for at in ("0.25", "0.75"):
        x, y = middle(drawing.mark(f"a, {at}"))
        part = (x - equal.left) / (equal.right - equal.left)
        assert part == pytest.approx(float(at), abs=0.01)
        assert (equal.bottom - y) / (equal.bottom - equal.top) == pytest.approx(part, abs=0.01)


def test_four_names_share_a_chart_and_differ_in_colour_and_shape():
    drawing = draw(charts.lines, *(mark(f"method {n}", at, n / 9) for n in range(4) for at in (1, 2)))
    points = [drawing.mark(f"method {n}, 1") for n in range(4)]
    assert len({point.style["fill"] for point in points}) == len({point.style["d"] for point in points}) == 4
    assert all(drawing.words.count(f"method {n}") == 1 for n in range(4))


@pytest.mark.parametrize("kind", [charts.lines, charts.scatter, charts.roc])
def test_of_many_names_each_has_a_panel_in_which_the_others_are_grey(kind):
    names = [f"method {n}" for n in range(7)]
    drawing = draw(kind, *(mark(name, at, n / 7) for n, name in enumerate(names) for at in (0, 1)))
    assert [drawing.words.count(name) for name in names] == [1] * 7
    assert len({drawing.text(name) for name in names}) == 7
    coloured = [found.tip for found in drawing.marks if "--mark," in str(found.style)]
    assert {tip.split(",")[0] for tip in coloured} == set(names)
    greys = [found for found in drawing.marks if "--soft" in str(found.style)]
    assert len(greys) == 7 * 7 * (2 if kind is charts.scatter else 1)


def test_of_more_than_a_dozen_names_none_is_grey():
    drawing = draw(charts.lines, *(mark(f"method {n}", at, n / 13) for n in range(13) for at in (0, 1)))
    assert not [found for found in drawing.marks if "--soft" in str(found.style)]
    assert all(drawing.words.count(f"method {n}") == 1 for n in range(13))


def test_points_of_a_scatter_have_intervals_both_ways_and_are_not_joined():
    drawing = draw(charts.scatter, mark("a", 0.4, 0.5, 0.3, 0.8, 0.2, 0.6), mark("a", 0.6, 0.2), diagonal=True)
    assert drawing.tips == ["a, 0.4: 0.5 [0.3, 0.8], n = 10", "a, 0.6: 0.2"]
    (equal,) = drawing.curves
    width, height = equal.right - equal.left, equal.bottom - equal.top
    whiskers = [rule for rule in drawing.rules if rule.style.get("stroke-width") == "1.5"]
    (upright,) = [rule for rule in whiskers if rule.left == rule.right]
    (level,) = [rule for rule in whiskers if rule.top == rule.bottom]
    assert (upright.bottom - upright.top) / height == pytest.approx(0.5, abs=0.01)
    assert (level.right - level.left) / width == pytest.approx(0.4, abs=0.01)


def test_a_roc_curve_is_named_with_its_area_and_lies_over_the_diagonal_with_its_band():
    points = [(0, 0), (0, 0.6), (0.3, 0.6), (1, 1)]
    drawing = draw(charts.roc, *(mark("probe", at, value, value, value, area=0.78125) for at, value in points))
    assert "probe (AUROC 0.781)" in drawing.words
    (curve,) = [found for found in drawing.marks if found.tip == "probe (AUROC 0.781)"]
    (equal,) = drawing.curves
    assert (curve.left, curve.top, curve.right, curve.bottom) == pytest.approx(equal[1:5], abs=0.6)
    corner = (equal.bottom - equal.top) * 0.4  # the curve rises at once to 0.6
    pieces = [tuple(map(float, piece.split(","))) for piece in curve.style["d"].removeprefix("M").split("L")]
    assert pieces[1] == pytest.approx((0, corner), abs=0.1) and len(pieces) == 4
    assert 'opacity="0.15"' in drawing.svg
    unknown = draw(charts.roc, *(mark("probe", at, value, area=None) for at, value in points))
    assert "probe" in unknown.words and 'opacity="0.15"' not in unknown.svg
