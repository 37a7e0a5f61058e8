"""CSV for spreadsheets: numbers unrounded, nothing that a spreadsheet would run."""

import csv
import io
from collections.abc import Iterable


def text(columns: list[str], rows: Iterable[list]) -> str:
    file = io.StringIO()
    writer = csv.writer(file, lineterminator="\n")
    writer.writerow(columns)
    writer.writerows([_cell(value) for value in row] for row in rows)
    return file.getvalue()


def _cell(value):
    if isinstance(value, str) and value.startswith(("=", "+", "-", "@", "\t", "\r")):
        return "'" + value
    return "" if value is None else value
