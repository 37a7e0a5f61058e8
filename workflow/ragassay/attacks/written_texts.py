"""Texts that were written for targets, by people or a model: a table with the columns target_id and text, and perhaps
calls, the answers of a model that a text took.
"""

from collections.abc import Iterator

from ragassay.attacks.poison import AttackError, Text
from ragassay.documents.sources import Columns, records

COLUMNS = Columns(("target_id", "text", "calls"), ("target_id", "text"))


def written_texts(files: list[str]) -> Iterator[tuple[str, Text]]:
    """(target, text), row after row."""
    for record in records(files, COLUMNS) if files else ():
        place = f"{record.file} row {record.row}"
        if record.reason:
            raise AttackError(f"{place}: {record.detail}")
        row = {name: str(record.fields.get(name) or "").strip() for name in COLUMNS.needed}
        for name, value in row.items():
            if not value:
                raise AttackError(f"{place}: found nothing in {name!r}, expected a value")
        yield row["target_id"], Text(row["text"], _count(record.fields.get("calls"), place))


def _count(value, place):
    found = str(value if value is not None else "").strip() or "0"
    if not found.isdecimal():
        raise AttackError(f"{place}: found {value!r} in 'calls', expected a whole number")
    return int(found)
