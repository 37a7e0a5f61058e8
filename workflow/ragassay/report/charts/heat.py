"""A heat map of shares: a cell for each label and series, the stronger its colour the nearer it is to 1.

A cell bears its share or, where the marks have one, another number (`shown`), if all cells have room for theirs.
"""

import altair as alt

from ragassay.report.charts import theme

ROW = 30
NARROW = 24  # a column whose name is nearly upright


def draw(marks: list[dict], title: str, x: str):
    marks = [mark | {"words": words(mark)} for mark in marks]
    labels, columns = theme.distinct(marks, "label"), theme.distinct(marks, "series")
    longest = theme.LETTER * max(map(len, columns), default=0)
    step = (theme.WIDTH - 20 - theme.slack(labels) - theme.room(labels)) / max(len(columns), 1)
    angle = 0 if longest < step - 6 else -35 if step > NARROW else -60
    axis = alt.Axis(title=x, orient="top", labelAngle=angle, grid=False)
    column = alt.X("series:N", axis=axis, scale=alt.Scale(domain=columns))
    base = theme.chart(marks).encode(x=column, y=theme.rows(labels))
    strength = alt.FillOpacity("value:Q", scale=alt.Scale(domain=[0, 1], range=[0.06, 0.96], clamp=True), legend=None)
    cells = base.mark_rect(color=theme.SERIES[0], stroke=theme.CARD, strokeWidth=2, cornerRadius=4).encode(
        fillOpacity=strength
    )
    strong = alt.condition("datum.value > 0.5", alt.value(theme.CARD), alt.value(theme.INK))
    numbers = base.mark_text(aria=False).encode(text="words:N", color=strong)
    widest = theme.LETTER * max((len(mark["words"]) for mark in marks), default=0)
    drawing = alt.layer(cells, numbers) if widest < step - 2 else alt.layer(cells)
    right = 10 + (theme.WIDER * longest if angle else 0)
    return theme.finished(drawing, title, theme.heights(labels, ROW), left=theme.slack(labels), right=right)


def words(mark: dict) -> str:
    if mark["value"] is None:
        return ""
    return f"{mark['value']:.2f}" if mark.get("shown") is None else f"{mark['shown']:,g}"
