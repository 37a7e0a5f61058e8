"""Draw the figures of one section as SVG files, each readable by itself."""

from pathlib import Path

from ragassay.atomic import write_text
from ragassay.report import charts, curves, plots
from ragassay.report.sections import load
from ragassay.stage import run


def draw_figures(metrics, section, figures):
    folder = Path(figures)
    folder.mkdir(parents=True, exist_ok=True)
    for part in load(section, metrics).parts:
        if part.drawn:
            write_text(folder / f"{part.name}.svg", DRAWN[part.kind](part))


def _bars(part):
    label, *metrics = part.columns
    items = [(row[label], *(_value(row.get(metric)) for metric in metrics)) for row in part.rows]
    return charts.bars(items, part.title, **part.axes, legend=tuple(part.columns[metric] for metric in metrics))


def _heat(part):
    label, *columns = part.columns
    rows = [(row[label], {name: _value(row.get(name)) for name in columns}) for row in part.rows]
    return plots.heat(rows, columns, part.title, **part.axes)


def _dots(part):
    label, *metrics = part.columns
    return plots.dots([(row[label], _value(row.get(*metrics))) for row in part.rows], part.title, **part.axes)


def _lines(part):
    found = {}
    for row in part.rows:
        found.setdefault(row["label"], []).append((row["at"], _value(row["value"])))
    return curves.lines(found.items(), part.title, **part.axes)


DRAWN = {"bars": _bars, "heat": _heat, "dots": _dots, "lines": _lines}


def _value(metric):
    return charts.Value(*(metric.get(name) for name in charts.Value._fields) if metric else (None,))


if __name__ == "__main__":
    run(draw_figures, snakemake)
