"""Draw the figures of one section: each as SVG, PNG and PDF, with its data and its Vega-Lite specification."""

from pathlib import Path

from ragassay.base.atomic import replacing
from ragassay.base.stage import run
from ragassay.report import charts, theme
from ragassay.report.figures import csv_text
from ragassay.report.sections import load


def draw_figures(metrics, section, figures):
    folder = Path(figures)
    folder.mkdir(parents=True, exist_ok=True)
    for part in load(section, metrics).parts:
        if not (part.drawn and part.rows):
            continue
        draw = getattr(charts, part.kind)
        files = theme.files(draw(part.rows, part.title, **part.axes)) | {"csv": _data(part.rows)}
        for ending, content in files.items():
            with replacing(folder / f"{part.name}.{ending}") as target:
                target.write(content)


def _data(marks):
    """The columns that have a value in some mark."""
    columns = [name for name in marks[0] if any(mark[name] not in (None, "") for mark in marks)]
    return csv_text(columns, ([mark[name] for name in columns] for mark in marks)).encode()


if __name__ == "__main__":
    run(draw_figures, snakemake)
