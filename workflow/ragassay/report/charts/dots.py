"""Ranked dots: a row for each label, the greatest value on top, each with its interval and its number beside it.

The axis reaches from zero to at least `line`, which is dashed. A label without a value stands last, without a dot.
"""

import altair as alt

from ragassay.report.charts import theme

ROW, PADDING = 18, 10


def draw(marks: list[dict], title: str, x: str, line: float | None = None):
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
    if line is not None:
        layers.append(theme.reference(line, "x"))
    height = theme.heights(labels, ROW * max(len(names), 1) + PADDING)
    room = 16 + theme.LETTER * max((len(mark["beside"]) for mark in marks), default=0)
    return theme.finished(alt.layer(*layers), title, height, left=theme.slack(labels), right=room)


def _rank(mark):
    return mark["value"] is None, -(mark["value"] or 0), mark["label"], mark["series"]


def beside(mark: dict) -> str:
    """The number as written beside its dot, with the abstentions, if there are some."""
    if mark["value"] is None:
        return ""
    return f"{mark['value']:.3g}" + (f", {mark['abstained']:,} abstained" if mark["abstained"] else "")
