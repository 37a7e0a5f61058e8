"""Render the page that people open, from the metrics, the descriptions of its sections and their figures."""

from pathlib import Path

from ragassay.atomic import write_text
from ragassay.report.page import render
from ragassay.report.sections import load
from ragassay.stage import run


def render_report(metrics, sections, figures, examples, template, style, behaviour, page, title, config, pages):
    """`examples` are the files of those sections that have some, named like them."""
    passages = {Path(path).stem: path for path in examples}
    pairs = zip(sections, metrics, strict=True)
    content = [load(section, rows, passages.get(Path(section).stem)) for section, rows in pairs]
    drawn = {
        (section.name, part.name): (Path(folder) / f"{part.name}.svg").read_text()
        for section, folder in zip(content, figures, strict=True)
        for part in section.parts
        if part.drawn
    }
    write_text(page, render(template, style, behaviour, title, content, drawn, config, pages))


if __name__ == "__main__":
    run(render_report, snakemake)
