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
            label, *metrics = part.columns
            items = [(row[label], *(_height(row.get(metric)) for metric in metrics)) for row in part.rows]
            legend = tuple(part.columns[metric] for metric in metrics)
            drawing = charts.bars(items, part.title, **part.axes, legend=legend)
            write_text(folder / f"{part.name}.svg", drawing)


def _height(metric):
    return charts.Value(*(metric[name] for name in ("value", "low", "high")) if metric else (None,))


if __name__ == "__main__":
    run(draw_figures, snakemake)
