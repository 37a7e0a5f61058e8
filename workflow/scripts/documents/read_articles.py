"""Read the articles of one shard from the user's files: cleaned, each text once.

Nothing vanishes: a record that cannot be an article is a row of rejects with its file, row and reason. Does not look
at other shards, nor at lengths: see find_duplicates and collect_documents.
"""

from collections import Counter

from ragassay import tables
from ragassay.documents import Unusable, article
from ragassay.schemas.articles import ARTICLES
from ragassay.sources import SourceError, records
from ragassay.stage import log, run

UNIQUE = {"source_id": "id", "content_hash": "text"}


def read_articles(source, articles, rejects, shard):
    places = {}  # (column, value) of an article -> the row it stood in
    reasons, seen = Counter(), 0
    with tables.Writer(ARTICLES, articles) as kept, tables.Writer(tables.REJECTS, rejects) as refused:
        for record in records(source):
            seen += 1
            item = f"{record.file} row {record.row}"
            try:
                if record.reason:
                    raise Unusable(record.reason, record.detail)
                row = article(record.fields, shard)
                _check_new(row, places)
            except Unusable as why:
                reasons[why.reason] += 1
                log.info("rejected %s: %s: %s", item, why.reason, why.detail)
                row = {
                    "stage": "read_articles",
                    "shard": shard,
                    "item": item,
                    "reason": why.reason,
                    "detail": why.detail,
                }
                refused.add(row)
            else:
                places |= {(column, row[column]): item for column in UNIQUE}
                kept.add(row)
        if seen == reasons.total():
            counts = ", ".join(f"{count} {reason}" for reason, count in reasons.most_common()) or "the files are empty"
            raise SourceError(
                f"shard {shard}: none of {seen} records can be an article ({counts}); the log names file and row"
            )
    assert seen == kept.written + refused.written
    log.info("%d records: %d articles, %d rejected", seen, kept.written, refused.written)


def _check_new(row, places):
    for column, what in UNIQUE.items():
        if row[column] is not None and (column, row[column]) in places:
            place = places[column, row[column]]
            raise Unusable(f"duplicate_{what}", f"found the same {what} as {place}, expected each once")


if __name__ == "__main__":
    run(read_articles, snakemake)
