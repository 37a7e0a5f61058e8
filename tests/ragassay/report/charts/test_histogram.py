"""Histograms: bins where their numbers are, as high as their counts, one series over the other."""

import pytest

from drawings import Drawing, number
from ragassay.report import charts


def mark(start, end, value, series=""):
    return {"series": series, "start": start, "end": end, **number(value)}


def draw(*marks, **options):
    return Drawing(charts.histogram(list(marks), "T", "Words", "Documents", **options))


def test_bins_touch_are_as_wide_as_their_numbers_and_as_high_as_their_counts():
    drawing = draw(mark(0, 10, 4), mark(10, 30, 8), mark(40, 50, 2))
    first, second, third = drawing.marks
    assert first.right == pytest.approx(second.left, abs=0.1)
    width = first.right - first.left
    assert second.right - second.left == pytest.approx(2 * width, abs=0.1)
    assert third.left - second.right == pytest.approx(width, abs=0.1)  # no documents from 30 to 40
    heights = [bar.bottom - bar.top for bar in drawing.marks]
    assert heights == pytest.approx([heights[2] * 2, heights[2] * 4, heights[2]], abs=0.1)


def test_a_tooltip_names_the_series_and_the_bin():
    drawing = draw(mark(0.05, 0.1, 4, "In scope"), mark(0.05, 0.1, 3, "Out of scope"))
    assert drawing.tips == ["In scope, 0.05 to 0.1: 4", "Out of scope, 0.05 to 0.1: 3"]


def test_series_lie_over_each_other_and_can_be_seen_through():
    drawing = draw(mark(0, 1, 4, "In scope"), mark(0, 1, 3, "Out of scope"))
    one, other = drawing.marks
    assert (one.left, one.right, one.bottom) == (other.left, other.right, other.bottom)
    assert one.style["fill"] != other.style["fill"]
    assert float(one.style["fill-opacity"]) < 0.5 and {"In scope", "Out of scope"} <= set(drawing.words)


def test_a_threshold_is_a_line_at_its_number():
    drawing = draw(mark(0, 10, 4), mark(10, 20, 8), line=10)
    (line,) = [rule for rule in drawing.rules if rule.style.get("stroke-dasharray")]
    assert line.left == line.right == pytest.approx(drawing.marks[1].left, abs=0.6)


def test_few_bins_have_a_tick_at_each_end_and_whole_numbers_in_their_middle():
    assert {"175", "200", "225"} <= set(draw(mark(175, 200, 4), mark(200, 225, 8)).words)
    drawing = draw(*(mark(n - 0.5, n + 0.5, 8) for n in (13, 14, 15)))
    assert drawing.text("14")[0] == pytest.approx((drawing.marks[1].left + drawing.marks[1].right) / 2, abs=0.6)
    assert "13.5" not in drawing.words
    many = [word for word in draw(*(mark(n, n + 1, 8) for n in range(100))).words if word.isdigit()]
    assert 5 < len(many) < 40
