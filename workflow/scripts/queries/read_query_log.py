"""Read a log of the user's queries, in the order of time. A query without a date is an error. Texts that differ only in
case, punctuation and spaces are the same query.
"""

import re
import unicodedata

from ragassay import tables
from ragassay.documents.documents import Unusable, clean, moment
from ragassay.documents.ids import content_id
from ragassay.documents.sources import Columns, records
from ragassay.errors import AssayError
from ragassay.schemas.query_log import QUERY_LOG
from ragassay.stage import log, run


class LogError(AssayError):
    """A log cannot be used; the message names file and row."""


def read_query_log(files, query_log, columns):
    date, text = (columns[name].strip().lower() for name in ("date", "text"))
    found = []
    for record in records(files, Columns((date, text), (date, text))):
        place = f"{record.file} row {record.row}"
        try:
            if record.reason:
                raise Unusable(record.reason, record.detail)
            asked, query = moment(record.fields.get(date)), clean(str(record.fields.get(text) or ""))
        except Unusable as error:
            raise LogError(f"{place}: {error}") from error
        for name, value in ((date, asked), (text, query)):
            if not value:
                raise LogError(f"{place}: found nothing in {name!r}, expected a value: each query of a log has both")
        found.append((asked, query))
    if not found:
        raise LogError(f"{', '.join(files)}: found no row, expected at least one query with its date")
    found.sort(key=lambda one: one[0])
    with tables.Writer(QUERY_LOG, query_log) as kept:
        for entry, (asked, query) in enumerate(found, 1):
            own = {"entry": entry, "date": asked, "text": query, "query_id": content_id("text", same_words(query))}
            kept.add(dict.fromkeys(QUERY_LOG.schema.names) | own)
    log.info("%d queries from %s to %s", len(found), found[0][0].date(), found[-1][0].date())


def same_words(text: str) -> str:
    """What texts share that differ only in case, punctuation and spaces; of signs alone, the text itself."""
    return " ".join(re.findall(r"\w+", unicodedata.normalize("NFKC", text).casefold())) or text


if __name__ == "__main__":
    run(read_query_log, snakemake)
