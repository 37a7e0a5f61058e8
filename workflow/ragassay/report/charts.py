"""The kinds of figures, each from its marks (see `ragassay.report.figures`).

`bars` reach from zero, one for each label and series, in the order of their rows; with whiskers where intervals are
known. They stand upright if they are several and their labels fit below them, and lie otherwise. Where there is room
for it, bars without intervals bear their numbers instead of an axis.

`dots` are ranked: a row for each label, the greatest value on top, each with its interval and its number beside it. The
axis reaches from zero to at least `line`, which is dashed; dots of `controls` are hollow. A label without a value
stands last, without a dot.

`heat` is a map of shares, in `ragassay.report.heat`.

`histogram` has counts in bins on an axis of numbers; several series lie over each other, which shows how far they
overlap.

Numbers that follow a number are curves (`lines`), clouds of points (`scatter`) and ROC curves (`roc`). Up to four
series share one chart, told apart by colour and shape. Of more, each has a panel of its own in which the others are
grey: what one series does, and where it stands among all. Of more than a dozen it stands alone there, since so many
others hide it.
"""

import json
from collections.abc import Sequence

import altair as alt

from ragassay.report import theme
from ragassay.report.heat import heat as heat  # a kind like the others

BARS_ROW, BARS_PADDING = 16, 8  # of bars that lie
FEW = 3  # bars that would be too wide
NUMBERED = 12  # bars at most
DOTS_ROW, DOTS_PADDING = 18, 10
TICKS = 12  # at most, if every bin shall have one
MANY = 100  # bars without outlines, which would fill them
TOGETHER = len(theme.SERIES)
AMONG = 12  # series at most that are shown in each other's panels
PANEL = 130  # the height of a panel
GAP = {"column": 24, "row": 36}
STEPS = 8  # places at most that have a tick each
WIDE = 30  # times the least place is the greatest, where the axis is logarithmic
FREE = alt.Scale(zero=False, nice=5)
UNIT = alt.Scale(domain=[0, 1], nice=False)


def bars(marks: list[dict], title: str, x: str, y: str, line: float | None = None):
    labels, names = theme.distinct(marks, "label"), theme.named(marks, "series")
    longest = max(map(len, labels), default=0)
    numbered = len(marks) <= NUMBERED and not any(mark["low"] is not None for mark in marks)
    upright = len(marks) > FEW and longest * theme.LETTER < (theme.style().width - 60) / max(len(labels), 1) - 6
    across, along = ("x", "y") if upright else ("y", "x")
    band = theme.CHANNELS[across](
        "label:N",
        axis=alt.Axis(title=x if upright else None, labelAngle=0, labelLimit=theme.style().labels, grid=False),
        scale=alt.Scale(domain=labels, paddingInner=0.25, paddingOuter=0.15),
    )
    length = theme.CHANNELS[along](
        "value:Q",
        axis=alt.Axis(title=y, tickCount=5, titleAngle=-90 if upright else 0, grid=not numbered, labels=not numbered),
        scale=alt.Scale(zero=True, nice=5),
    )
    base = theme.chart(marks).encode(**{across: band})
    if len(names) > 1:
        offset = f"{across}Offset"
        base = base.encode(**{offset: theme.CHANNELS[offset]("series:N", scale=alt.Scale(domain=names))})
    layers = [base.mark_bar().encode(**{along: length, "color": theme.color(names)})]
    layers.append(theme.whiskers(base, along, alt.value(theme.INK)))
    if numbered:
        place = {"dy": -8} if upright else {"dx": 6, "align": "left"}
        layers.append(
            base.mark_text(aria=False, color=theme.SOFT, **place).encode(
                **{along: length, "text": alt.Text("value:Q", format=",.4~g")}
            )
        )
    if line is not None:
        layers.append(theme.reference(line, along))
    height = theme.style().height if upright else len(labels) * (BARS_ROW * len(names) + BARS_PADDING)
    return theme.finished(alt.layer(*layers), title, height, left=5 if upright else theme.slack(labels))


