"""Heat maps and dot plots: every number has its mark in the right place, and what is not known has none."""

import re
import xml.etree.ElementTree as ET

import pytest

from ragassay.report.charts import Value
from ragassay.report.plots import dots, heat

SVG = "{http://www.w3.org/2000/svg}"


def tooltips(drawing):
    return [mark.text for mark in ET.fromstring(drawing).iter(f"{SVG}title")][1:]


def circles(drawing):
    return [float(mark.get("cx")) for mark in ET.fromstring(drawing).iter(f"{SVG}circle")]


def test_the_greatest_dot_is_on_top_and_places_follow_values():
    drawing = dots([("low", Value(0.2)), ("none", Value(None)), ("high", Value(0.8, 0.7, 0.9))], "T", "Share", line=1)
    assert tooltips(drawing) == ["high: 0.8 [0.7, 0.9]", "low: 0.2"]
    labels = [text.text for text in ET.fromstring(drawing).iter(f"{SVG}text") if text.get("text-anchor") == "end"]
    assert labels == ["high", "low", "none"]
    zero = next(float(t.get("x")) for t in ET.fromstring(drawing).iter(f"{SVG}text") if t.text == "0")
    high, low = circles(drawing)
    assert (high - zero) / (low - zero) == pytest.approx(4, rel=0.01)


def test_a_whisker_reaches_from_the_low_end_to_the_high_one():
    drawing = dots([("a", Value(0.5, 0.25, 1.0))], "T", "Share")
    zero, one = (
        next(float(t.get("x")) for t in ET.fromstring(drawing).iter(f"{SVG}text") if t.text == name)
        for name in ("0", "1")
    )
    ends = next(line for line in ET.fromstring(drawing).iter(f"{SVG}line") if line.get("y1") == line.get("y2"))
    assert float(ends.get("x1")) == pytest.approx(zero + (one - zero) / 4, abs=0.2)
    assert float(ends.get("x2")) == pytest.approx(one, abs=0.2)


def test_a_cell_is_the_darker_the_greater_its_share_and_an_unknown_one_is_missing():
    rows = [("a", {"food": Value(0.1), "music": Value(0.9, 0.8, 1.0)}), ("b", {"food": Value(None)})]
    drawing = heat(rows, ["food", "music"], "T", "Topic")
    assert tooltips(drawing) == ["a, food: 0.1", "a, music: 0.9 [0.8, 1]"]
    light, dark = map(float, re.findall(r'fill-opacity="([\d.]+)"', drawing))
    assert light < 0.2 < 0.8 < dark


def test_long_and_hostile_labels_stay_text_in_their_room():
    for drawing in (
        dots([("<b>" * 50, Value(1))], "T", "X"),
        heat([("<b>" * 50, {"c" * 99: Value(1)})], ["c" * 99], "T", "X"),
    ):
        assert "<b>" not in drawing
        assert all(len(text.text) < 90 for text in ET.fromstring(drawing).iter(f"{SVG}text"))


@pytest.mark.parametrize("draw", [lambda: dots([], "T", "X"), lambda: heat([], [], "T", "X")])
def test_nothing_is_drawn_of_nothing(draw):
    assert tooltips(draw()) == []


def test_a_cell_shows_another_number_than_it_is_shaded_by():
    drawing = heat([("row", {"a": Value(0.25, shown=31.0)})], ["a"], "T", "X")
    assert ">31<" in drawing and ">0.25<" not in drawing
