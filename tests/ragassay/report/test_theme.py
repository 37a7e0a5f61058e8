"""What charts have in common, and their files: the same bytes each time, in the page's colours."""

import json
import re
import xml.etree.ElementTree as ET
from functools import cache
from itertools import combinations, pairwise

import altair as alt
import numpy as np
import pytest

from drawings import number
from project import ROOT
from ragassay.report import card_checks, charts, heat, svg, theme

# How people without one kind of cone see linear RGB (Machado, Oliveira and Fernandes 2009).
VISION = {
    "usual": np.eye(3),
    "protanopia": [[0.152286, 1.052583, -0.204868], [0.114503, 0.786281, 0.099216], [-0.003882, -0.048116, 1.051998]],
    "deuteranopia": [[0.367322, 0.860646, -0.227968], [0.280085, 0.672501, 0.047413], [-0.01182, 0.04294, 0.968881]],
    "tritanopia": [[1.255528, -0.076749, -0.178779], [-0.078411, 0.930809, 0.147602], [0.004733, 0.691367, 0.3039]],
}
TO_XYZ = np.array([[0.4124, 0.3576, 0.1805], [0.2126, 0.7152, 0.0722], [0.0193, 0.1192, 0.9505]])


def page_colours():
    """The variables of the page in light and in dark."""
    style = (ROOT / "workflow/report/page.css").read_text()
    light, dark = re.findall(r":root \{(.*?)\}", style, re.DOTALL)[:2]
    return [dict(re.findall(r"--([\w-]+): (#\w{6})", block)) for block in (light, dark)]


LIGHT, DARK = page_colours()


def linear(colour):
    channels = np.array([int(colour[at : at + 2], 16) for at in (1, 3, 5)]) / 255
    return np.where(channels <= 0.04045, channels / 12.92, ((channels + 0.055) / 1.055) ** 2.4)


def lab(rgb):
    xyz = TO_XYZ @ np.clip(rgb, 0, 1) / TO_XYZ.sum(axis=1)
    x, y, z = np.where(xyz > 0.008856, np.cbrt(xyz), 7.787 * xyz + 16 / 116)
    return np.array([116 * y - 16, 500 * (x - y), 200 * (y - z)])


def contrast(one, other):
    darker, lighter = sorted(linear(colour) @ TO_XYZ[1] for colour in (one, other))
    return (lighter + 0.05) / (darker + 0.05)


def test_a_chart_by_itself_has_the_colours_of_the_light_page():
    assert {LIGHT[name]: name for name in theme.VARIABLES.values()} == theme.VARIABLES
    assert set(theme.VARIABLES.values()) <= DARK.keys()


@pytest.mark.parametrize("page", [LIGHT, DARK], ids=["light", "dark"])
@pytest.mark.parametrize("vision", VISION)
def test_series_can_be_told_apart_whatever_colours_somebody_sees(page, vision):
    colours = [page[theme.VARIABLES[colour]] for colour in theme.SERIES]
    seen = [lab(np.array(VISION[vision]) @ linear(colour)) for colour in colours]
    assert min(np.linalg.norm(one - other) for one, other in combinations(seen, 2)) > 25


@pytest.mark.parametrize("page", [LIGHT, DARK], ids=["light", "dark"])
def test_marks_and_text_stand_out_from_the_card(page):
    assert all(contrast(page[theme.VARIABLES[colour]], page["card"]) >= 3 for colour in theme.SERIES)
    assert all(contrast(page[name], page["card"]) >= 4.5 for name in ("ink", "soft"))


@pytest.mark.parametrize("page", [LIGHT, DARK], ids=["light", "dark"])
def test_numbers_can_be_read_on_the_strongest_cell_of_a_heat_map(page):
    mark, card = (np.array([int(page[name][at : at + 2], 16) for at in (1, 3, 5)]) for name in ("mark", "card"))
    cell = "#" + "".join(f"{round(part):02x}" for part in mark * heat.STRONGEST + card * (1 - heat.STRONGEST))
    assert contrast(page["ink"], cell) >= 4.5


def test_words_of_a_badge_can_be_read():
    assert all(contrast(colour, "#ffffff") >= 4.5 for colour in [*card_checks.COLOURS.values(), "#2b333d"])


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
    texts = {element.text for element in root.iter(f"{{{svg.SVG}}}text")}
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
    lines = {f"{{{svg.SVG}}}tspan"}  # of a long name
    assert {element.tag for element in evil.iter()} - lines == {element.tag for element in plain.iter()}
    assert any(EVIL in (element.text or "") for element in evil.iter())


def test_nothing_is_fetched():
    far = alt.Chart(alt.UrlData("http://127.0.0.1:9/data.json")).mark_point().encode(x="a:Q")
    with pytest.raises(ValueError, match=r"(?i)not allowed|denied|disallowed"):
        theme.files(theme.finished(far, "T"))


def test_series_of_a_paper_can_be_told_apart_in_grey_and_whatever_colours_somebody_sees():
    lightness = sorted(lab(linear(colour))[0] for colour in theme.GREYS)
    assert min(after - before for before, after in pairwise(lightness)) > 14
    assert all(contrast(colour, "#ffffff") > 2.2 for colour in theme.GREYS)
    for vision in VISION.values():
        seen = [lab(np.array(vision) @ linear(colour)) for colour in theme.GREYS]
        assert min(np.linalg.norm(left - right) for left, right in combinations(seen, 2)) > 20


@pytest.mark.parametrize("width", [84, 174])
@KINDS
def test_a_chart_of_a_paper_fits_its_width(kind, width):
    with theme.drawn_for(theme.paper(width)):
        svg_text = theme.printed(chart(kind), width)["svg"].decode()
    printed_width = float(re.search(r'width="([\d.]+)mm"', svg_text)[1])
    assert width * 0.85 < printed_width <= width + 0.1
    assert not {"#1f6f8b", "#d07a1f"} & set(re.findall(r"#\w{6}", svg_text))