def dots(marks: list[dict], title: str, x: str, line: float | None = None, controls: Sequence[str] = ()):
    names = theme.named(marks, "series")
    marks = [mark | {"beside": beside(mark)} for mark in sorted(marks, key=_rank)]
    labels = theme.distinct(marks, "label")
    axis = alt.Axis(title=x, tickCount=6, labelFlush=False)
    place = alt.X("value:Q", axis=axis, scale=alt.Scale(zero=True, nice=True))
    base = theme.chart(marks).encode(y=theme.rows(labels))
    if len(names) > 1:
        base = base.encode(yOffset=alt.YOffset("series:N", scale=alt.Scale(domain=names)))
    color, shape = theme.color(names), theme.shape(names)
    layers = [
        theme.whiskers(base, "x", color),
        base.mark_point(filled=True, size=80, opacity=1).encode(x=place, color=color, shape=shape),
        base.mark_text(aria=False, align="left", color=theme.SOFT, dx=10).encode(x=alt.value("width"), text="beside:N"),
    ]
    if hollow := [label for label in labels if any(control in label for control in controls)]:
        centres = base.transform_filter(alt.FieldOneOfPredicate("label", hollow))
        layers.append(centres.mark_point(filled=True, size=22, opacity=1, color=theme.CARD, aria=False).encode(x=place))
    if line is not None:
        layers.append(theme.reference(line, "x"))
    height = theme.heights(labels, DOTS_ROW * max(len(names), 1) + DOTS_PADDING)
    room = 16 + theme.LETTER * max((len(mark["beside"]) for mark in marks), default=0)
    return theme.finished(alt.layer(*layers), title, height, left=theme.slack(labels), right=room)


def _rank(mark):
    return mark["value"] is None, -(mark["value"] or 0), mark["label"], mark["series"]


def beside(mark: dict) -> str:
    """The number as written beside its dot (a share with two decimals), with the abstentions, if there are some."""
    if mark["value"] is None:
        return ""
    size = abs(mark["value"])
    shape = ".2f" if 0.01 <= size <= 1 or size == 0 else ".3g"
    return f"{mark['value']:{shape}}" + (f", {mark['abstained']:,} abstained" if mark["abstained"] else "")


def histogram(marks: list[dict], title: str, x: str, y: str, line: float | None = None):
    names = theme.named(marks, "series")
    ticks = _ticks(marks)
    axis = alt.Axis(
        title=x, grid=False, offset=4, labelFlush=False, **({"values": ticks} if ticks else {"tickCount": 8})
    )
    start = alt.X("start:Q", axis=axis, scale=alt.Scale(zero=False, nice=False))
    count = alt.Y("value:Q", axis=alt.Axis(title=y, tickCount=5), scale=alt.Scale(zero=True, nice=5))
    color = theme.color(names)
    look = {"stroke": color} if len(names) > 1 else {"stroke": alt.value(theme.CARD)}
    bars = theme.chart(marks).mark_rect(
        fillOpacity=0.35 if len(names) > 1 else 1, strokeWidth=1.5 if len(marks) < MANY else 0
    )
    layers = [bars.encode(x=start, x2="end:Q", y=count, y2=alt.datum(0), color=color, **look)]
    if line is not None:
        layers.append(theme.reference(line, "x"))
    return theme.finished(alt.layer(*layers), title)


def _ticks(marks):
    """The middles of whole numbers or the ends of bins, if they are few."""
    starts, ends = ({mark[name] for mark in marks} for name in ("start", "end"))
    whole = all(place % 1 == 0.5 for place in starts | ends)
    places = {place + 0.5 for place in starts} if whole else starts | ends
    return sorted(places) if len(places) <= TICKS else []


def lines(marks: list[dict], title: str, x: str, y: str, diagonal: bool = False):
    """A curve for each label, its points joined from left to right; with `diagonal` both axes reach from 0 to 1. Where
    places differ by orders of magnitude, their axis is logarithmic; where they have names, such as those of months, it
    bears these.
    """
    axes = _axes(marks, x, y, UNIT if diagonal else FREE)
    return _drawn(marks, title, axes, diagonal, (_curves, _upright, _points))


def scatter(marks: list[dict], title: str, x: str, y: str, diagonal: bool = False):
    """A point for each mark, with an interval in both directions where they are known."""
    axes = _axes(marks, x, y, UNIT if diagonal else FREE)
    return _drawn(marks, title, axes, diagonal, (_upright, _level, _points))


def roc(marks: list[dict], title: str, x: str, y: str):
    """A curve for each label, over the diagonal of chance; its interval is a band, its area stands in its name."""
    named = [mark | {"label": _with_area(mark)} for mark in marks]
    return _drawn(named, title, _axes(marks, x, y, UNIT), True, (_bands, _curves))


