"""Draw numbers that follow a number as curves, as SVG like `charts`: learning curves, reliability.

The vertical axis begins near the lowest number, not at zero, unless the curves are compared with the diagonal. Curves
differ in colour and, from the seventh on, in their dashes; each point has its interval, where one is known.
"""

import math

from ragassay.report.charts import BOTTOM, HEIGHT, INK, LEFT, LINE, RIGHT, WIDTH, figure, nice_ticks, text, tooltip

COLOURS = ("#2a86ad", "#d9822b", "#3a9d6e", "#b05aa8", "#8b97a5", "#c9483d")  # told apart on light and dark grounds
DASHES = ("", "7 4", "2 3")
UNIT = (0, 0.2, 0.4, 0.6, 0.8, 1)
TOP, ROW, LETTER, SAMPLE = 18, 20, 7.5, 26  # of the legend


def lines(series, title: str, x: str, y: str, diagonal: bool = False) -> str:
    """A curve for each (name, [(place, Value), ...]), its points joined in the order of their places; what is not
    defined has no point. With `diagonal` both axes reach from 0 to 1, and where they are equal is dashed.
    """
    series = [(name, sorted((at, own) for at, own in points if own.value is not None)) for name, points in series]
    series = [(name, points) for name, points in series if points]
    legend, top = _legend([name for name, _ in series])
    places = [at for _, points in series for at, _ in points]
    ends = [end for _, points in series for _, own in points for end in own[:3] if end is not None]
    across, up = (UNIT, UNIT) if diagonal else (_ticks(places), _ticks(ends))
    x_of = _scale(across, LEFT, WIDTH - RIGHT)
    y_of = _scale(up, top + HEIGHT - BOTTOM, top)
    left, right, low, high = LEFT, WIDTH - RIGHT, y_of(up[0]), y_of(up[-1])
    marks = [*legend]
    for tick in up:
        marks.append(f'<line x1="{left}" x2="{right}" y1="{y_of(tick):.1f}" y2="{y_of(tick):.1f}" stroke="{LINE}"/>')
        marks.append(text(left - 8, y_of(tick) + 4, f"{tick:g}", "end"))
    marks += [text(x_of(tick), low + 18, f"{tick:g}", "middle") for tick in across]
    if diagonal:
        style = f'stroke="{INK}" stroke-dasharray="6 4"'
        marks.append(f'<line x1="{left}" y1="{low:.1f}" x2="{right}" y2="{high:.1f}" {style}/>')
    for number, (name, points) in enumerate(series):
        marks += _curve(points, x_of, y_of, name, *_style(number))
    marks.append(text((left + right) / 2, low + BOTTOM - 10, x, "middle", INK))
    middle = (low + high) / 2
    marks.append(text(16, middle, y, "middle", INK, f' transform="rotate(-90 16 {middle:.1f})"'))
    return figure(title, marks, top + HEIGHT)


def _ticks(values):
    """Round numbers from at most the least to at least the greatest."""
    if not values:
        return UNIT
    least, most = min(values), max(values)
    step = nice_ticks(max(most - least, 0.05 * abs(most), 1e-9))[1]
    first, last = math.floor(least / step + 1e-9), math.ceil(most / step - 1e-9)
    return [number * step for number in range(first, max(last, first + 1) + 1)]


def _scale(ticks, start, end):
    return lambda value: start + (end - start) * (value - ticks[0]) / (ticks[-1] - ticks[0])


def _style(number):
    return COLOURS[number % len(COLOURS)], DASHES[number // len(COLOURS) % len(DASHES)]


def _curve(points, x_of, y_of, name, colour, dashes):
    path = " ".join(f"{x_of(at):.1f},{y_of(own.value):.1f}" for at, own in points)
    yield f'<polyline points="{path}" fill="none" stroke="{colour}" stroke-width="2" stroke-dasharray="{dashes}"/>'
    for at, own in points:
        x, y = x_of(at), y_of(own.value)
        if own.low is not None and own.high is not None:
            ends = f'y1="{y_of(own.low):.1f}" y2="{y_of(own.high):.1f}"'
            yield f'<line x1="{x:.1f}" x2="{x:.1f}" {ends} stroke="{colour}" stroke-opacity="0.5"/>'
        yield f'<circle cx="{x:.1f}" cy="{y:.1f}" r="4" fill="{colour}">{tooltip(f"{name}, {at:g}", own)}</circle>'


def _legend(names):
    """Names in rows above the curves, and where these may begin."""
    marks, left, row = [], LEFT, 0
    for number, name in enumerate(names):
        name = name if len(name) <= 80 else name[:79] + "\N{HORIZONTAL ELLIPSIS}"
        width = SAMPLE + 8 + LETTER * len(name) + 16
        if left > LEFT and left + width > WIDTH - RIGHT:
            left, row = LEFT, row + 1
        colour, dashes = _style(number)
        at = TOP + ROW * row
        style = f'stroke="{colour}" stroke-width="3" stroke-dasharray="{dashes}"'
        marks.append(f'<line x1="{left:.1f}" x2="{left + SAMPLE:.1f}" y1="{at - 4}" y2="{at - 4}" {style}/>')
        marks.append(text(left + SAMPLE + 8, at, name, "start"))
        left += width
    return marks, TOP + ROW * row + 14
