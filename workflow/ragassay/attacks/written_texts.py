"""Texts that somebody wrote for targets: a table with the columns target_id and text."""

from collections.abc import Iterator

from ragassay.attacks.poison import AttackError
from ragassay.documents.sources import Columns, records

COLUMNS = Columns(*[("target_id", "text")] * 2)


def written_texts(files: list[str]) -> Iterator[dict]:
    for record in records(files, COLUMNS) if files else ():
        place = f"{record.file} row {record.row}"
        if record.reason:
            raise AttackError(f"{place}: {record.detail}")
        row = {name: str(record.fields.get(name) or "").strip() for name in COLUMNS.needed}
        for name, value in row.items():
            if not value:
                raise AttackError(f"{place}: found nothing in {name!r}, expected a value")
        yield row
