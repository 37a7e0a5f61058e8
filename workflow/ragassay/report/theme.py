"""What all charts look like: size, font and colours, the pieces that most of them have, and the files they become.

Charts are made of plain colours, which PNG and PDF keep; in SVG each becomes a variable of the page with that colour as
its fallback (see `ragassay.report.svg`). Four series are told apart by people with any colour vision; where there are
more, each has a panel of its own (see `ragassay.report.charts`). The same chart always gives the same bytes. Nothing is
fetched, and the only font is one that vl-convert brings along.
"""

import json
import re
import textwrap
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass

import altair as alt
import vl_convert

from ragassay.report import svg

FONT = "Liberation Sans"  # comes with vl-convert and is as wide as Arial, so layouts are the same on every machine
LETTER, LINE_HEIGHT = 6.4, 14  # of labels; letters roughly
WIDER = 0.18  # by how much letters of a reader's font may be wider
INK, SOFT, LINE, CARD = "#1b2430", "#5b6675", "#dde1e7", "#ffffff"
SERIES = ("#1f6f8b", "#d07a1f", "#8f3cc4", "#3d3a22")
SHAPES = ("circle", "square", "triangle-up", "diamond")
VARIABLES = {INK: "ink", SOFT: "soft", LINE: "line", CARD: "card"} | dict(
    zip(SERIES, ("mark", "mark-2", "mark-3", "mark-4"), strict=True)
)
CHANNELS = {"x": alt.X, "y": alt.Y, "xOffset": alt.XOffset, "yOffset": alt.YOffset}
SHARP = 2  # dots of the PNG per dot of the SVG
# What one page of a PDF refers to; svg2pdf lists it in another order each time.
RESOURCES = re.compile(rb"(?:\n +/[A-Za-z]+\d+ \d+ 0 R){2,}")
FONT_SIZE, PRINTED = 12, 8  # of text in a drawing, and of the same text in print, in points
MM = 72 / 25.4  # points
PNG_DPI = 300
# Of a paper: each as much lighter than the one before as people can tell in grey.
GREYS = ("#141b2e", "#6a2f9e", "#1f86ab", "#e8903a")
DASHES = ([1, 0], [6, 3], [2, 2], [8, 3, 2, 3])


@dataclass(frozen=True)
class Style:
    """How large charts are, in units of which text has `FONT_SIZE`, and how their series are told apart."""

    width: float = 720
    height: float = 260
    tall: float = 420  # the height of a chart whose axes both reach from 0 to 1
    labels: float = 250  # the greatest width of labels of rows
    columns: int = 3  # panels beside each other
    series: tuple[str, ...] = SERIES
    dashed: bool = False


PAGE = Style()
IN_FORCE = ContextVar("style", default=PAGE)


def style() -> Style:
    """The style of the charts that are drawn now: that of the pages, or the one in `drawn_for`."""
    return IN_FORCE.get()


def paper(width: float) -> Style:
    """The style of figures that are so many mm wide in print, for people who print in grey, too."""
    units = width * MM * FONT_SIZE / PRINTED
    columns = 3 if units > 500 else 2 if units > 260 else 1
    return Style(
        units, min(PAGE.height, 0.6 * units), min(PAGE.tall, 0.85 * units), 0.35 * units, columns, GREYS, dashed=True
    )


@contextmanager
def drawn_for(other: Style) -> Iterator[None]:
    token = IN_FORCE.set(other)
    try:
        yield
    finally:
        IN_FORCE.reset(token)


def values(marks: list[dict]) -> alt.Data:
    """Marks as the data of a chart, without those that have no value; each with its `tip`."""
    return alt.Data(values=[mark | {"tip": tip(mark)} for mark in marks if mark["value"] is not None])


def chart(marks: list[dict] | None = None) -> alt.Chart:
    """A chart whose marks tell their `tip` to people who point at them; of no marks, one whose data come later."""
    drawing = alt.Chart() if marks is None else alt.Chart(values(marks))
    return drawing.encode(tooltip="tip:N", description="tip:N")


