"""Figures as rows: what each kind of figure draws of the metrics, one row per mark.

A mark has the number with its interval and counts, and what says where it stands. These rows are drawn, and they are
the figure's CSV file, with numbers unrounded and nothing that a spreadsheet would run; how they are drawn is for
`ragassay.report.charts`.
"""

import csv
import io
import re
from collections.abc import Iterable
from itertools import pairwise

from ragassay.base.errors import AssayError
from ragassay.text.characters import csv_cell

NUMBERS = ("value", "low", "high", "n", "abstained")
BIN = re.compile(r"(\d+)-(\d+)")
NUMBER = re.compile(r"[+-]?\d+(\.\d+)?")
CONTROL = re.compile("[\x00-\x1f\x7f-\x9f\ufffe\uffff]")  # what no drawing can hold
COLOURS = 4  # that everybody can tell apart


class FigureError(AssayError):
    """The keys of a figure cannot be drawn as its description asks."""


def asked(part: dict) -> list[str]:
    """The keys and metrics that the description of a figure names."""
    label = part.get("label", [])
    single = [part[name] for name in ("at", "places", "by", "metric", "shown", "area") if name in part]
    return [*([label] if isinstance(label, str) else label), *single, *part.get("metrics", {})]


def marks(part: dict, rows: list[dict]) -> list[dict]:
    """The marks of a figure, from the rows of its table: keys are texts, metrics are whole metric rows."""
    drawn = list(KINDS[part["kind"]](part, rows))
    if part["kind"] == "dots" and (count := len({mark["series"] for mark in drawn})) > COLOURS:
        expected = f"expected at most {COLOURS}, each with a colour of its own"
        raise FigureError(f"figure {part['table']}: found {count} values of {part['by']}, {expected}")
    return [{name: _drawable(value) for name, value in mark.items()} for mark in drawn]


def _drawable(value):
    return CONTROL.sub("\N{REPLACEMENT CHARACTER}", value) if isinstance(value, str) else value


def _bars(part, rows):
    for row in rows:
        for series, number in _series(part, row):
            yield {"label": row[part["label"]], "series": series, **number}


def _histogram(part, rows):
    bins = _bins(part, [row[part["at"]] for row in rows])
    for row in rows:
        start, end = bins[row[part["at"]]]
        for series, number in _series(part, row):
            yield {"series": series, "start": start, "end": end, **number}


def _bins(part, names):
    """name -> (start, end) of each bin. "20-29" holds these whole numbers, "7" beside "8" is one; others, such as
    "0.05", reach to the next.
    """
    ranges = {name: BIN.fullmatch(name) for name in names}
    if all(ranges.values()):
        return {name: (float(bounds[1]), float(bounds[2]) + 1) for name, bounds in ranges.items()}
    places = {name: _place(part, name) for name in names}
    starts = sorted(places.values())
    width = min((after - before for before, after in pairwise(starts)), default=1)
    if width == 1 and all(name.isdigit() for name in names):
        return {name: (place - 0.5, place + 0.5) for name, place in places.items()}
    return {name: (place, round(place + width, 9)) for name, place in places.items()}


def _place(part, text):
    try:
        return float(text)
    except ValueError:
        raise FigureError(f"figure {part['table']}: {part['at']}: found {text!r}, expected a number") from None


def _series(part, row):
    """(name in the legend, number) of each metric that the row has."""
    metrics = part.get("metrics") or {part["metric"]: ""}
    return [(series, _number(row[metric])) for metric, series in metrics.items() if metric in row]


def _table(part, rows):
    """A mark for each name and metric, or each value of the key `by`."""
    keys = [*part["label"], *([part["by"]] if "by" in part else [])]
    used = [row for row in rows if all(key in row for key in keys) and _series(part, row)]
    for name, row in _named(used, part["label"]):
        shown = {"shown": row[part["shown"]]["value"]} if "shown" in part else {}
        for series, number in _series(part, row):
            yield {"label": name, "series": row[part["by"]] if "by" in part else series, **number, **shown}


def _points(part, rows):
    """Points of series that are named by those of their keys that differ, or by their metrics; some have no place."""
    label = part.get("label", [])
    areas = {_identity(label, row): row[part["area"]]["value"] for row in rows if part.get("area") in row}
    used = [row for row in rows if all(key in row for key in (*label, part["at"])) and _series(part, row)]
    for name, row in _named(used, label):
        at = row[part["at"]]
        place = {"value": _place(part, at), "low": None, "high": None} if isinstance(at, str) else at
        if place["value"] is None:
            continue
        more = {"area": areas.get(_identity(label, row))} if "area" in part else {}
        more |= {"place": row[part["places"]]} if "places" in part else {}
        for series, number in _series(part, row):
            point = {"label": name or series, "at": place["value"], "at_low": place["low"], "at_high": place["high"]}
            yield point | more | number


def _identity(label, row):
    return tuple(row.get(key) for key in label)


def _named(rows, label):
    """(name, row) for each, named by those keys in `label` that differ between rows, in natural order."""
    telling = [key for key in label if len({row[key] for row in rows}) > 1] or label[-1:]
    for row in sorted(rows, key=lambda row: natural({key: row[key] for key in telling})):
        yield ", ".join(filter(None, (row[key] for key in telling))), row


def natural(row):
    """Sorts rows by their keys, numbers and numbers in texts as numbers."""
    return [pieces(value) for value in row.values() if isinstance(value, str)]


def pieces(text: str) -> list[tuple]:
    """Sorts texts, those that are numbers first; numbers inside a text count as numbers."""
    if NUMBER.fullmatch(text):
        return [(-2, ""), (float(text), "")]
    return [(int(piece), "") if piece.isdigit() else (-1, piece) for piece in re.split(r"(\d+)", text)]


def _number(metric):
    return {name: metric[name] for name in NUMBERS}


KINDS = {
    "bars": _bars,
    "dots": _table,
    "heat": _table,
    "histogram": _histogram,
    "lines": _points,
    "roc": _points,
    "scatter": _points,
}


def marks_csv(marks: list[dict]) -> str:
    """The columns that have a value in some mark."""
    columns = [name for name in marks[0] if any(mark[name] not in (None, "") for mark in marks)]
    return csv_text(columns, ([mark[name] for name in columns] for mark in marks))


def csv_text(columns: list[str], rows: Iterable[list]) -> str:
    file = io.StringIO()
    writer = csv.writer(file, lineterminator="\n")
    writer.writerow(columns)
    writer.writerows([csv_cell(value) for value in row] for row in rows)
    return file.getvalue()
