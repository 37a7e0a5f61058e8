"""Charts: heights in proportion, text escaped, ticks round, the same drawing for the same numbers."""

import xml.etree.ElementTree as ET

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ragassay.report.charts import bars, nice_ticks

SVG = "{http://www.w3.org/2000/svg}"


def test_bars_are_as_high_as_their_values():
    drawing = ET.fromstring(bars([("a", 10), ("b", 5), ("c", 0)], "T", "x", "y"))
    heights = [float(bar.get("height")) for bar in drawing.iter(f"{SVG}rect")]
    assert heights[0] == pytest.approx(2 * heights[1], abs=0.1) and heights[2] == 0
    assert [bar.find(f"{SVG}title").text for bar in drawing.iter(f"{SVG}rect")] == ["a: 10", "b: 5", "c: 0"]


def test_labels_and_titles_cannot_break_out():
    evil = "</text><script>alert(1)</script>&\"'"
    drawing = ET.fromstring(bars([(evil, 1)], evil, evil, evil))
    assert not list(drawing.iter(f"{SVG}script"))
    assert drawing.find(f"{SVG}title").text == evil


def test_crowded_labels_are_thinned_out_and_no_bar_is_lost():
    drawing = ET.fromstring(bars([(f"{n}-{n + 24}", n) for n in range(100)], "T", "x", "y"))
    assert len(list(drawing.iter(f"{SVG}rect"))) == 100
    assert len(list(drawing.iter(f"{SVG}text"))) < 40


def test_nothing_and_zeros_are_drawn():
    for items in ([], [("a", 0)]):
        assert ET.fromstring(bars(items, "T", "x", "y")).get("role") == "img"


@given(st.floats(min_value=1e-6, max_value=1e12))
def test_ticks_start_at_zero_reach_the_highest_and_are_few(highest):
    ticks = nice_ticks(highest)
    assert ticks[0] == 0 and ticks[-1] >= highest * (1 - 1e-9) and 2 <= len(ticks) <= 8
