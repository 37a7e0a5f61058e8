"""What a chart shows, read from its SVG: every mark with its tooltip, and where it stands on the page."""

import re
import xml.etree.ElementTree as ET
from typing import NamedTuple

from ragassay.report import theme

SVG = "{http://www.w3.org/2000/svg}"
NUMBER = r"-?[\d.]+(?:e-?\d+)?"


class Mark(NamedTuple):
    tip: str | None
    left: float
    top: float
    right: float
    bottom: float
    style: dict

    @property
    def width(self) -> float:
        return self.right - self.left

    @property
    def height(self) -> float:
        return self.bottom - self.top

    @property
    def middle(self) -> tuple[float, float]:
        return (self.left + self.right) / 2, (self.top + self.bottom) / 2


class Drawing:
    """`marks` have a tooltip, `rules` and `curves` have none, `texts` are (text, x, y, style)."""

    def __init__(self, chart):
        self.svg = theme.files(chart)["svg"].decode()
        self.root = ET.fromstring(self.svg)
        self.marks, self.rules, self.curves, self.texts = [], [], [], []
        self._walk(self.root, 0, 0, {})

    def _walk(self, element, x, y, inherited):
        style = inherited | element.attrib
        for dx, dy in re.findall(rf"translate\(({NUMBER}),({NUMBER})\)", element.get("transform", "")):
            x, y = x + float(dx), y + float(dy)
        kind, tip = element.tag.removeprefix(SVG), element.find(f"{SVG}title")
        if kind == "text":
            x, y = x + float(element.get("x", 0)), y + float(element.get("y", 0))
            for line in element.iter(f"{SVG}tspan") if len(element) else [element]:
                self.texts.append((line.text, x, y, style))
        elif kind == "line":
            (x1, x2), (y1, y2) = (
                sorted(at + float(element.get(f"{axis}{n}", 0)) for n in (1, 2)) for axis, at in (("x", x), ("y", y))
            )
            self.rules.append(Mark(None, x1, y1, x2, y2, style))
        elif kind == "circle" and tip is not None:
            cx, cy, radius = x + float(element.get("cx", 0)), y + float(element.get("cy", 0)), float(element.get("r"))
            self.marks.append(
                Mark(tip.text, cx - radius, cy - radius, cx + radius, cy + radius, {"d": "circle"} | style)
            )
        elif kind == "path" and tip is not None:
            self.marks.append(Mark(tip.text, *_box(element.get("d"), x, y), style))
        elif kind == "path" and style.get("stroke-dasharray") is not None:
            self.curves.append(Mark(None, *_box(element.get("d"), x, y), style))
        for child in element:
            self._walk(child, x, y, style)

    @property
    def tips(self):
        return [mark.tip for mark in self.marks]

    def mark(self, start) -> Mark:
        (found,) = [mark for mark in self.marks if mark.tip.startswith(start)]
        return found

    def text(self, words) -> tuple[float, float]:
        """Where a text stands."""
        (found,) = [(x, y) for text, x, y, _ in self.texts if text == words]
        return found

    @property
    def words(self):
        return [text for text, *_ in self.texts]


def _box(path, x, y):
    """The corners of a path of moves, lines and arcs around a middle."""
    points, at = [], (0.0, 0.0)
    for command, arguments in re.findall(r"([MLHVhvAZ])([^MLHVhvAZ]*)", path):
        numbers = [float(number) for number in re.findall(NUMBER, arguments)]
        if command in "ML":
            at = numbers[0], numbers[1]
        elif command in "hH":
            at = (at[0] * (command == "h") + numbers[0], at[1])
        elif command in "vV":
            at = (at[0], at[1] * (command == "v") + numbers[0])
        elif command == "A":
            at = numbers[5], numbers[6]
        points.append(at)
    across, down = zip(*points, strict=True)
    return x + min(across), y + min(down), x + max(across), y + max(down)


def number(value, low=None, high=None, n=10, abstained=0) -> dict:
    """What a mark says beside its place."""
    return {"value": value, "low": low, "high": high, "n": n, "abstained": abstained}
