"""Render the page of a study, from the metrics, descriptions and figures of its sections."""

import os
from pathlib import Path

from ragassay.base import tables
from ragassay.base.atomic import write_text
from ragassay.base.stage import run
from ragassay.report import index_notes, provenance
from ragassay.report.findings import findings, ordered
from ragassay.report.pages import Figure, ReportPages
from ragassay.report.sections import described, link, load, rows_address
from ragassay.schemas.report import EXAMPLES, METRICS


def render_page(
    metrics, sections, figures, examples, heads, templates, style, behaviour, page, title, links, notes, missing,
    models, command, recalls, index_recall=(),
):  # fmt: skip
    """`examples` are the files of those sections that have some; `index_recall` those of indexes that numbers rest on,
    `recalls` these by section; `heads` describe the sections that head pages. `models` says of each model what it is,
    `command` makes the report.
    """
    passages = {tables.keys(EXAMPLES, path)["section"]: path for path in examples}
    pairs = zip(sections, metrics, strict=True)
    content = [load(section, rows, passages.get(Path(section).stem), notes) for section, rows in pairs]
    content[0].notes += index_notes.notes(index_recall)
    drawn = {
        (section.name, part.name): _figure(Path(folder) / part.name, Path(page).parent)
        for section, folder in zip(content, figures, strict=True)
        for part in [*section.parts, *section.details]
        if part.drawn and part.rows
    }
    pairs = zip(sections, metrics, strict=True)
    indexes = index_notes.by_section(recalls, index_recall)
    worded = ordered([row for section, rows in pairs for row in _linked(section, rows, links, indexes)])
    pages = ReportPages(templates, style, behaviour, title, links, heads, missing)
    keys = [key for rows in metrics for key in tables.read(METRICS, rows)["keys"].to_pylist()]
    made = provenance.of_page(page, [*metrics, *examples], command, provenance.named(models, keys))
    write_text(page, pages.study(made, content, worded, drawn))


def _linked(section, metrics, links, indexes):
    content = described(section)
    rows = findings(content, metrics, section, indexes.get(Path(section).stem))
    pages = list(links.values())
    return [
        row | {"link": link(content, row["section"], row["metric_table"]), "rows": rows_address(content, row, pages)}
        for row in rows
    ]


def _figure(path, beside):
    return Figure(Path(f"{path}.svg").read_text(), Path(os.path.relpath(path, beside)).as_posix())


if __name__ == "__main__":
    run(render_page, snakemake)
