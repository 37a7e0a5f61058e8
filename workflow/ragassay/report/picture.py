"""A chart as files: SVG for the page, PNG and PDF for a paper, and its Vega-Lite specification.

The same chart always gives the same bytes. Nothing is fetched, and the only font is one that vl-convert brings along.
"""

import json
import re
from xml.etree import ElementTree

import vl_convert

from ragassay.report.charts.theme import VARIABLES

SVG = "http://www.w3.org/2000/svg"
FONTS = "system-ui, 'Liberation Sans', Arial, sans-serif"
SHARP = 2  # dots of the PNG per dot of the SVG
DECIMALS = re.compile(r"\d+\.\d{3,}")
# What one page of a PDF refers to; svg2pdf lists it in another order each time.
RESOURCES = re.compile(rb"(?:\n +/[A-Za-z]+\d+ \d+ 0 R){2,}")
USELESS = ("class", "role", "font-family", "pointer-events")
DEFAULTS = {"font-weight": "normal", "opacity": "1", "stroke-width": "1"}
ElementTree.register_namespace("", SVG)


def files(chart) -> dict[str, bytes]:
    """The content of each file, by its ending."""
    specification = chart.to_dict()
    plain = vl_convert.vegalite_to_svg(specification, allowed_base_urls=[])
    return {
        "svg": for_page(plain, specification["description"]).encode(),
        "vl.json": (json.dumps(specification, ensure_ascii=False, indent=1) + "\n").encode(),
        "png": vl_convert.svg_to_png(plain, scale=SHARP),
        "pdf": RESOURCES.sub(_in_order, vl_convert.svg_to_pdf(plain)),
    }


def _in_order(resources):
    return b"".join(sorted(re.findall(rb"\n[^\n]+", resources.group())))


def for_page(svg: str, title: str) -> str:
    """The drawing in the page's fonts and colours, as wide as there is room, with a tooltip for each mark."""
    root = ElementTree.fromstring(svg)
    frame = {"viewBox": root.get("viewBox"), "role": "img", "aria-label": title, "font-family": FONTS}
    root.attrib.clear()
    root.attrib.update(frame)
    for parent in root.iter():
        for element in list(parent):
            if _is_invisible(element):
                parent.remove(element)
    for element in root.iter():
        if element is not root:
            _restyle(element)
    return ElementTree.tostring(root, encoding="unicode") + "\n"


def _is_invisible(element):
    if element.tag == f"{{{SVG}}}text":
        return not element.text and not len(element)
    return element.get("class") in ("background", "foreground") and not (element.get("stroke") or element.get("fill"))


def _restyle(element):
    tip = element.get("aria-label") if element.get("aria-roledescription") != "axis" else None
    for name in list(element.attrib):
        if name in USELESS or name.startswith("aria-") or element.get(name) == DEFAULTS.get(name):
            del element.attrib[name]
        elif name in ("fill", "stroke") and (colour := element.get(name)) in VARIABLES:
            element.set(name, f"var(--{VARIABLES[colour]}, {colour})")
        elif name in ("d", "transform", "x2", "y2", "width", "height"):
            element.set(name, DECIMALS.sub(lambda number: f"{float(number.group()):.2f}", element.get(name)))
    if tip:
        ElementTree.SubElement(element, f"{{{SVG}}}title").text = tip
