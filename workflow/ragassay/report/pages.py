"""Render the report: a front page with the findings, a page for each study, and the settings, each of which needs
nothing but itself.

Knows nothing of studies: sections come from `ragassay.report.sections`, findings from `ragassay.report.findings`.
"""

import re
from collections.abc import Iterable
from pathlib import Path
from typing import NamedTuple

from markupsafe import Markup, escape

from ragassay.base import html
from ragassay.report.findings import between, formed
from ragassay.report.provenance import Provenance
from ragassay.report.sections import ReportSection, described

# What lies beside each figure, by its ending.
FILES = {"csv": "data (CSV)", "png": "PNG", "pdf": "PDF", "svg": "SVG", "vl.json": "Vega-Lite"}
FINDINGS, PICTURES = 5, 3  # on the front page
SURE = ((3, "very clear"), (0, "clear"))  # by certainty, of a verdict
SPARK = 120, 16  # the size of a tiny picture
EDGE = 5  # room for half a dot


class Figure(NamedTuple):
    svg: str  # inlined as it is
    address: str  # of its other files, without their endings


class Picture(NamedTuple):
    """A figure on the front page."""

    title: str
    address: str
    svg: Markup
    resting: str = ""  # on which indexes


class Card(NamedTuple):
    """A study on the front page, with one number."""

    address: str
    title: str
    question: str
    label: str
    number: str
    interval: str
    spark: Markup = Markup()


class ReportPages:
    """What all pages share: templates, style, behaviour, and links to the pages that `heads` describe and to others, as
    name -> address; and which sections have no numbers yet, by their descriptions.
    """

    def __init__(self, templates, style, behaviour, title: str, links: dict[str, str], heads, missing=()):
        self.title = title
        studies = {_short(described(head)): f"{Path(head).stem}.html" for head in heads}
        self.links = {"Findings": "index.html"} | studies | links | {"Settings": "settings.html"}
        self.missing = [described(section) for section in missing]
        self.shared = {"shared": templates, "style": style, "behaviour": [behaviour]}

    def _render(self, template: str, made: Provenance, **content) -> str:
        filters = {"shown": shown, "cell": cell, "prose": prose, "evidence": evidence, "sure": sure, "spark": drawn}
        return html.page(
            template,
            **self.shared,
            filters=filters,
            title=self.title,
            links=self.links,
            missing=self.missing,
            current=made.page,
            made=made,
            **content,
        )

    def front(
        self, made: Provenance, facts: dict[str, str], findings: list[dict], cards: list[Card], pictures: list[Picture]
    ) -> str:
        """`findings` in their order, each with a `link`."""
        worded, warnings = _kinds(findings)
        measured = [row for row in worded if row["verdict"] not in ("too_few", "missing")]
        return self._render(
            "front.html.j2",
            made,
            facts=facts,
            findings=measured[:FINDINGS],
            more=len(measured) - FINDINGS,
            open=[row for row in worded if row not in measured],
            warnings=warnings,
            cards=cards,
            pictures=pictures[:PICTURES],
        )

    def study(self, made: Provenance, sections: list[ReportSection], findings: list[dict], figures: dict) -> str:
        """The page of some sections; `findings` are theirs in order, `figures` maps (section, figure) to drawings."""
        worded, warnings = _kinds(findings)
        return self._render(
            "page.html.j2",
            made,
            sections=sections,
            findings=worded,
            warnings=warnings,
            figures={key: Figure(Markup(figure.svg), figure.address) for key, figure in figures.items()},
            files=FILES,
        )

    def settings(self, made: Provenance, settings: str) -> str:
        return self._render("settings.html.j2", made, settings=settings)


def _kinds(findings):
    """Findings, and warnings."""
    return ([row for row in findings if row["kind"] == kind] for kind in ("finding", "warning"))


def _short(content):
    return content.get("short", content["title"])


def card(address: str, content: dict, row: dict | None, resting: Iterable[str] = ()) -> Card:
    """The card of the page that a section heads, with the number that its description names, if there is one, and the
    remarks on indexes that this rests on.
    """
    asked = content.get("card", {})
    number, interval, small = "\N{EN DASH}", "", Markup()
    if row is not None:
        form = asked.get("form", "score")
        number = formed(row["value"], form)
        interval = "" if row["low"] is None else between(row["low"], row["high"], form)
        small = drawn(row | {"against": asked.get("against")})
    label = ". ".join(filter(None, (asked.get("label", ""), " ".join(resting))))
    return Card(address, content["title"], content.get("question", ""), label, number, interval, small)


def evidence(finding: dict) -> str:
    """What a finding rests on, in a line."""
    if finding["n"] is None:
        return ""
    items = f"n = {finding['n']:,}"
    if finding["verdict"] == "too_few":
        return items
    form, reference = finding["form"], f"; {finding['reference']}: {formed(finding['against'], finding['form'])}"
    if finding["against_low"] is not None:
        reference += f" [{between(finding['against_low'], finding['against_high'], form)}]"
    if finding["low"] is not None:
        return f"[{between(finding['low'], finding['high'], form)}], {items}{reference}"
    number = formed(finding["value"], form)
    return number + ("" if number == f"{finding['n']:,}" else f", {items}") + reference


def drawn(row: dict) -> Markup:
    """A number with its interval and a tick at what it is compared with, on a bar that ends at 1, if all lie between -1
    and 1: a tiny picture in the page's colours, which says in words what it shows.
    """
    value, low, high, against = (row[name] for name in ("value", "low", "high", "against"))
    numbers = [number for number in (value, low, high, against) if number is not None]
    if value is None or low is None or not all(-1 <= number <= 1 for number in numbers):
        return Markup()
    (width, height), least = SPARK, 0 if min(numbers) >= 0 else -1
    middle = height // 2

    def place(number):
        return f"{EDGE + (number - least) / (1 - least) * (width - 2 * EDGE):.0f}"

    spoken = f"{value:.3g}, interval {low:.3g} to {high:.3g}, on a scale from {least} to 1"
    bar = f"<path d='M{EDGE} {middle}H{width - EDGE}' stroke='var(--line,#dde1e7)' stroke-width='2'/>"
    bar += f"<path d='M{place(low)} {middle}H{place(high)}' stroke='var(--mark,#1f6f8b)' stroke-width='5'"
    bar += " stroke-opacity='.35'/>"
    if against is not None:
        bar += f"<path d='M{place(against)} 1V{height - 1}' stroke='var(--ink,#1b2430)' stroke-dasharray='3 2'/>"
        spoken += f", compared with {against:.3g}"
    bar += f"<circle cx='{place(value)}' cy='{middle}' r='4' fill='var(--mark,#1f6f8b)'/>"
    box = f"class='spark' viewBox='0 0 {width} {height}' width='{width}' height='{height}'"
    return Markup(f"<svg xmlns='http://www.w3.org/2000/svg' {box} role='img' aria-label='{spoken}'>{bar}</svg>")


def sure(finding: dict) -> str:
    """How certain a finding is, in a word or two; nothing of what was counted."""
    if finding["low"] is None and finding["against_low"] is None and finding["value"] is not None:
        return ""
    if finding["verdict"] not in ("higher", "lower"):
        return {"unclear": "no clear difference", "too_few": "too few data", "missing": "not measured"}[
            finding["verdict"]
        ]
    return next(word for least, word in SURE if finding["certainty"] >= least)


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
