"""Collect the documents of one shard from the user's files: cleaned, cut at whole sentences, each text once.

Nothing vanishes: a record that cannot be a document is a row of rejects with its file, row and reason. Does not look
at other shards.
"""

from collections import Counter

from ragassay import tables
from ragassay.documents import Unusable, document
from ragassay.schemas.documents import DOCUMENTS
from ragassay.sources import SourceError, records
from ragassay.stage import log, run

UNIQUE = {"source_id": "id", "content_hash": "text"}


def collect_documents(source, documents, rejects, shard, min_words, cut_after_words):
    places = {}  # (column, value) of a document -> the row it stood in
    reasons, seen = Counter(), 0
    with tables.Writer(DOCUMENTS, documents) as kept, tables.Writer(tables.REJECTS, rejects) as refused:
        for record in records(source):
            seen += 1
            item = f"{record.file} row {record.row}"
            try:
                if record.reason:
                    raise Unusable(record.reason, record.detail)
                row = document(record.fields, shard, min_words, cut_after_words)
                _check_new(row, places)
            except Unusable as why:
                reasons[why.reason] += 1
                log.info("rejected %s: %s: %s", item, why.reason, why.detail)
                row = {
                    "stage": "collect_documents",
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
                f"shard {shard}: none of {seen} records can be a document ({counts}); the log names file and row"
            )
    assert seen == kept.written + refused.written
    log.info("%d records: %d documents, %d rejected", seen, kept.written, refused.written)


def _check_new(row, places):
    for column, what in UNIQUE.items():
        if row[column] is not None and (column, row[column]) in places:
            place = places[column, row[column]]
            raise Unusable(f"duplicate_{what}", f"found the same {what} as {place}, expected each once")


if __name__ == "__main__":
    run(collect_documents, snakemake)