def tip(mark: dict) -> str:
    """What a mark stands for, in words: "cot, food: 0.958 [0.842, 1], n = 24, 2 abstained"."""
    names = [mark.get("label"), mark.get("series"), _place(mark)]
    interval = "" if mark["low"] is None else f" [{mark['low']:.3g}, {mark['high']:.3g}], n = {mark['n']:,}"
    abstained = f", {mark['abstained']:,} abstained" if mark["abstained"] else ""
    return f"{', '.join(filter(None, names))}: {mark['value']:,.4g}{interval}{abstained}{mark.get('note', '')}"


def _place(mark):
    if "start" in mark:
        return f"{mark['start']:g} to {mark['end']:g}"
    return f"{mark['at']:.4g}" if "at" in mark else None


def distinct(marks: list[dict], name: str) -> list[str]:
    """The values of one column, each once, in the order in which they come."""
    return list(dict.fromkeys(mark[name] for mark in marks))


def named(marks: list[dict], name: str) -> list[str]:
    """The values of one column in marks that are drawn."""
    return distinct([mark for mark in marks if mark["value"] is not None], name)


def whiskers(base: alt.Chart, along: str, colors) -> alt.Chart:
    """From the low to the high end of each interval, where one is known."""
    ends = {along: CHANNELS[along]("low:Q"), f"{along}2": "high:Q", "color": colors}
    return base.transform_filter("datum.low != null").mark_rule(strokeWidth=1.5, aria=False).encode(**ends)


def reference(value: float, along: str) -> alt.Chart:
    """A dashed line across the chart."""
    position = CHANNELS[along]("line:Q")
    return (
        alt.Chart(alt.Data(values=[{"line": value}]))
        .mark_rule(color=INK, strokeDash=[6, 4], aria=False)
        .encode(**{along: position})
    )


def color(names: list[str], field: str = "series", always: bool = False) -> alt.Color:
    """A colour for each name, explained in a legend above the chart, if there are several or it is `always` wanted."""
    scale = alt.Scale(domain=names, range=list(style().series[: len(names)]))
    return alt.Color(f"{field}:N", scale=scale, legend=_legend(names, always))


def shape(names: list[str], field: str = "series", always: bool = False) -> alt.Shape:
    """A shape for each name, in the same legend as its colour."""
    scale = alt.Scale(domain=names, range=list(SHAPES[: len(names)]))
    return alt.Shape(f"{field}:N", scale=scale, legend=_legend(names, always))


def dash(names: list[str], field: str = "label"):
    """A kind of dashes for the curve of each name where colours may be lost; in pages all are whole."""
    scale = alt.Scale(domain=names, range=list(DASHES[: len(names)]))
    return (
        alt.StrokeDash(f"{field}:N", scale=scale, legend=None) if style().dashed and len(names) > 1 else alt.Undefined
    )


