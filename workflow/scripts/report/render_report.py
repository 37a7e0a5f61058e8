"""Render the page that people open, from the metrics, the descriptions of its sections and their figures."""

from pathlib import Path

from ragassay.atomic import write_text
from ragassay.report.page import render
from ragassay.report.sections import load
from ragassay.stage import run


def render_report(metrics, sections, figures, template, style, behaviour, page, title, config):
    content = [load(section, rows) for section, rows in zip(sections, metrics, strict=True)]
    drawn = {
        (section.name, part.name): (Path(folder) / f"{part.name}.svg").read_text()
        for section, folder in zip(content, figures, strict=True)
        for part in section.parts
        if part.kind != "table"
    }
    write_text(page, render(template, style, behaviour, title, content, drawn, config))


if __name__ == "__main__":
    run(render_report, snakemake)
