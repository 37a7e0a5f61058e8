"""Render the report: one HTML page that needs nothing but itself.

Knows nothing of studies: sections come from `ragassay.report.sections`.
"""

import re
from pathlib import Path
from typing import NamedTuple

import yaml
from markupsafe import Markup, escape

from ragassay.base import html
from ragassay.report.sections import ReportSection

# What lies beside each figure, by its ending.
FILES = {"csv": "data (CSV)", "png": "PNG", "pdf": "PDF", "svg": "SVG", "vl.json": "Vega-Lite"}


class Figure(NamedTuple):
    svg: str  # inlined as it is
    address: str  # of its other files, without their endings


def render(
    template, style, behaviour, title: str, sections: list[ReportSection], figures: dict, settings: dict, pages: dict
) -> str:
    """The page as text. `figures` maps (section, figure) to what `ragassay.report.theme` has drawn. `pages` are
    others beside this one: name -> address.
    """
    style, behaviour = Path(style).read_text().strip(), Path(behaviour).read_text().strip()
    environment = html.environment()
    environment.filters |= {"shown": shown, "cell": cell, "prose": prose}
    page = environment.from_string(Path(template).read_text())
    return page.render(
        title=title,
        policy=html.policy(style, behaviour),
        style=Markup(style),
        behaviour=Markup(behaviour),
        sections=sections,
        figures={key: Figure(Markup(figure.svg), figure.address) for key, figure in figures.items()},
        files=FILES,
        pages=pages,
        settings=yaml.safe_dump(settings, sort_keys=False, allow_unicode=True),
    )


def shown(number: float | None) -> str:
    """A number for reading: whole ones whole, others with three digits that matter, none with an exponent."""
    if number is None:
        return "\N{EN DASH}"
    if float(number).is_integer():
        return f"{number:,.0f}"
    if abs(number) < 0.0001:
        return "<0.0001" if number > 0 else ">-0.0001"
    return f"{number:,.1f}" if abs(number) >= 10 else f"{number:.3g}"


def prose(text: str) -> Markup:
    """A caption; names between backticks are shown as code."""
    return Markup(re.sub("`([^`]+)`", r"<code>\1</code>", str(escape(text))))


def cell(value) -> dict:
    """What a table cell needs: its text, what to sort by, and a tooltip; `value` is a key, a metric row, or None."""
    if not isinstance(value, dict):
        words = "\N{EN DASH}" if value is None else value
        padded = re.sub(r"\d+", lambda digits: digits.group().zfill(12), words)
        return {"text": words, "interval": "", "sort": padded, "number": value is None, "tooltip": ""}
    interval = "" if value["low"] is None else f"[{shown(value['low'])}, {shown(value['high'])}]"
    tooltip = f"n = {value['n']:,}" + (f", {value['abstained']:,} abstained" if value["abstained"] else "")
    sort = "" if value["value"] is None else repr(value["value"])
    return {"text": shown(value["value"]), "interval": interval, "sort": sort, "number": True, "tooltip": tooltip}
