"""Numbers that follow a number: curves (`lines`), clouds of points (`scatter`) and ROC curves (`roc`).

Up to four series share one chart, told apart by colour and shape. Of more, each has a panel of its own in which the
others are grey: what one series does, and where it stands among all. Of more than a dozen it stands alone there, since
so many others hide it.
"""

import altair as alt

from ragassay.report.charts import theme

TOGETHER = len(theme.SERIES)
AMONG = 12  # series at most that are shown in each other's panels
COLUMNS, PANEL = 3, 130  # panels beside each other, and the height of one
GAP = {"column": 24, "row": 36}
TALL = 420  # the height of a chart whose axes both reach from 0 to 1
STEPS = 8  # places at most that have a tick each
WIDE = 30  # times the least place is the greatest, where the axis is logarithmic
FREE = alt.Scale(zero=False, nice=5)
UNIT = alt.Scale(domain=[0, 1], nice=False)


def lines(marks: list[dict], title: str, x: str, y: str, diagonal: bool = False):
    """A curve for each label, its points joined from left to right; with `diagonal` both axes reach from 0 to 1. Where
    places differ by orders of magnitude, their axis is logarithmic.
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
    few = scale is FREE and len(places) <= STEPS and all(place % 1 == 0 for place in places)
    wide = scale is FREE and places and 0 < places[0] * WIDE < places[-1]
    ticks = {"values": places, "format": "~s" if wide else ",~f"} if few else {"tickCount": 5}
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
        drawing = alt.layer(*under, *(layer(base, colors, shapes) for layer in layers), data=data)
        return theme.finished(drawing, title, TALL if diagonal else theme.HEIGHT)
    if len(names) <= AMONG:
        others = alt.Chart(data).encode(**axes, detail="label:N", opacity=alt.value(0.25))
        under.append((_curves if _curves in layers else _points)(others, alt.value(theme.SOFT)))
    alone = alt.value(theme.SERIES[0])
    width = (theme.WIDTH - 66 - (COLUMNS - 1) * GAP["column"]) // COLUMNS
    panel = alt.layer(*under, *(layer(base, alone) for layer in layers), _heading(width))
    facet = alt.Facet(
        "label:N", sort=names, header=alt.Header(labelExpr="''", labelFontSize=1, labelPadding=0, title=None)
    )
    drawing = panel.properties(width=width, height=PANEL).facet(facet, data=data, columns=COLUMNS)
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
    known = base.transform_filter("datum.low != null")
    return known.mark_area(opacity=0.15, aria=False).encode(y=alt.Y("low:Q"), y2="high:Q", color=color)


def _upright(base, color, _=None):
    return theme.whiskers(base, "y", color)


def _level(base, color, _=None):
    known = base.transform_filter("datum.at_low != null")
    return known.mark_rule(strokeWidth=1.5, aria=False).encode(x=alt.X("at_low:Q"), x2="at_high:Q", color=color)


def _points(base, color, shape=alt.Undefined):
    return base.mark_point(filled=True, size=55, opacity=1).encode(color=color, shape=shape)
