"""Curves: every point in its place, names beside the colours, whiskers to their ends; axes that fit."""

import re
import xml.etree.ElementTree as ET

import pytest

from ragassay.report.charts import Value
from ragassay.report.curves import lines

SVG = "{http://www.w3.org/2000/svg}"


def drawn(*series, **options):
    return ET.fromstring(lines(series, "T", "Documents", "Right", **options))


def tooltips(drawing):
    return [mark.text for mark in drawing.iter(f"{SVG}title")][1:]


def paths(drawing):
    return [
        [tuple(map(float, at.split(","))) for at in own.get("points").split()] for own in drawing.iter(f"{SVG}polyline")
    ]


def test_points_are_joined_in_the_order_of_their_places_and_stand_where_axes_say():
    drawing = drawn(("a", [(40, Value(0.9)), (10, Value(0.5)), (20, Value(0.7))]))
    (path,) = paths(drawing)
    across = {tick: float(t.get("x")) for t in drawing.iter(f"{SVG}text") if (tick := t.text) in ("10", "40")}
    assert [x for x, _ in path] == sorted(x for x, _ in path)
    assert path[0][0] == pytest.approx(across["10"], abs=0.1) and path[-1][0] == pytest.approx(across["40"], abs=0.1)
    assert path[0][1] - path[1][1] == pytest.approx(path[1][1] - path[2][1], abs=0.2)
    assert path[0][1] > path[-1][1]  # higher is further up
    assert tooltips(drawing) == ["a, 10: 0.5", "a, 20: 0.7", "a, 40: 0.9"]


def test_an_interval_has_a_whisker_that_the_axis_reaches():
    drawing = drawn(("a", [(1, Value(0.5, 0.1, 0.9)), (2, Value(0.5))]))
    whiskers = [line for line in drawing.iter(f"{SVG}line") if line.get("stroke-opacity")]
    assert len(whiskers) == 1
    grid = {float(line.get("y1")) for line in drawing.iter(f"{SVG}line") if "--line" in line.get("stroke")}
    low, high = float(whiskers[0].get("y1")), float(whiskers[0].get("y2"))
    assert min(grid) <= high < paths(drawing)[0][0][1] < low <= max(grid)


def test_what_is_not_defined_has_no_point_and_a_curve_of_nothing_no_name():
    drawing = drawn(("a", [(1, Value(None)), (2, Value(0.5))]), ("b", [(1, Value(None))]))
    assert tooltips(drawing) == ["a, 2: 0.5"]
    assert "b" not in [text.text for text in drawing.iter(f"{SVG}text")]


def test_the_diagonal_is_where_both_axes_are_equal():
    drawing = drawn(("a", [(0.25, Value(0.25)), (0.75, Value(0.75))]), diagonal=True)
    dashed = next(line for line in drawing.iter(f"{SVG}line") if line.get("stroke-dasharray") == "6 4")
    x1, y1, x2, y2 = (float(dashed.get(name)) for name in ("x1", "y1", "x2", "y2"))
    for x, y in paths(drawing)[0]:
        assert (x - x1) / (x2 - x1) == pytest.approx((y - y1) / (y2 - y1), abs=0.01)


def test_many_curves_are_told_apart_and_their_names_take_rows():
    drawing = drawn(*((f"a method with a name of some length {n}", [(1, Value(n / 9))]) for n in range(9)))
    styles = {(own.get("stroke"), own.get("stroke-dasharray")) for own in drawing.iter(f"{SVG}polyline")}
    assert len(styles) == 9
    names = [t for t in drawing.iter(f"{SVG}text") if t.text.startswith("a method")]
    assert len({(t.get("x"), t.get("y")) for t in names}) == 9
    assert max(float(t.get("y")) for t in names) < min(y for path in paths(drawing) for _, y in path)


@pytest.mark.parametrize("series", [(), (("a", []),), (("a", [(3, Value(0.7, 0.7, 0.7))]),), (("a", [(0, Value(0))]),)])
def test_little_or_nothing_is_drawn_without_complaint(series):
    assert not re.search("nan|inf", ET.tostring(drawn(*series), "unicode"))


def test_a_hostile_name_stays_text():
    assert "<b>" not in lines([("<b>" * 50, [(1, Value(1))])], "T", "X", "Y")
