"""Draw the figures of one section as SVG files, each readable by itself."""

from pathlib import Path

from ragassay.atomic import write_text
from ragassay.report import charts
from ragassay.report.sections import load
from ragassay.stage import run


def draw_figures(metrics, section, figures):
    folder = Path(figures)
    folder.mkdir(parents=True, exist_ok=True)
    for part in load(section, metrics).parts:
        if part.kind == "bars":
            label, metric = part.columns
            items = [(row[label], row[metric]["value"]) for row in part.rows]
            write_text(folder / f"{part.name}.svg", charts.bars(items, part.title, part.axes["x"], part.axes["y"]))


if __name__ == "__main__":
    run(draw_figures, snakemake)
