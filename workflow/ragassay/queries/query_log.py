"""The user's log of queries: what was asked and when, from tables or from spans of OpenTelemetry. A row that cannot be
used comes back with its reason."""

import datetime
import re
from collections.abc import Iterator
from typing import NamedTuple

from ragassay.base.errors import Unusable
from ragassay.documents.documents import clean, moment
from ragassay.documents.sources import Columns, records
from ragassay.queries import spans

ZONE = re.compile(r"(Z|UTC|[+-]\d\d:?\d\d)\s*$|^\d+$")  # at the end of a time; seconds since 1970 have that of UTC


class LoggedQuery(NamedTuple):
    date: datetime.datetime
    text: str
    session: str | None = None  # what the log calls it
    zoned: bool = True  # whether the log says in which zone that was the time


def entries(
    files: list[str], columns: dict[str, str], date_format: str | None = None
) -> Iterator[tuple[str, LoggedQuery | Unusable]]:
    """The place of each row with what it says, or with what is wrong, in the order of the files."""
    date, text, session = (columns[name].strip().lower() for name in ("date", "text", "session"))
    seen = set()  # of traces
    for record in records(files, Columns((date, text, session, spans.FIELD), (date, text))):
        place, fields = f"{record.file} row {record.row}", record.fields
        if record.reason:
            yield place, Unusable(record.reason, record.detail)
        elif spans.FIELD in fields:
            for number, question in enumerate(spans.questions(fields[spans.FIELD], seen), 1):
                is_sound = not isinstance(question, Unusable)
                yield (
                    f"{place} span {number}",
                    _entry(LoggedQuery(*question), "startTimeUnixNano") if is_sound else question,
                )
        else:
            entry = LoggedQuery(*(fields.get(name) for name in (date, text, session)))
            yield place, _entry(entry, date, text, date_format)


def _entry(entry, date, text="text", date_format=None):
    """An entry from what the log has; `date` and `text` are what they are called there."""
    try:
        if not (words := clean(str(entry.text or ""))):
            return Unusable("empty_text", f"found nothing in {text!r}, expected what was asked")
        moment_asked = moment(entry.date, date_format)
        session = None if entry.session is None else clean(str(entry.session)) or None
    except Unusable as error:
        return error
    if moment_asked is None:
        expected = "expected a value: each query of a log has its date"
        return Unusable("no_date", f"found nothing in {date!r}, {expected}")
    return LoggedQuery(moment_asked, words, session, _has_zone(entry.date))


def _has_zone(date):
    return date.tzinfo is not None if isinstance(date, datetime.datetime) else bool(ZONE.search(str(date)))
