"""Drawings as a page inlines them: in the page's fonts and colours, with a tooltip for each mark, and small.

A drawing of vl-convert says of every mark what it shares with its neighbours, to a precision that nobody sees. Here
that stands once, on the group; groups that say nothing vanish; numbers have one decimal; dots are circles; points of a
curve that lie on the line between their neighbours are left out; and curves that look the same become one path.
"""

import re
from collections import Counter
from xml.etree import ElementTree

SVG = "http://www.w3.org/2000/svg"
FONTS = "system-ui, 'Liberation Sans', Arial, sans-serif"
USELESS = ("class", "role", "font-family", "pointer-events")
DEFAULTS = {"font-weight": "normal", "opacity": "1", "stroke-width": "1", "stroke-dasharray": ""}
COLOURED = ("fill", "stroke")
INHERITED = (
    *COLOURED, "fill-opacity", "stroke-width", "stroke-dasharray", "stroke-opacity",
    "font-size", "font-weight", "text-anchor",
)  # fmt: skip
GEOMETRY = ("d", "transform", "x", "y", "x2", "y2", "width", "height")
OPACITIES = ("opacity", "fill-opacity", "stroke-opacity")
NUMBER = re.compile(r"-?\d*\.?\d+(?:e-?\d+)?")
SHIFT = re.compile(r"translate\(([^,()]+),([^,()]+)\)")
DOT = re.compile(r"M([\d.]+),0A\1,\1,0,1,1,-\1,0A\1,\1,0,1,1,\1,0Z?")
LINES = re.compile(r"M[^A-Za-z]+(?:L[^A-Za-z]+)+")
FLAT = 0.05  # how far a point may lie off the line between its neighbours
ElementTree.register_namespace("", SVG)


def for_page(svg: str, title: str, variables: dict[str, str]) -> str:
    """The drawing, as wide as there is room; `variables` are the page's names of colours."""
    root = ElementTree.fromstring(svg)
    box = NUMBER.sub(lambda number: _short(float(number.group()), 1), root.get("viewBox"))
    frame = {"viewBox": box, "role": "img", "aria-label": title, "font-family": FONTS}
    root.attrib.clear()
    root.attrib.update(frame)
    for parent in root.iter():
        for element in list(parent):
            if _is_invisible(element):
                parent.remove(element)
    for element in root.iter():
        if element is not root:
            _restyle(element, variables)
    _shrink(root)
    return ElementTree.tostring(root, encoding="unicode") + "\n"


def _is_invisible(element):
    if element.tag == _tag("text"):
        return not element.text and not len(element)
    return element.get("class") in ("background", "foreground") and not (element.get("stroke") or element.get("fill"))


def _tag(name):
    return f"{{{SVG}}}{name}"


def _restyle(element, variables):
    tip = element.get("aria-label") if element.get("aria-roledescription") != "axis" else None
    for name in list(element.attrib):
        value = element.get(name)
        if name in USELESS or name.startswith("aria-") or value == DEFAULTS.get(name):
            del element.attrib[name]
        elif name in COLOURED and value in variables:
            element.set(name, f"var(--{variables[value]}, {value})")
        elif name in GEOMETRY:
            element.set(name, NUMBER.sub(lambda number: _short(float(number.group()), 1), value))
        elif name in OPACITIES:
            element.set(name, _short(float(value), 2))
    _reshape(element)
    if tip:
        ElementTree.SubElement(element, _tag("title")).text = tip


def _short(number, decimals):
    return f"{round(number, decimals) + 0.0:.{decimals}f}".rstrip("0").rstrip(".").replace("-0", "0", number == 0)


def _reshape(element):
    """The shortest element that draws the same."""
    shift = SHIFT.fullmatch(element.get("transform", "translate(0,0)"))
    if element.tag == _tag("path"):
        if shift and (dot := DOT.fullmatch(element.get("d"))):
            element.tag = _tag("circle")
            _replace(element, ("d", "transform"), {"cx": shift[1], "cy": shift[2], "r": dot[1]})
        elif LINES.fullmatch(element.get("d")):
            element.set("d", _straightened(element.get("d")))
    elif element.tag == _tag("text") and shift and not len(element):
        _replace(element, ("transform",), {"x": shift[1], "y": shift[2]})
    elif element.tag == _tag("line") and shift:
        x, y = float(shift[1]), float(shift[2])
        ends = x, y, x + float(element.get("x2", 0)), y + float(element.get("y2", 0))
        corners = {name: _short(end, 1) for name, end in zip(("x1", "y1", "x2", "y2"), ends, strict=True)}
        _replace(element, ("transform", "x2", "y2"), corners)
    elif shift and (shift[1], shift[2]) == ("0", "0"):
        element.attrib.pop("transform", None)


def _replace(element, old, new):
    for name in old:
        element.attrib.pop(name, None)
    element.attrib.update({name: value for name, value in new.items() if value != "0"})


def _straightened(path):
    """A path of straight lines without the points that change nothing."""
    points = [tuple(map(float, point.split(","))) for point in path[1:].split("L")]
    drawn = points[:1]
    for point, after in zip(points[1:], [*points[2:], None], strict=True):
        if after is None or not _between(drawn[-1], point, after):
            drawn.append(point)
    return "M" + "L".join(f"{_short(x, 1)},{_short(y, 1)}" for x, y in drawn)


def _between(before, point, after):
    (ax, ay), (px, py), (bx, by) = before, point, after
    across, down = bx - ax, by - ay
    length = (across**2 + down**2) ** 0.5
    if length == 0:
        return point == before
    ahead = (px - ax) * across + (py - ay) * down
    return 0 <= ahead <= length**2 and abs((px - ax) * down - (py - ay) * across) / length <= FLAT


def _shrink(element):
    for child in element:
        _shrink(child)
    _unwrap(element)
    _merge(element)
    if element.tag == _tag("g"):
        _share(element)


def _unwrap(element):
    """Children of groups that say nothing stand in their parent; a group that only moves its one group moves it."""
    for child in list(element):
        if child.tag != _tag("g"):
            continue
        if not child.attrib:
            at = list(element).index(child)
            element[at : at + 1] = list(child)
        elif len(child) == 1 and child[0].tag == _tag("g") and (both := _moved(child, child[0])):
            at = list(element).index(child)
            child[0].attrib |= both
            element[at] = child[0]


def _moved(outer, inner):
    shifts = [SHIFT.fullmatch(group.get("transform", "translate(0,0)")) for group in (outer, inner)]
    if set(outer.attrib) != {"transform"} or not all(shifts):
        return None
    x, y = (sum(float(shift[axis]) for shift in shifts) for axis in (1, 2))
    return {"transform": f"translate({_short(x, 1)},{_short(y, 1)})"}


def _merge(element):
    """Curves without a tooltip that look the same become one."""
    before = None
    for child in list(element):
        alike = before is not None and _look(child) == _look(before)
        if child.tag != _tag("path") or len(child) or child.get("stroke") is None or child.get("fill"):
            before = None
        elif alike:
            before.set("d", before.get("d") + child.get("d"))
            element.remove(child)
        else:
            before = child


def _look(path):
    return {name: value for name, value in path.attrib.items() if name != "d"}


def _share(group):
    """What all members of a group have, such as a colour, is said once, where most have the same."""
    members = [member for member in group if member.tag != _tag("title")]
    for name in INHERITED:
        if len(members) < 2 or not all(name in member.attrib for member in members):
            continue
        value, count = Counter(member.get(name) for member in members).most_common(1)[0]
        if count < 2:
            continue
        group.set(name, value)
        for member in members:
            if member.get(name) == value:
                del member.attrib[name]
