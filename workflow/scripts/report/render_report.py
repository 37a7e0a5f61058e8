"""Render the page that people open, from the metrics, the descriptions of its sections and their figures."""

import os
from pathlib import Path

from ragassay.base import tables
from ragassay.base.atomic import write_text
from ragassay.base.stage import run
from ragassay.report.report_page import Figure, render
from ragassay.report.sections import load
from ragassay.schemas.report import EXAMPLES


def render_report(metrics, sections, figures, examples, template, style, behaviour, page, title, config, pages, notes):
    """`examples` are the files of those sections that have some."""
    passages = {tables.keys(EXAMPLES, path)["section"]: path for path in examples}
    pairs = zip(sections, metrics, strict=True)
    content = [load(section, rows, passages.get(Path(section).stem), notes) for section, rows in pairs]
    drawn = {
        (section.name, part.name): _figure(Path(folder) / part.name, Path(page).parent)
        for section, folder in zip(content, figures, strict=True)
        for part in section.parts
        if part.drawn and part.rows
    }
    write_text(page, render(template, style, behaviour, title, content, drawn, config, pages))


def _figure(path, beside):
    return Figure(Path(f"{path}.svg").read_text(), Path(os.path.relpath(path, beside)).as_posix())


if __name__ == "__main__":
    run(render_report, snakemake)
