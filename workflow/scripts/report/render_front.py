"""Render the front page, which says what was found and where the rest stands, and the page of settings."""

import json
from pathlib import Path

from ragassay.base import tables
from ragassay.base.atomic import write_text
from ragassay.base.stage import run
from ragassay.report.findings import chosen, formed, ordered
from ragassay.report.pages import Pages, card
from ragassay.report.sections import described, link
from ragassay.schemas.report import FINDINGS, METRICS


def render_front(
    metrics, sections, findings, heads, templates, style, behaviour, page, settings, title, links, pages, config
):
    """`pages` says on which page each section stands; `heads` describe the sections that head pages."""
    content = {Path(section).stem: described(section) for section in sections}
    numbers = {Path(section).stem: _numbers(rows) for section, rows in zip(sections, metrics, strict=True)}
    facts = {
        fact["label"]: formed(row["value"], fact.get("form", "number"))
        for name, section in content.items()
        for fact in section["facts"]
        if (row := chosen(numbers[name], fact)) is not None
    }
    rows = ordered([row for path in findings for row in tables.read(FINDINGS, path).to_pylist()])
    linked = [
        row | {"link": pages[row["section"]] + link(content[row["section"]], row["section"], row["metric_table"])}
        for row in rows
    ]
    names = [Path(head).stem for head in heads]
    cards = [
        card(pages[name], content[name], chosen(numbers[name], asked) if (asked := content[name].get("card")) else None)
        for name in names
    ]
    report = Pages(templates, style, behaviour, title, links, heads)
    write_text(page, report.front(facts, linked, cards))
    write_text(settings, report.settings(config))


def _numbers(metrics):
    return [row | {"keys": json.loads(row["keys"])} for row in tables.read(METRICS, metrics).to_pylist()]


if __name__ == "__main__":
    run(render_front, snakemake)
