"""Charts: heights in proportion, text escaped, ticks round, the same drawing for the same numbers."""

import xml.etree.ElementTree as ET

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ragassay.report.charts import Value, bars, nice_ticks

SVG = "{http://www.w3.org/2000/svg}"


def test_bars_are_as_high_as_their_values():
    drawing = ET.fromstring(bars([("a", 10), ("b", 5), ("c", 0)], "T", "x", "y"))
    heights = [float(bar.get("height")) for bar in drawing.iter(f"{SVG}rect")]
    assert heights[0] == pytest.approx(2 * heights[1], abs=0.1) and heights[2] == 0
    assert [bar.find(f"{SVG}title").text for bar in drawing.iter(f"{SVG}rect")] == ["a: 10", "b: 5", "c: 0"]


def test_several_heights_stand_side_by_side_under_their_names():
    drawing = ET.fromstring(bars([("a", 10, 5), ("b", None, 10)], "T", "x", "y", ("Out", "In")))
    found = [
        (bar.find(f"{SVG}title").text, bar.get("fill"), float(bar.get("x")), float(bar.get("width")))
        for bar in drawing.iter(f"{SVG}rect")
    ]
    assert [name for name, *_ in found] == ["a, Out: 10", "a, In: 5", "b, In: 10"]
    assert found[0][1] != found[1][1] == found[2][1]
    assert found[1][2] == pytest.approx(found[0][2] + found[0][3], abs=0.2)
    texts = [text.text for text in drawing.iter(f"{SVG}text")]
    assert {"Out", "In"} <= set(texts) and len(list(drawing.iter(f"{SVG}circle"))) == 2


def test_an_interval_is_a_whisker_and_a_line_goes_across():
    plain = ET.fromstring(bars([("a", 0.8)], "T", "x", "y"))
    drawing = ET.fromstring(bars([("a", Value(0.8, 0.7, 1.4))], "T", "x", "y", line=0.75))
    [bar] = drawing.iter(f"{SVG}rect")
    assert bar.find(f"{SVG}title").text == "a: 0.8 [0.7, 1.4]"
    lines = [line for line in drawing.iter(f"{SVG}line") if line.get("stroke").startswith("var(--ink")]
    whisker, across = lines
    base = float(bar.get("y")) + float(bar.get("height"))
    unit = float(bar.get("height")) / 0.8
    assert base - float(whisker.get("y2")) == pytest.approx(1.4 * unit, abs=0.3) and float(whisker.get("y2")) >= 0
    assert base - float(across.get("y1")) == pytest.approx(0.75 * unit, abs=0.3) and across.get("stroke-dasharray")
    assert not [line for line in plain.iter(f"{SVG}line") if line.get("stroke").startswith("var(--ink")]


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
