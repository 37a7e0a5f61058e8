"""Items and labels as CSV, one row per label; an item without one has a row with nothing in the columns of labels.

Spreadsheets run cells that look like formulas, and the texts come from strangers. An apostrophe is put before such
cells and removed when they are read.
"""

import csv
import io

from ragassay.people.exchange.label import SHOWN, ExchangeError, Given, duration, milliseconds, moment
from ragassay.people.tasks import ANNOTATOR

LABEL = ("annotator", "role", "label", "comment", "labelled_at", "seconds")
NEEDED = ("item_id", "label")
FORMULA = ("=", "+", "-", "@", "\t", "\r", "'")


def written(items: list[dict], labels: dict[str, list[Given]]) -> str:
    text = io.StringIO()
    rows = csv.writer(text, lineterminator="\r\n")
    rows.writerow([*SHOWN, *LABEL])
    for item in items:
        shown = [item[name] for name in SHOWN]
        for given in labels[item["item_id"]] or [None]:
            rows.writerow([_guarded(cell) for cell in [*shown, *_cells(given)]])
    return text.getvalue()


def read(text: str, where: str, annotator: str | None) -> list[Given]:
    """The labels. Rows without one are skipped."""
    rows = csv.DictReader(io.StringIO(text, newline=""), strict=True)
    try:
        missing = [name for name in NEEDED if name not in (rows.fieldnames or [])]
        if missing:
            raise ExchangeError(
                f"{where}:1: found no column {', '.join(missing)}, expected at least {', '.join(NEEDED)}"
            )
        found = [_given(row, f"{where}:{rows.line_num}", annotator) for row in rows]
    except csv.Error as error:
        raise ExchangeError(f"{where}:{rows.line_num}: not CSV with commas ({error})") from None
    return [given for given in found if given]


def _given(row, where, annotator):
    cells = {name: _bare(row.get(name) or "") for name in (*NEEDED, *LABEL)}
    if not cells["label"].strip():
        return None
    return Given(
        item=cells["item_id"].strip(),
        annotator=cells["annotator"].strip() or annotator or "",
        role=cells["role"].strip() or ANNOTATOR,
        label=cells["label"].strip(),
        comment=cells["comment"].strip(),
        at=milliseconds(cells["labelled_at"].strip(), where),
        seconds=duration(cells["seconds"].strip(), where),
        where=where,
    )


def _cells(given):
    if given is None:
        return [""] * len(LABEL)
    seconds = "" if given.seconds is None else given.seconds
    return [given.annotator, given.role, given.label, given.comment, moment(given.at) if given.at else "", seconds]


def _guarded(cell):
    return f"'{cell}" if isinstance(cell, str) and cell.startswith(FORMULA) else cell


def _bare(cell):
    return cell[1:] if cell.startswith("'") and cell[1:].startswith(FORMULA) else cell
