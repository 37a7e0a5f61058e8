"""Bars: as long as their values, side by side under their names, with whiskers, a line and numbers."""

import pytest

from drawings import Drawing, number
from ragassay.report import charts, theme


def mark(label, value, series="", **interval):
    return {"label": label, "series": series, **number(value, **interval)}


def draw(*marks, **options):
    return Drawing(charts.bars(list(marks), "T", "Names", "Numbers", **options))


def height(bar):
    return bar.bottom - bar.top


def test_bars_are_as_long_as_their_values_and_stand_in_the_order_of_their_rows():
    drawing = draw(*(mark(label, value) for label, value in (("z", 10), ("a", 5), ("m", 0), ("b", 2.5))))
    assert drawing.tips == ["z: 10", "a: 5", "m: 0", "b: 2.5"]
    heights = [height(bar) for bar in drawing.marks]
    assert heights == pytest.approx([heights[0], heights[0] / 2, 0, heights[0] / 4], abs=0.05)
    assert [bar.left for bar in drawing.marks] == sorted(bar.left for bar in drawing.marks)


def test_several_series_stand_side_by_side_in_colours_of_their_own():
    drawing = draw(mark("a", 10, "Out"), mark("a", 5, "In"), mark("b", None, "Out"), mark("b", 8, "In"))
    assert drawing.tips == ["a, Out: 10", "a, In: 5", "b, In: 8"]
    out, inside, other = drawing.marks
    assert inside.left == pytest.approx(out.right, abs=0.1)
    assert out.style["fill"] != inside.style["fill"] == other.style["fill"]
    assert {"Out", "In"} <= set(drawing.words)


def test_an_interval_is_a_whisker_and_a_line_goes_across():
    marks = [mark(label, 0.8, low=0.7, high=1.0) for label in "abcd"]
    drawing = draw(*marks, line=0.75)
    assert "a: 0.8 [0.7, 1], n = 10" in drawing.tips
    unit, base = height(drawing.marks[0]) / 0.8, drawing.marks[0].bottom
    whiskers = [rule for rule in drawing.rules if rule.style.get("stroke-width") == "1.5"]
    (across,) = [rule for rule in drawing.rules if rule.style.get("stroke-dasharray")]
    assert len(whiskers) == 4
    assert (base - whiskers[0].bottom) / unit == pytest.approx(0.7, abs=0.01)
    assert (base - whiskers[0].top) / unit == pytest.approx(1.0, abs=0.01)
    assert (base - across.top) / unit == pytest.approx(0.75, abs=0.01)
    assert not [rule for rule in draw(mark("a", 1)).rules if rule.style.get("stroke-dasharray")]


def test_labels_that_are_too_long_stand_beside_bars_that_lie():
    upright = draw(*(mark(f"label {n}", 1) for n in range(6)))
    lying = draw(*(mark(f"a label that is far too long {n}", n) for n in range(6)))
    assert len({bar.bottom for bar in upright.marks}) == 1 and len({bar.left for bar in lying.marks}) == 1
    widths = [bar.right - bar.left for bar in lying.marks]
    assert widths == pytest.approx([n * widths[1] for n in range(6)], abs=0.1)
    assert all(f"a label that is far too long {n}" in lying.words for n in range(6))


def test_every_bar_of_many_keeps_its_label():
    drawing = draw(*(mark(f"2026-{n:02}", n) for n in range(80)))
    assert len(drawing.marks) == 80 and {f"2026-{n:02}" for n in range(80)} <= set(drawing.words)


def test_few_bars_bear_their_numbers_unless_they_have_intervals():
    plain = draw(*(mark(label, 1234.5) for label in "abcd"))
    assert plain.words.count("1,234.5") + plain.words.count("1,235") == 4
    assert "0.87654" not in draw(*(mark(label, 0.87654, low=0.8, high=0.9) for label in "abcd")).words


def test_four_series_have_four_colours():
    drawing = draw(*(mark(label, 1, f"s{n}") for label in "ab" for n in range(4)))
    assert len({bar.style["fill"] for bar in drawing.marks}) == len(theme.SERIES) == 4
