"""Files of a chart: the same bytes each time, text that stays text, colours of the page, nothing from outside."""

import json
import re
import xml.etree.ElementTree as ET
from functools import cache

import altair as alt
import pytest

from drawings import number
from ragassay.report import charts, theme

EVIL = "</text><script>alert(1)</script>&\"'#1b2430"


def bar(label, series=""):
    return {"label": label, "series": series, **number(0.5, 0.4, 0.6)}


def point(label, at):
    return {"label": label, "at": at, "at_low": None, "at_high": None, **number(at, at, at)}


def chart(kind, name="a"):
    """One of each kind, most of them with more than one series."""
    pairs = [bar(name, series) for series in ("x", "y")]
    bins = [{"series": series, "start": 0, "end": 1, **number(4)} for series in (name, "y")]
    few, many = ([point(f"{name}{n}", at) for n in range(count) for at in (0, 1)] for count in (2, 6))
    draw = {
        "bars": lambda: charts.bars([*pairs, bar("b", "x")], "A title", name, name, line=0.3),
        "dots": lambda: charts.dots([*pairs, bar("b", "x")], "A title", name, line=1),
        "heat": lambda: charts.heat(pairs, "A title", name),
        "histogram": lambda: charts.histogram(bins, "A title", name, name, line=0.5),
        "lines": lambda: charts.lines(few, "A title", name, name, diagonal=True),
        "scatter": lambda: charts.scatter(few, "A title", name, name),
        "roc": lambda: charts.roc(few, "A title", name, name),
        "panels": lambda: charts.lines(many, "A title", name, name, diagonal=True),
    }
    return draw[kind]()


NAMES = ("bars", "dots", "heat", "histogram", "lines", "scatter", "roc", "panels")
KINDS = pytest.mark.parametrize("kind", NAMES)


@cache
def files(kind):
    return theme.files(chart(kind))


def test_the_same_charts_give_the_same_bytes_in_any_order():
    first = {kind: files(kind) for kind in NAMES}
    again = {kind: theme.files(chart(kind)) for kind in reversed(NAMES)}
    assert again == first


@KINDS
def test_the_files_are_what_their_endings_say(kind):
    found = files(kind)
    assert list(found) == ["svg", "vl.json", "png", "pdf"]
    assert found["png"].startswith(b"\x89PNG\r\n") and found["pdf"].startswith(b"%PDF-")
    assert found["pdf"].rstrip().endswith(b"%%EOF") and b"LiberationSans" in found["pdf"]
    root = ET.fromstring(found["svg"])
    assert root.get("role") == "img" and root.get("aria-label") == "A title"
    left, top, width, height = map(float, root.get("viewBox").split())
    assert (left, top) == (0, 0) and 690 < width < 730 and height > 60
    assert int.from_bytes(found["png"][16:20]) == pytest.approx(theme.SHARP * width, abs=2)


@KINDS
def test_text_is_text_and_everything_has_a_colour_of_the_page(kind):
    root = ET.fromstring(files(kind)["svg"])
    texts = {element.text for element in root.iter(f"{{{theme.SVG}}}text")}
    assert any(text.startswith("a") for text in texts)
    colours = {element.get(name) for element in root.iter() for name in ("fill", "stroke")} - {None, "none"}
    assert colours <= {f"var(--{name}, {colour})" for colour, name in theme.VARIABLES.items()}


@KINDS
def test_an_svg_can_be_inlined_beside_others_in_a_page_with_a_strict_policy(kind):
    text = files(kind)["svg"].decode()
    assert not re.search(r"\s(id|style|href|class|on\w+)=|url\(|<(style|image|script|use)\b", text)


@KINDS
def test_a_specification_holds_its_data_and_points_nowhere(kind):
    specification = json.loads(files(kind)["vl.json"])
    assert specification["$schema"].startswith("https://vega.github.io/schema/vega-lite/")
    rest = json.dumps(specification | {"$schema": ""})
    assert "://" not in rest and '"url"' not in rest and "var(" not in rest
    assert '"tip"' in rest and '"abstained"' in rest


@KINDS
def test_hostile_names_stay_text(kind):
    plain, evil = (ET.fromstring(found["svg"]) for found in (files(kind), theme.files(chart(kind, EVIL))))
    lines = {f"{{{theme.SVG}}}tspan"}  # of a long name
    assert {element.tag for element in evil.iter()} - lines == {element.tag for element in plain.iter()}
    assert any(EVIL in (element.text or "") for element in evil.iter())


def test_nothing_is_fetched():
    far = alt.Chart(alt.UrlData("http://127.0.0.1:9/data.json")).mark_point().encode(x="a:Q")
    with pytest.raises(ValueError, match=r"(?i)not allowed|denied|disallowed"):
        theme.files(theme.finished(far, "T"))