def _with_area(mark):
    return mark["label"] if mark.get("area") is None else f"{mark['label']} (AUROC {mark['area']:.3g})"


def _axes(marks, x, y, scale):
    places = sorted({mark["at"] for mark in marks})
    names = {mark["at"]: mark["place"] for mark in marks if "place" in mark}
    few = scale is FREE and len(places) <= STEPS and all(place % 1 == 0 for place in places)
    wide = scale is FREE and places and not names and 0 < places[0] * WIDE < places[-1]
    ticks = {"values": places, "format": "~s" if wide else ",~f"} if few else {"tickCount": 5}
    if names:
        of_place = json.dumps({f"{place:g}": name for place, name in names.items()})
        ticks = {"values": places, "labelExpr": f"{of_place}[datum.value]", "labelOverlap": True}
    across = alt.Scale(type="log", nice=False) if wide else scale
    return {
        "x": alt.X("at:Q", axis=alt.Axis(title=x, grid=False, **ticks), scale=across),
        "y": alt.Y("value:Q", axis=alt.Axis(title=y, tickCount=5), scale=scale),
    }


def _drawn(marks, title, axes, diagonal, layers):
    names = theme.distinct(marks, "label")
    data = theme.values(sorted(marks, key=lambda mark: (names.index(mark["label"]), mark["at"], mark["value"] or 0)))
    under = [_equal()] if diagonal else []
    base = theme.chart().encode(**axes)
    if len(names) <= TOGETHER:
        colors, shapes = (series(names, "label", always=True) for series in (theme.color, theme.shape))
        dashed = base.encode(strokeDash=theme.dash(names))
        drawn = [layer(dashed if layer is _curves else base, colors, shapes) for layer in layers]
        drawing = alt.layer(*under, *drawn, data=data)
        return theme.finished(drawing, title, theme.style().tall if diagonal else None)
    if len(names) <= AMONG:
        others = alt.Chart(data).encode(**axes, detail="label:N", opacity=alt.value(0.25), color=alt.value(theme.SOFT))
        curves = others.mark_line(strokeWidth=2, aria=False)
        under.append(curves if _curves in layers else others.mark_point(filled=True, size=55, aria=False))
    alone = alt.value(theme.style().series[0])
    columns = theme.style().columns
    width = (theme.style().width - 66 - (columns - 1) * GAP["column"]) // columns
    panel = alt.layer(*under, *(layer(base, alone) for layer in layers), _heading(width))
    facet = alt.Facet(
        "label:N", sort=names, header=alt.Header(labelExpr="''", labelFontSize=1, labelPadding=0, title=None)
    )
    drawing = panel.properties(width=width, height=PANEL).facet(facet, data=data, columns=columns)
    return theme.styled(drawing.properties(bounds="flush", spacing=GAP), title)


def _heading(limit):
    """The name of a panel's series, once, above it."""
    named = alt.Chart().transform_aggregate(marks="count()", groupby=["label"])
    text = named.mark_text(align="left", color=theme.INK, limit=limit / (1 + theme.WIDER), aria=False)
    return text.encode(x=alt.value(0), y=alt.value(-10), text="label:N")


def _equal():
    """The line on which both axes are equal."""
    ends = alt.Data(values=[{"at": end, "value": end} for end in (0, 1)])
    style = {"color": theme.SOFT, "strokeDash": [6, 4], "strokeWidth": 1}
    return alt.Chart(ends).mark_line(aria=False, **style).encode(x="at:Q", y="value:Q")


def _curves(base, color, _=None):
    return base.mark_line(strokeWidth=2).encode(color=color, tooltip="label:N", description="label:N")


def _bands(base, color, _=None):
    with_interval = base.transform_filter("datum.low != null")
    return with_interval.mark_area(opacity=0.15, aria=False).encode(y=alt.Y("low:Q"), y2="high:Q", color=color)


def _upright(base, color, _=None):
    return theme.whiskers(base, "y", color)


def _level(base, color, _=None):
    with_interval = base.transform_filter("datum.at_low != null")
    return with_interval.mark_rule(strokeWidth=1.5, aria=False).encode(x=alt.X("at_low:Q"), x2="at_high:Q", color=color)


def _points(base, color, shape=alt.Undefined):
    return base.mark_point(filled=True, size=55, opacity=1).encode(color=color, shape=shape)
