"""Counts in bins on an axis of numbers; several series lie over each other, which shows how far they overlap."""

import altair as alt

from ragassay.report.charts import theme

TICKS = 12  # at most, if every bin shall have one
MANY = 100  # bars without outlines, which would fill them


def draw(marks: list[dict], title: str, x: str, y: str, line: float | None = None):
    names = theme.named(marks, "series")
    axis = alt.Axis(title=x, grid=False, offset=4, labelFlush=False, values=_ticks(marks))
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
    return sorted(places) if len(places) <= TICKS else alt.Undefined