def _legend(names, always):
    width = style().width
    fitting = int(width // (LETTER * max(map(len, names), default=1) + 40))
    columns = max(1, min(len(names), fitting))
    return alt.Legend(columns=columns, labelLimit=width - 60) if len(names) > 1 or always else None


def rows(labels: list[str]) -> alt.Y:
    """A row for each label, which is broken into two lines where it is too long for one."""
    axis = alt.Axis(title=None, labelLimit=style().labels, labelColor=INK, grid=False)
    if breaks := _breaks(labels):
        lines = f"({json.dumps(breaks)})[datum.value]"
        upwards = {"condition": {"test": lines, "value": -LINE_HEIGHT / 2}, "value": 0}  # of both lines' middle
        axis = alt.Axis(**axis.to_dict(), labelExpr=f"{lines} || datum.label", labelOffset=upwards)
    return alt.Y("label:N", axis=axis, scale=alt.Scale(domain=labels))


def heights(labels: list[str], row: float) -> float:
    """The height of all rows; those of broken labels need room for a second line."""
    return max(len(labels), 1) * (row + (LINE_HEIGHT if _breaks(labels) else 0))


def _breaks(labels):
    """label -> its lines, of those that are too long for one."""
    options = {"max_lines": 2, "placeholder": "\N{HORIZONTAL ELLIPSIS}", "break_on_hyphens": False}
    long = [label for label in labels if len(label) * LETTER > style().labels]
    return {label: textwrap.wrap(label, int(style().labels / LETTER), **options) for label in long}


def slack(labels: list[str]) -> float:
    """Room for labels on the left where the reader's font is wider than ours."""
    return 5 + WIDER * room(labels)


def room(labels: list[str]) -> float:
    """The width of the labels of rows, roughly."""
    return min(style().labels, LETTER * max(map(len, labels), default=0))


def finished(drawing, title: str, height: float | None = None, left: float = 5, right: float = 10):
    """The whole chart at the house's size and in its style, with room on the left and right of what is laid out."""
    sized = drawing.properties(
        width=style().width,
        height=style().height if height is None else height,
        autosize=alt.AutoSizeParams(type="fit-x", contains="padding"),
        padding={"left": left, "right": right, "top": 5, "bottom": 5},
    )
    return styled(sized, title)


def styled(drawing, title: str):
    axis = {"domain": False, "gridColor": LINE, "labelColor": SOFT, "labelFontSize": 12, "labelPadding": 6}
    axis |= {"ticks": False, "titleColor": INK, "titleFontSize": 12, "titleFontWeight": "normal", "titlePadding": 10}
    legend = {"direction": "horizontal", "labelColor": INK, "labelFontSize": 12, "labelLimit": 0, "orient": "top"}
    legend |= {"symbolOpacity": 1, "symbolSize": 90, "title": None, "offset": 14, "columnPadding": 18}
    return drawing.properties(description=title).configure(
        axis=alt.AxisConfig(**axis),
        background=CARD,
        font=FONT,
        legend=alt.LegendConfig(**legend),
        view=alt.ViewConfig(stroke=None),
    )


def files(chart) -> dict[str, bytes]:
    """The content of each file, by its ending."""
    specification, plain = _compiled(chart)
    shown = svg.for_page(plain, specification["description"], VARIABLES)
    return _written(shown, specification, plain, SHARP)


def printed(chart, width: float) -> dict[str, bytes]:
    """The content of each file for a paper, at most so many mm wide, with colours that say what they are."""
    specification, plain = _compiled(chart)
    across, down = map(float, re.search(r'viewBox="0 0 (\S+) (\S+)"', plain).groups())
    points = min(PRINTED / FONT_SIZE, width * MM / across)  # a unit
    frame = re.compile(r'(<svg[^>]*?) width="[^"]*" height="[^"]*" viewBox')
    in_mm, in_points = (
        frame.sub(rf'\1 width="{across * unit:.2f}{name}" height="{down * unit:.2f}{name}" viewBox', plain, count=1)
        for unit, name in ((points / MM, "mm"), (points, ""))
    )
    return _written(in_mm, specification, in_points, PNG_DPI / 72)


def _compiled(chart):
    """The specification and the drawing that vl-convert makes of it."""
    specification = chart.to_dict()
    return specification, vl_convert.vegalite_to_svg(specification, allowed_base_urls=[])


def _written(shown, specification, drawing, scale):
    """The files: an SVG that is shown, the specification, and a drawing as PNG and PDF."""
    return {
        "svg": shown.encode(),
        "vl.json": (json.dumps(specification, ensure_ascii=False, indent=1) + "\n").encode(),
        "png": vl_convert.svg_to_png(drawing, scale=scale),
        "pdf": RESOURCES.sub(_in_order, vl_convert.svg_to_pdf(drawing)),
    }


def _in_order(resources):
    return b"".join(sorted(re.findall(rb"\n[^\n]+", resources.group())))
