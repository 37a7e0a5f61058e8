"""Read a log of the user's queries, in the order of time. Texts that differ only in case, punctuation and spaces are
the same query. A row that cannot be used is a row of rejects with its file, row and reason.
"""

import re
import unicodedata

from ragassay.base import tables
from ragassay.base.chance import content_id
from ragassay.base.errors import AssayError, Unusable
from ragassay.base.stage import log, run
from ragassay.base.tally import Tally
from ragassay.queries.query_log import entries
from ragassay.schemas.corpora import QUERY_LOG


class QueryLogError(AssayError):
    """A log has no query."""


def read_query_log(files, query_log, rejects, name, columns, date_format, most_rejected):
    dated = []
    tally = Tally(f"query log {name}", "rows", most_rejected, "Correct them, or the columns and date_format of the log")
    with tables.Writer(tables.REJECTS, rejects) as refused:
        for place, entry in entries(files, columns, date_format):
            if isinstance(entry, Unusable):
                tally.reject(place, entry.reason, entry.detail)
                reject = {"item": place, "reason": entry.reason, "detail": entry.detail}
                refused.add({"stage": "read_query_log", "shard": name} | reject)
            else:
                tally.keep()
                dated.append(entry)
        tally.check()
        if not dated:
            raise QueryLogError(f"{', '.join(files)}: found no row, expected at least one query with its date")
    if without := sum(not entry.zoned for entry in dated) % len(dated):
        log.warning(
            "query log %s: %d of %d times say no time zone and count as UTC; write one with each, or with none",
            *(name, without, len(dated)),
        )
    dated.sort(key=lambda entry: entry.date)
    with tables.Writer(QUERY_LOG, query_log) as kept:
        for number, (asked, query, session, _) in enumerate(dated, 1):
            entry_row = {
                "entry": number,
                "date": asked,
                "text": query,
                "query_id": content_id("text", same_words(query)),
                "session": None if session is None else content_id("session", session),
            }
            kept.add(dict.fromkeys(QUERY_LOG.schema.names) | entry_row)
    span = f"from {dated[0].date.date()} to {dated[-1].date.date()}"
    log.info("%d queries %s, %d rows rejected", len(dated), span, tally.rejected)


def same_words(text: str) -> str:
    """What texts share that differ only in case, punctuation and spaces; of signs alone, the text itself."""
    return " ".join(re.findall(r"\w+", unicodedata.normalize("NFKC", text).casefold())) or text


if __name__ == "__main__":
    run(read_query_log, snakemake)
