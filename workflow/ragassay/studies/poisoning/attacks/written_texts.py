"""Texts that were written for targets, by people or a model: a table with the columns target_id and text, and perhaps
calls, the answers of a model that a text took.
"""

from collections.abc import Iterator

from ragassay.documents.sources import Columns, records, warn_of_empty
from ragassay.studies.poisoning.attacks.attack import AttackError, Text

COLUMNS = Columns(("target_id", "text", "calls"), ("target_id", "text"))


def written_texts(files: list[str]) -> Iterator[tuple[str, Text]]:
    """(target, text), row after row; rows without text are left out and counted."""
    empty, kept = [], 0
    for record in records(files, COLUMNS) if files else ():
        place = f"{record.file} row {record.row}"
        if record.reason:
            raise AttackError(f"{place}: {record.detail}")
        row = {name: str(record.fields.get(name) or "").strip() for name in COLUMNS.needed}
        if not row["text"]:
            empty.append(place)
            continue
        if not row["target_id"]:
            raise AttackError(f"{place}: found nothing in 'target_id', expected a value")
        kept += 1
        yield row["target_id"], Text(row["text"], _count(record.fields.get("calls"), place))
    warn_of_empty(empty, "text", kept)


def _count(value, place):
    found = str(value if value is not None else "").strip() or "0"
    if not found.isdecimal():
        raise AttackError(f"{place}: found {value!r} in 'calls', expected a whole number")
    return int(found)
