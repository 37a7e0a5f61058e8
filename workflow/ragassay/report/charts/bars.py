"""Bars from zero, one for each label and series, in the order of their rows; whiskers where intervals are known.

They stand upright if they are several and their labels fit below them, and lie otherwise. Where there is room for it,
bars without intervals bear their numbers instead of an axis.
"""

import altair as alt

from ragassay.report.charts import theme

ROW, PADDING = 16, 8  # of bars that lie
FEW = 3  # bars that would be too wide
NUMBERED = 12  # bars at most


def draw(marks: list[dict], title: str, x: str, y: str, line: float | None = None):
    labels, names = theme.distinct(marks, "label"), theme.named(marks, "series")
    longest = max(map(len, labels), default=0)
    numbered = len(marks) <= NUMBERED and not any(mark["low"] is not None for mark in marks)
    upright = len(marks) > FEW and longest * theme.LETTER < (theme.WIDTH - 60) / max(len(labels), 1) - 6
    across, along = ("x", "y") if upright else ("y", "x")
    band = theme.CHANNELS[across](
        "label:N",
        axis=alt.Axis(title=x if upright else None, labelAngle=0, labelLimit=theme.LABELS, grid=False),
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
    height = theme.HEIGHT if upright else len(labels) * (ROW * len(names) + PADDING)
    return theme.finished(alt.layer(*layers), title, height, left=5 if upright else theme.slack(labels))
