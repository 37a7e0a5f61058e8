"""Draw the figures of one section: each as SVG, PNG and PDF, with its data and its Vega-Lite specification. Write every
number of the section as CSV, for spreadsheets: each key has a column of its own, and nothing is rounded.
"""

from pathlib import Path

from ragassay.base.atomic import replacing, write_text
from ragassay.base.stage import run
from ragassay.report import charts, index_notes, theme
from ragassay.report.figures import NUMBERS, csv_text, marks_csv
from ragassay.report.findings import metric_rows
from ragassay.report.sections import load


def draw_figures(metrics, section, figures, numbers, index_recall=()):
    folder = Path(figures)
    folder.mkdir(parents=True, exist_ok=True)
    content = load(section, metrics)
    for part in [*content.parts, *content.details]:
        if not (part.drawn and part.rows):
            continue
        draw = getattr(charts, part.kind)
        files = theme.files(draw(part.rows, part.title, **part.axes)) | {"csv": marks_csv(part.rows).encode()}
        for ending, drawing in files.items():
            with replacing(folder / f"{part.name}.{ending}") as target:
                target.write(drawing)
    write_text(numbers, _numbers(metrics, content, index_notes.remarks(index_recall)))


def _numbers(metrics, section, indexes):
    """All numbers of the section's own metrics; of those of another section, the tables that it shows. Where some rest
    on indexes, a last column says on which.
    """
    rows = metric_rows(metrics)
    if section.numbers != section.name:
        rows = [row for row in rows if row["table"] in section.tables]
    keys = sorted({key for row in rows for key in row["keys"]})
    columns = ["table", *(f"key {key}" for key in keys), "metric", *NUMBERS]
    lines = [
        [row["table"], *(row["keys"].get(key) for key in keys), row["metric"], *(row[name] for name in NUMBERS)]
        for row in rows
    ]
    resting = [" ".join(index_notes.of_number(indexes, row["keys"])) for row in rows]
    if any(resting):
        columns.append(index_notes.COLUMN)
        lines = [[*line, remark] for line, remark in zip(lines, resting, strict=True)]
    return csv_text(columns, lines)


if __name__ == "__main__":
    run(draw_figures, snakemake)
