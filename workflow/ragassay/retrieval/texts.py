"""Passages and queries from a user's files. The first row that cannot be used is an error with file and row."""

from collections.abc import Iterator

from ragassay.documents import Unusable, clean
from ragassay.errors import AssayError
from ragassay.sources import Columns, records


class TextError(AssayError):
    """A file of passages or queries cannot be used; the message names file and row."""


def texts(files: list[str], columns: dict[str, str], optional: tuple[str, ...]) -> Iterator[dict]:
    """One dict per row with `id`, `text` and the optional fields, None where there is nothing. `columns` are the names
    of all of them in the files; an id is given once.
    """
    names = {field: columns[field].strip().lower() for field in ("id", "text", *optional)}
    wanted, places = Columns(tuple(dict.fromkeys(names.values())), (names["id"], names["text"])), {}
    for record in records(files, wanted):
        place = f"{record.file} row {record.row}"
        if record.reason:
            raise TextError(f"{place}: {record.detail}")
        try:
            row = {field: clean(str(record.fields.get(name, ""))) or None for field, name in names.items()}
        except Unusable as error:
            raise TextError(f"{place}: {error}") from error
        for field in ("id", "text"):
            if row[field] is None:
                raise TextError(f"{place}: found nothing in {names[field]!r}, expected a value")
        if row["id"] in places:
            raise TextError(f"{place}: found the id {row['id']!r} of {places[row['id']]}, expected each once")
        places[row["id"]] = place
        yield row
    if not places:
        raise TextError(f"{', '.join(files)}: found no row, expected at least one")
