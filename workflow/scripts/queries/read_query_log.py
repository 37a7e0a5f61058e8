"""Read a log of the user's queries, in the order of time. Rows without a query are left out and counted; a query
without a date is an error. Texts that differ only in case, punctuation and spaces are the same query.
"""

import re
import unicodedata

from ragassay.base import tables
from ragassay.base.errors import AssayError, Unusable
from ragassay.base.stage import log, run
from ragassay.documents.documents import clean, moment
from ragassay.documents.ids import content_id
from ragassay.documents.sources import Columns, records, warn_of_empty
from ragassay.schemas.corpora import QUERY_LOG


class LogError(AssayError):
    """A log cannot be used; the message names file and row."""


def read_query_log(files, query_log, columns):
    date, text = (columns[name].strip().lower() for name in ("date", "text"))
    dated, empty = [], []
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
            raise LogError(f"{place}: {error}") from error
        if not asked:
            raise LogError(f"{place}: found nothing in {date!r}, expected a value: each query of a log has its date")
        dated.append((asked, query))
    warn_of_empty(empty, text, len(dated))
    if not dated:
        raise LogError(f"{', '.join(files)}: found no row, expected at least one query with its date")
    dated.sort(key=lambda pair: pair[0])
    with tables.Writer(QUERY_LOG, query_log) as kept:
        for entry, (asked, query) in enumerate(dated, 1):
            entry_row = {
                "entry": entry,
                "date": asked,
                "text": query,
                "query_id": content_id("text", same_words(query)),
            }
            kept.add(dict.fromkeys(QUERY_LOG.schema.names) | entry_row)
    log.info("%d queries from %s to %s", len(dated), dated[0][0].date(), dated[-1][0].date())


def same_words(text: str) -> str:
    """What texts share that differ only in case, punctuation and spaces; of signs alone, the text itself."""
    return " ".join(re.findall(r"\w+", unicodedata.normalize("NFKC", text).casefold())) or text


if __name__ == "__main__":
    run(read_query_log, snakemake)
