"""Sparks: a number with its interval on a bar, or a line over shards, as a few hundred bytes of SVG."""

import re
from xml.etree import ElementTree

import pytest

from ragassay.report import spark


def test_a_dot_stands_where_its_value_is_with_its_interval_and_reference():
    drawing = spark.dot(0.5, 0.25, 0.75, against=1)
    root = ElementTree.fromstring(drawing)
    left, right = spark.EDGE, spark.WIDTH - spark.EDGE
    circle = root.find("{*}circle")
    assert float(circle.get("cx")) == (left + right) / 2
    paths = [path.get("d") for path in root.iter("{http://www.w3.org/2000/svg}path")]
    ends = [float(number) for number in re.findall(r"[MH](\d+)", paths[1])]
    assert ends == pytest.approx([left + 0.25 * (right - left), left + 0.75 * (right - left)], abs=0.5)
    assert paths[2].startswith(f"M{right} ") and len(drawing) < 700
    spoken = "0.5, interval 0.25 to 0.75, on a scale from 0 to 1, compared with 1"
    assert root.get("aria-label") == spoken


def test_what_lies_beyond_the_scale_stands_at_its_end_and_nothing_is_drawn_of_nothing():
    assert f"cx='{spark.WIDTH - spark.EDGE}'" in spark.dot(7)
    assert spark.dot(None) == spark.dot(float("nan")) == spark.dot(1, least=1, most=1) == ""


def test_a_line_has_a_gap_where_a_value_is_missing():
    drawing = spark.line([1, 2, None, 4, 3])
    path = re.search(r" d='([^']+)'", drawing)[1]
    assert path.count("M") == 2 and path.count("L") == 2
    assert "4 values, first 1, last 3, from 1 to 4" in drawing
    assert spark.line([1]) == spark.line([None, 2]) == ""
