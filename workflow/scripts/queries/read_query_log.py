"""Read a log of the user's queries, in the order of time. Texts that differ only in case, punctuation and spaces are
the same query.
"""

import re
import unicodedata

from ragassay.base import tables
from ragassay.base.stage import log, run
from ragassay.documents.ids import content_id
from ragassay.queries.query_log import entries
from ragassay.schemas.corpora import QUERY_LOG


def read_query_log(files, query_log, columns):
    dated = list(entries(files, columns))
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
