"""Charts of the report, from marks to small drawings."""

import re
import xml.etree.ElementTree as ET

import pytest

from drawings import Drawing, number
from ragassay.report import charts, svg


def point(label, at, value):
    return {"label": label, "at": at, "at_low": None, "at_high": None, **number(value, value - 0.1, value + 0.1)}


def cell(label, series, value):
    return {"label": label, "series": series, **number(value, value - 0.1, value + 0.1)}


CURVES = [point(f"method {n}", at, at * n / 7) for n in range(7) for at in (0, 0.3, 0.31, 1)]
CELLS = [cell(f"row {n}", f"column {m}", n * m / 90) for n in range(10) for m in range(10)]
CHARTS = {
    "panels": lambda: charts.lines(CURVES, "T", "X", "Y", diagonal=True),
    "scatter": lambda: charts.scatter(CURVES[:16], "T", "X", "Y"),
    "roc": lambda: charts.roc(CURVES[:16], "T", "X", "Y"),
    "heat": lambda: charts.heat(CELLS, "T", "X"),
    "dots": lambda: charts.dots([cell(f"row {n}", s, n / 9) for n in range(9) for s in "ab"], "T", "X", line=1),
    "bars": lambda: charts.bars([cell(f"{n}", s, n / 9) for n in range(9) for s in "ab"], "T", "X", "Y"),
}


def content(drawing):
    """What a reader sees of a drawing: marks, lines and texts, where they stand and in which colours."""
    marks = [
        (mark.tip, (mark.left + mark.right) / 2, (mark.top + mark.bottom) / 2, mark.style) for mark in drawing.marks
    ]
    rules = [("", *rule[1:5], rule.style) for rule in drawing.rules]
    for name, *places, style in [*marks, *rules, *drawing.texts]:
        look = [style.get(key, svg.DEFAULTS.get(key)) for key in ("fill", "stroke", "fill-opacity", "stroke-width")]
        yield name, [round(place * 2) / 2 for place in places], look


@pytest.mark.parametrize("name", CHARTS)
def test_a_small_drawing_shows_the_same_as_the_large_one(name, monkeypatch):
    small = Drawing(CHARTS[name]())
    for step in ("_shrink", "_reshape"):
        monkeypatch.setattr(svg, step, lambda element: None)
    large = Drawing(CHARTS[name]())
    assert len(small.svg) < len(large.svg) * 0.75
    pairs = [*zip(content(small), content(large), strict=True)]
    assert len(pairs) > 20
    for (text, places, look), (expected, there, before) in pairs:
        assert (text, look) == (expected, before) and places == pytest.approx(there, abs=0.6)


def drawn(body, variables=None):
    frame = f'<svg xmlns="{svg.SVG}" viewBox="0 0 9 9" width="9" height="9"><g>{body}</g></svg>'
    root = ET.fromstring(svg.for_page(frame, "T", variables or {}))
    return [(element.tag.split("}")[1], element.attrib) for element in root.iter()][1:]


def test_what_members_of_a_group_share_is_said_once_and_what_differs_stays():
    text = '<text fill="red" font-size="12px" transform="translate({},2.04)">a</text>'
    assert drawn(text.format(1) + text.format(3)) == [
        ("g", {"fill": "red", "font-size": "12px"}),
        ("text", {"x": "1", "y": "2"}),
        ("text", {"x": "3", "y": "2"}),
    ]
    mixed = drawn('<text fill="red">a</text><text fill="red">b</text><text fill="blue">c</text><text>d</text>')
    assert [attributes.get("fill") for _, attributes in mixed] == ["red", "red", "blue", None]


def test_a_colour_of_the_page_keeps_its_own_as_fallback():
    [(_, attributes)] = drawn('<path d="M0,0h1" stroke="#1f6f8b"/>', {"#1f6f8b": "mark"})
    assert attributes["stroke"] == "var(--mark, #1f6f8b)"


def test_groups_that_only_move_move_together():
    inner = '<g transform="translate(1.5,2)" opacity="0.5"><rect width="1" height="1" fill="red"/></g>'
    (group, _) = drawn(f'<g transform="translate(10,20)"><g>{inner}</g></g>')
    assert group == ("g", {"transform": "translate(11.5,22)", "opacity": "0.5"})


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        ("M0,0L1,1L2,2L3,0", "M0,0L2,2L3,0"),
        ("M0,0L2,0L1,0", "M0,0L2,0L1,0"),  # back again
        ("M0,0L0,0L0,5", "M0,0L0,5"),
        ("M0,0L0,5L5,5L5,5.04", "M0,0L0,5L5,5"),
        ("M0.26,0L0,5L5,5L9,9", "M0.3,0L0,5L5,5L9,9"),
    ],
)
def test_points_between_others_are_left_out_and_corners_stay(path, expected):
    [(_, attributes)] = drawn(f'<path d="{path}" stroke="red"/>')
    assert attributes["d"].removesuffix("L5,5") == expected.removesuffix("L5,5")


def test_curves_that_look_the_same_are_one_path_unless_one_has_a_tooltip_or_is_filled():
    path = '<path d="M{0},0L{0},5" {1}/>'
    grey, tip, filled = 'stroke="grey"', 'stroke="grey" aria-label="tip"', 'stroke="grey" fill="red"'
    kinds = drawn("".join(path.format(at, look) for at, look in enumerate([grey, grey, tip, grey, filled, filled])))
    assert [attributes["d"] for tag, attributes in kinds if tag == "path"] == [
        "M0,0L0,5M1,0L1,5", "M2,0L2,5", "M3,0L3,5", "M4,0L4,5", "M5,0L5,5"
    ]  # fmt: skip


def test_numbers_have_one_decimal():
    [(_, attributes)] = drawn('<path d="M-0.04,10.00L1e-7,3.14159L99.95,-2.5" fill="red" fill-opacity="0.0689999"/>')
    assert attributes["d"] == "M0,10L0,3.1L100,-2.5" and attributes["fill-opacity"] == "0.07"
    places = [element.get("d", "") for element in Drawing(CHARTS["panels"]()).root.iter()]
    assert "L" in "".join(places) and not re.search(r"\d\.\d\d", " ".join(places))
