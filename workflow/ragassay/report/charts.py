"""Draw charts as SVG: small, with text as text, in the page's colours in light and dark, readable to a screen reader.

Colours are CSS variables of the page with a fallback for a figure that stands alone. No styling beyond that, no
interaction beyond a tooltip per mark.
"""

import math
from html import escape
from typing import NamedTuple

WIDTH, HEIGHT = 720, 320
LEFT, RIGHT, TOP, BOTTOM = 62, 12, 16, 52
LEGEND = 26
INK, SOFT, LINE = "var(--ink, #1b2430)", "var(--soft, #5b6675)", "var(--line, #d5dae1)"
MARKS = ("var(--mark, #1f6f8b)", "var(--mark-2, #c2762b)", "var(--mark-3, #7a8794)")


class Value(NamedTuple):
    """The height of a bar and, where it is known, its interval, which is drawn as a whisker; in a heat map `shown` may
    be written into the cell instead.
    """

    value: float | None
    low: float | None = None
    high: float | None = None
    shown: float | None = None


def bars(items, title: str, x: str, y: str, legend: tuple[str, ...] = ("",), line: float | None = None) -> str:
    """Vertical bars from zero, in the order given: (label, height, ...) with one height for each name of the legend,
    side by side. A height is a number or a `Value`; what is not defined has no bar. `line` is a height to compare with.
    """
    groups = [
        (label, [height if isinstance(height, Value) else Value(height) for height in own]) for label, *own in items
    ]
    top = TOP + (LEGEND if len(legend) > 1 else 0)
    tops = [end for _, own in groups for height in own for end in (height.value, height.high) if end is not None]
    ticks = nice_ticks(max([*tops, *([line] if line else [])], default=1))
    high = HEIGHT - BOTTOM
    scale = (high - top) / ticks[-1]
    step = (WIDTH - LEFT - RIGHT) / max(len(groups), 1)
    every = math.ceil(max((len(label) for label, _ in groups), default=1) * 7.5 / step)  # labels that fit side by side
    marks = []
    for tick in ticks:
        at = high - tick * scale
        marks.append(f'<line x1="{LEFT}" x2="{WIDTH - RIGHT}" y1="{at:.1f}" y2="{at:.1f}" stroke="{LINE}"/>')
        marks.append(text(LEFT - 8, at + 4, f"{tick:g}", "end"))
    share = 0.8 * step / len(legend)
    for number, (label, own) in enumerate(groups):
        left = LEFT + step * (number + 0.1)
        for place, height in enumerate(own):
            if height.value is not None:
                name = f"{label}, {legend[place]}" if len(legend) > 1 else label
                marks.append(_bar(left + share * place, high, share, height, scale, name, MARKS[place]))
        if number % every == 0:
            marks.append(text(LEFT + step * (number + 0.5), high + 18, label, "middle"))
    if line is not None:
        at, style = high - line * scale, f'stroke="{INK}" stroke-dasharray="6 4"'
        marks.append(f'<line x1="{LEFT}" x2="{WIDTH - RIGHT}" y1="{at:.1f}" y2="{at:.1f}" {style}/>')
    marks.append(text((LEFT + WIDTH - RIGHT) / 2, HEIGHT - 10, x, "middle", INK))
    marks.append(text(16, (top + high) / 2, y, "middle", INK, f' transform="rotate(-90 16 {(top + high) / 2:.1f})"'))
    return figure(title, marks + (_legend(legend) if len(legend) > 1 else []))


def nice_ticks(highest: float, wanted: int = 5) -> list[float]:
    """Round numbers from zero to at least `highest`, about `wanted` steps."""
    rough = max(highest, 1e-12) / wanted
    power = 10 ** math.floor(math.log10(rough))
    step = next(factor * power for factor in (1, 2, 5, 10) if factor * power >= rough * (1 - 1e-9))
    return [number * step for number in range(math.ceil(highest / step - 1e-9) + 1)] if highest > 0 else [0, 1]


def _bar(left, base, width, height, scale, name, colour):
    tall = max(height.value, 0) * scale
    box = f'x="{left:.1f}" y="{base - tall:.1f}" width="{width:.1f}" height="{tall:.1f}"'
    mark = f'<rect {box} rx="2" fill="{colour}">{tooltip(name, height)}</rect>'
    if height.low is not None and height.high is not None:
        middle, ends = left + width / 2, [base - max(end, 0) * scale for end in (height.low, height.high)]
        mark += f'<line x1="{middle:.1f}" x2="{middle:.1f}" y1="{ends[0]:.1f}" y2="{ends[1]:.1f}" stroke="{INK}"/>'
    return mark


def tooltip(name: str, value: Value) -> str:
    known = value.low is not None and value.high is not None
    told = f" [{value.low:.3g}, {value.high:.3g}]" if known else ""
    return f"<title>{escape(name)}: {value.value:.4g}{told}</title>"


def _legend(names):
    marks, left = [], LEFT
    for name, colour in zip(names, MARKS, strict=False):
        marks.append(f'<circle cx="{left + 6:.1f}" cy="{TOP - 2}" r="5" fill="{colour}"/>')
        marks.append(text(left + 16, TOP + 2, name, "start"))
        left += 34 + 7.5 * len(name)
    return marks


def text(x, y, words, anchor, colour=SOFT, more=""):
    return f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}" fill="{colour}"{more}>{escape(words)}</text>'


def figure(title: str, marks: list[str], height: float = HEIGHT) -> str:
    font = 'font-family="system-ui, sans-serif" font-size="13"'
    head = f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" role="img" {font}>'
    return "\n".join([head, f"<title>{escape(title)}</title>", *marks, "</svg>\n"])
