"""Draw what is looked at rather than read, as SVG like `charts`: a heat map of shares, ranked dots with intervals."""

from ragassay.report.charts import INK, LINE, MARKS, WIDTH, Value, figure, nice_ticks, text, tooltip

ROW, TOP, BOTTOM, LETTER = 30, 16, 46, 7.3
WIDEST = 230  # of the labels


def heat(rows, columns, title: str, x: str) -> str:
    """A cell for each row and column, the darker the nearer to 1: (label, {column: Value}, ...) from top to bottom."""
    left, head = _room([label for label, _ in rows]), 26
    step = (WIDTH - left) / max(len(columns), 1)
    marks = [text(left + step * (n + 0.5), head - 8, _cut(name, step), "middle") for n, name in enumerate(columns)]
    for number, (label, cells) in enumerate(rows):
        top = head + ROW * number
        marks.append(text(left - 10, top + ROW / 2 + 4, _cut(label, left), "end", INK))
        for place, column in enumerate(columns):
            if (found := cells.get(column, Value(None))).value is not None:
                marks.append(_cell(left + step * place, top, step, found, f"{label}, {column}"))
    height = head + ROW * len(rows) + 30
    marks.append(text((left + WIDTH) / 2, height - 8, x, "middle", INK))
    return figure(title, marks, height)


def dots(items, title: str, x: str, line: float | None = None) -> str:
    """A dot for each (label, Value), the greatest on top, with a whisker for its interval, on an axis from zero to at
    least `line`, which is dashed. What is not defined stands last, without a dot.
    """
    items = sorted(items, key=lambda item: (item[1].value is None, -(item[1].value or 0)))
    ends = [end for _, own in items for end in (own.value, own.high, line) if end is not None]
    left, ticks = _room([label for label, _ in items]), nice_ticks(max(ends, default=1))
    scale, bottom = (WIDTH - left - 16) / ticks[-1], TOP + ROW * len(items)
    marks = []
    for tick in ticks:
        at = left + tick * scale
        marks.append(f'<line x1="{at:.1f}" x2="{at:.1f}" y1="{TOP}" y2="{bottom}" stroke="{LINE}"/>')
        marks.append(text(at, bottom + 16, f"{tick:g}", "middle"))
    if line is not None:
        style = f'stroke="{INK}" stroke-dasharray="6 4"'
        at = left + line * scale
        marks.append(f'<line x1="{at:.1f}" x2="{at:.1f}" y1="{TOP}" y2="{bottom}" {style}/>')
    for number, (label, own) in enumerate(items):
        middle = TOP + ROW * (number + 0.5)
        marks.append(text(left - 10, middle + 4, _cut(label, left), "end", INK))
        if own.value is None:
            continue
        if own.low is not None and own.high is not None:
            low, high = (left + max(end, 0) * scale for end in (own.low, own.high))
            marks.append(f'<line x1="{low:.1f}" x2="{high:.1f}" y1="{middle}" y2="{middle}" stroke="{MARKS[0]}"/>')
        at = left + max(own.value, 0) * scale
        marks.append(f'<circle cx="{at:.1f}" cy="{middle}" r="6" fill="{MARKS[0]}">{tooltip(label, own)}</circle>')
    marks.append(text((left + WIDTH) / 2, bottom + BOTTOM - 10, x, "middle", INK))
    return figure(title, marks, bottom + BOTTOM)


def _cell(left, top, width, found, name):
    strength = min(max(found.value, 0), 1)
    box = f'x="{left + 1:.1f}" y="{top + 1}" width="{width - 2:.1f}" height="{ROW - 2}" rx="3"'
    fill = f'fill="{MARKS[0]}" fill-opacity="{0.06 + 0.9 * strength:.2f}"'
    colour = "var(--card, #ffffff)" if strength > 0.5 else INK
    words = f"{found.value:.2f}" if found.shown is None else f"{found.shown:g}"
    number = text(left + width / 2, top + ROW / 2 + 4, words, "middle", colour)
    return f"<g>{tooltip(name, found)}<rect {box} {fill}/>{number}</g>"


def _room(labels):
    return 20 + min(WIDEST, LETTER * max((len(label) for label in labels), default=1))


def _cut(label, room):
    most = max(int(room / LETTER), 3)
    return label if len(label) <= most else label[: most - 1] + "\N{HORIZONTAL ELLIPSIS}"
