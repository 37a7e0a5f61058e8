"""Tiny pictures for cards and rows, as SVG of some hundred bytes: a value with its interval on a bar, or a line over
shards. They take the page's colours, and say in words what they show.
"""

import math
from collections.abc import Sequence
from html import escape

WIDTH, HEIGHT = 120, 16
EDGE = 5  # room for half a dot
INTERVAL = "stroke='var(--mark,#1f6f8b)' stroke-width='5' stroke-opacity='.35'"


def dot(
    value: float | None,
    low: float | None = None,
    high: float | None = None,
    least: float = 0,
    most: float = 1,
    against: float | None = None,
) -> str:
    """`value` on a bar from `least` to `most`, with its interval and a tick at what it is compared with; nothing where
    there is no value.
    """
    if value is None or not math.isfinite(value) or most <= least:
        return ""
    spoken, middle = f"{value:.3g}", HEIGHT // 2

    def place(number):
        share = min(1, max(0, (number - least) / (most - least)))
        return f"{EDGE + share * (WIDTH - 2 * EDGE):.0f}"

    drawn = f"<path d='M{EDGE} {middle}H{WIDTH - EDGE}' stroke='var(--line,#dde1e7)' stroke-width='2'/>"
    if low is not None and high is not None:
        drawn += f"<path d='M{place(low)} {middle}H{place(high)}' {INTERVAL}/>"
        spoken += f", interval {low:.3g} to {high:.3g}"
    spoken += f", on a scale from {least:g} to {most:g}"
    if against is not None:
        drawn += f"<path d='M{place(against)} 1V{HEIGHT - 1}' stroke='var(--ink,#1b2430)' stroke-dasharray='3 2'/>"
        spoken += f", compared with {against:.3g}"
    return _picture(drawn + f"<circle cx='{place(value)}' cy='{middle}' r='4' fill='var(--mark,#1f6f8b)'/>", spoken)


def line(values: Sequence[float | None]) -> str:
    """`values` in their order, from the least to the greatest, with a dot at the last; a gap where one is missing, and
    nothing where fewer than two are given.
    """
    given = [(at, value) for at, value in enumerate(values) if value is not None and math.isfinite(value)]
    if len(given) < 2:
        return ""
    least, most = (extreme(value for _, value in given) for extreme in (min, max))
    step, height = (WIDTH - 2 * EDGE) / (len(values) - 1), HEIGHT - 2 * EDGE

    def place(at, value):
        share = (value - least) / (most - least) if most > least else 0.5
        return f"{EDGE + at * step:.0f} {EDGE + (1 - share) * height:.1f}".removesuffix(".0")

    path, before = "", None
    for at, value in given:
        path += ("L" if at - 1 == before else "M") + place(at, value)
        before = at
    x, y = place(*given[-1]).split(" ")
    drawn = f"<path d='{path}' fill='none' stroke='var(--mark,#1f6f8b)' stroke-width='2'/>"
    drawn += f"<circle cx='{x}' cy='{y}' r='3' fill='var(--mark,#1f6f8b)'/>"
    first, last = given[0][1], given[-1][1]
    return _picture(drawn, f"{len(given)} values, first {first:.3g}, last {last:.3g}, from {least:.3g} to {most:.3g}")


def _picture(drawn, spoken):
    box = f"class='spark' viewBox='0 0 {WIDTH} {HEIGHT}' width='{WIDTH}' height='{HEIGHT}'"
    return f"<svg xmlns='http://www.w3.org/2000/svg' {box} role='img' aria-label='{escape(spoken)}'>{drawn}</svg>"
