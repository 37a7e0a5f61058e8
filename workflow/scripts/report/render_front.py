"""Render the front page, which says what was found and where the rest stands, and the page of settings."""

import json
import re
from pathlib import Path

import yaml
from markupsafe import Markup

from ragassay.base import tables
from ragassay.base.atomic import write_text
from ragassay.base.stage import run
from ragassay.report import index_notes, provenance
from ragassay.report.findings import chosen, fact, metric_rows, ordered
from ragassay.report.pages import Picture, ReportPages, card
from ragassay.report.sections import described, parts_of
from ragassay.schemas.report import FINDINGS


def render_front(
    metrics, sections, figures, findings, pages, heads, templates, style, behaviour, page, settings, title, links,
    config, missing, models, command, recalls, index_recall=(),
):  # fmt: skip
    """`pages` are those of the studies; `heads` describe sections that head them, `missing` those without numbers.
    `models` says of each model what it is, `command` makes the report; `recalls` are those files of `index_recall` that
    the numbers of each section rest on.
    """
    content = {Path(section).stem: described(section) for section in sections}
    numbers = {Path(section).stem: metric_rows(rows) for section, rows in zip(sections, metrics, strict=True)}
    asked = [(numbers[name], entry) for name, section in content.items() for entry in section["facts"]]
    facts = {entry["label"]: fact(rows, entry) for rows, entry in asked}
    anchors = {
        anchor: f"{Path(study).name}#{anchor}"
        for study in pages
        for anchor in re.findall(r'<(?:section|figure) id="([^"]+)"', Path(study).read_text())
    }
    rows = [row | {"link": _link(row, anchors)} for row in ordered(tables.read(FINDINGS, findings).to_pylist())]
    indexes = index_notes.by_section(recalls, index_recall)
    cards = []
    for head in heads:
        name = Path(head).stem
        heading = described(head)
        number = heading.get("card")
        row = chosen(numbers.get(name, []), number) if number else None
        resting = index_notes.of_number(indexes.get(name, {}), row["keys"]) if row else []
        cards.append(card(f"{name}.html", heading, row, resting))
    drawn = [(name, Path(folder), section) for (name, section), folder in zip(content.items(), figures, strict=True)]
    pictures = [
        picture
        for name, folder, section in drawn
        if (picture := _picture(name, folder, section, anchors, numbers[name], indexes.get(name, {})))
    ]
    report = ReportPages(templates, style, behaviour, title, links, heads, missing)
    text = yaml.safe_dump(config, sort_keys=False, allow_unicode=True)
    named = provenance.named(models, (json.dumps(row["keys"]) for rows in numbers.values() for row in rows))
    made = provenance.of_page(page, [findings, *metrics], command, named, text)
    write_text(page, report.front(made, facts, rows, cards, pictures))
    write_text(settings, report.settings(provenance.of_page(settings, [], command, settings=text), text))


def _picture(name, folder, description, anchors, numbers, indexes):
    """The figure that a section offers to the front page, if it was drawn."""
    wanted = description.get("front")
    part = next((part for part in parts_of(description) if part.get("name", part.get("table")) == wanted), None)
    if part is None or not (folder / f"{wanted}.svg").exists():
        return None
    address = anchors.get(f"{name}-{part['table']}", anchors[name])
    keys = [row["keys"] for row in numbers if row["table"] == part["table"]]
    svg = Markup((folder / f"{wanted}.svg").read_text())
    return Picture(part["title"], address, svg, " ".join(index_notes.of_number(indexes, *keys)))


def _link(row, anchors):
    return anchors.get(f"{row['section']}-{row['metric_table']}") or anchors[row["section"]]


if __name__ == "__main__":
    run(render_front, snakemake)
