"""The kind of figure `heat`: a map of shares, with a cell for each label and series.

The colour of a cell is the stronger the nearer it is to 1; cells named by one of `first`, such as a control, stand
before all others. A cell bears its share or, where the marks have one, another number (`shown`), if all cells have room
for theirs. One of few cases has a dashed line. Below the map stands what that and an empty place mean.
"""

from collections.abc import Sequence
from itertools import product

import altair as alt

from ragassay.report import theme
from ragassay.report.findings import LEAST

STRONGEST = 0.52  # text of either page can be read on it
ROW = 30
NARROW = 24  # a column whose name is nearly upright
MANY = 100  # cells without round corners, which say nothing
SIGNS = {"": "not run, or no such case", "\N{EN DASH}": "nothing to measure"}  # of places without a number
FEW = f"fewer than {LEAST} cases"
DASHED = {
    "color": theme.CARD, "fillOpacity": 0, "stroke": theme.SOFT, "strokeDash": [3, 3], "strokeWidth": 1.5,
    "aria": False, "width": alt.RelativeBandSize(band=0.97), "height": alt.RelativeBandSize(band=0.88),
}  # fmt: skip
LEGEND = {
    "anchor": "start", "orient": "bottom", "color": theme.SOFT, "fontSize": 12, "fontWeight": "normal", "aria": False,
}  # fmt: skip


def heat(marks: list[dict], title: str, x: str, first: Sequence[str] = ()):
    marks = [mark | {"words": words(mark), "few": mark["n"] < LEAST} for mark in marks]
    marks = [mark | ({"note": f", {FEW}"} if mark["few"] else {}) for mark in marks]
    labels, columns = (_leading(theme.distinct(marks, name), first) for name in ("label", "series"))
    longest = theme.LETTER * max(map(len, columns), default=0)
    step = (theme.style().width - 20 - theme.slack(labels) - theme.room(labels)) / max(len(columns), 1)
    angle = 0 if longest < step - 6 else -35 if step > NARROW else -60
    axis = alt.Axis(title=x, orient="top", labelAngle=angle, grid=False)
    places = {"x": alt.X("series:N", axis=axis, scale=alt.Scale(domain=columns)), "y": theme.rows(labels)}
    base, empty = theme.chart(marks).encode(**places), _empty(marks, labels, columns)
    strength = alt.FillOpacity(
        "value:Q", scale=alt.Scale(domain=[0, 1], range=[0.04, STRONGEST], clamp=True), legend=None
    )
    look = {"stroke": theme.CARD, "strokeWidth": 2, "cornerRadius": 4 if len(marks) < MANY else 0}
    layers = [base.mark_rect(color=theme.style().series[0], **look).encode(fillOpacity=strength)]
    signs = [
        f"{sign or 'blank'}: {meaning}" for sign, meaning in SIGNS.items() if sign in {place["sign"] for place in empty}
    ]
    if any(mark["few"] and mark["value"] is not None for mark in marks):
        layers.append(base.transform_filter("datum.few").mark_rect(**DASHED))
        signs.insert(0, f"dashed: {FEW}")
    if empty:
        blanks = alt.Chart(alt.Data(values=empty)).encode(**places, tooltip="tip:N", description="tip:N")
        sign = blanks.mark_text(aria=False, color=theme.SOFT).encode(text="sign:N")
        layers += [blanks.mark_rect(color=theme.CARD, fillOpacity=0), sign]
    widest = theme.LETTER * max((len(mark["words"]) for mark in marks), default=0)
    if widest < step - 2:
        layers.append(base.mark_text(aria=False, color=theme.INK).encode(text="words:N"))
    drawing = alt.layer(*layers)
    if signs:
        drawing = drawing.properties(title=alt.TitleParams("; ".join(signs), **LEGEND))
    right = 10 + (theme.WIDER * longest if angle else 0)
    return theme.finished(drawing, title, theme.heights(labels, ROW), left=theme.slack(labels), right=right)


def _empty(marks, labels, columns):
    """The places of a map without a number, each with its sign and what that means."""
    values = {(mark["label"], mark["series"]): mark["value"] for mark in marks}
    missing = [pair for pair in product(labels, columns) if values.get(pair) is None]
    signs = [(*pair, "\N{EN DASH}" if pair in values else "") for pair in missing]
    return [
        {"label": label, "series": series, "sign": sign, "tip": f"{label}, {series}: {SIGNS[sign]}"}
        for label, series, sign in signs
    ]


def _leading(names, first):
    """Names in their order, after those of which a part is one of `first`."""
    ranks = {name: at for at, name in enumerate(first)}
    return sorted(names, key=lambda name: min(ranks.get(part, len(ranks)) for part in name.split(", ")))


def words(mark: dict) -> str:
    if mark["value"] is None:
        return ""
    return f"{mark['value']:.2f}" if mark.get("shown") is None else f"{mark['shown']:,g}"
