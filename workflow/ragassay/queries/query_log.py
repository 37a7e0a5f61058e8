"""The user's log of queries: what was asked and when. Rows without a query are left out and counted; a query without a
date is an error.
"""

import datetime
from collections.abc import Iterator

from ragassay.base.errors import AssayError, Unusable
from ragassay.documents.documents import clean, moment
from ragassay.documents.sources import Columns, records, warn_of_empty


class QueryLogError(AssayError):
    """A log cannot be used; the message names file and row."""


def entries(files: list[str], columns: dict[str, str]) -> Iterator[tuple[datetime.datetime, str]]:
    """(date, query) of each row, in the order of the files."""
    date, text = (columns[name].strip().lower() for name in ("date", "text"))
    count, empty = 0, []
    for record in records(files, Columns((date, text), (date, text))):
        place = f"{record.file} row {record.row}"
        try:
            if record.reason:
                raise Unusable(record.reason, record.detail)
            if not (query := clean(str(record.fields.get(text) or ""))):
                empty.append(place)
                continue
            asked = moment(record.fields.get(date))
        except Unusable as error:
            raise QueryLogError(f"{place}: {error}") from error
        if not asked:
            raise QueryLogError(
                f"{place}: found nothing in {date!r}, expected a value: each query of a log has its date"
            )
        count += 1
        yield asked, query
    warn_of_empty(empty, text, count)
    if not count:
        raise QueryLogError(f"{', '.join(files)}: found no row, expected at least one query with its date")
