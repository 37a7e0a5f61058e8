"""Draw charts as SVG: small, with text as text, in the page's colours in light and dark, readable to a screen reader.

Colours are CSS variables of the page with a fallback for a figure that stands alone. No styling beyond that, no
interaction beyond a tooltip per mark.
"""

import math
from html import escape

WIDTH, HEIGHT = 720, 320
LEFT, RIGHT, TOP, BOTTOM = 62, 12, 16, 52
INK, SOFT, LINE, MARK = "var(--ink, #1b2430)", "var(--soft, #5b6675)", "var(--line, #d5dae1)", "var(--mark, #1f6f8b)"


def bars(items: list[tuple[str, float]], title: str, x: str, y: str) -> str:
    """Vertical bars, one per (label, value), from zero, in the order given."""
    ticks = nice_ticks(max((value for _, value in items), default=1))
    high = TOP + HEIGHT - TOP - BOTTOM
    scale = (HEIGHT - TOP - BOTTOM) / ticks[-1]
    step = (WIDTH - LEFT - RIGHT) / max(len(items), 1)
    every = math.ceil(max((len(label) for label, _ in items), default=1) * 7.5 / step)  # labels that fit side by side
    marks = []
    for tick in ticks:
        at = high - tick * scale
        marks.append(f'<line x1="{LEFT}" x2="{WIDTH - RIGHT}" y1="{at:.1f}" y2="{at:.1f}" stroke="{LINE}"/>')
        marks.append(_text(LEFT - 8, at + 4, f"{tick:g}", "end"))
    for number, (label, value) in enumerate(items):
        left, tall = LEFT + step * number, value * scale
        tooltip = f"<title>{escape(label)}: {value:g}</title>"
        box = f'x="{left + step * 0.1:.1f}" y="{high - tall:.1f}" width="{step * 0.8:.1f}" height="{tall:.1f}"'
        marks.append(f'<rect {box} rx="2" fill="{MARK}">{tooltip}</rect>')
        if number % every == 0:
            marks.append(_text(left + step / 2, high + 18, label, "middle"))
    marks.append(_text((LEFT + WIDTH - RIGHT) / 2, HEIGHT - 10, x, "middle", INK))
    marks.append(_text(16, (TOP + high) / 2, y, "middle", INK, f' transform="rotate(-90 16 {(TOP + high) / 2:.1f})"'))
    return _figure(title, marks)


def nice_ticks(highest: float, wanted: int = 5) -> list[float]:
    """Round numbers from zero to at least `highest`, about `wanted` steps."""
    rough = max(highest, 1e-12) / wanted
    power = 10 ** math.floor(math.log10(rough))
    step = next(factor * power for factor in (1, 2, 5, 10) if factor * power >= rough * (1 - 1e-9))
    return [number * step for number in range(math.ceil(highest / step - 1e-9) + 1)] if highest > 0 else [0, 1]


def _text(x, y, words, anchor, colour=SOFT, more=""):
    return f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}" fill="{colour}"{more}>{escape(words)}</text>'


def _figure(title, marks):
    font = 'font-family="system-ui, sans-serif" font-size="13"'
    head = f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" role="img" {font}>'
    return "\n".join([head, f"<title>{escape(title)}</title>", *marks, "</svg>\n"])
