"""Read the articles of one shard from the user's files: cleaned, each text once.

A record that cannot be an article is a row of rejects with its file, row and reason. Does not look at other shards or
at lengths: see find_duplicates and collect_documents.
"""

from ragassay.base import tables
from ragassay.base.errors import Unusable
from ragassay.base.stage import log, run
from ragassay.base.tally import Tally
from ragassay.documents.documents import article
from ragassay.documents.record import FIELDS
from ragassay.documents.sources import UNKNOWN, Columns, SourceError, records
from ragassay.schemas.documents import ARTICLES

UNIQUE = {"source_id": "id", "content_hash": "text"}


def read_articles(source, articles, rejects, shard, most_rejected, columns=None, date_format=None, folder=""):
    """`columns` are the files' names of fields, `folder` is the folder of the shard, or its one file."""
    names = {field: field for field in FIELDS} | (columns or {})
    places, others = {}, 0  # (column, value) of an article -> the row it stood in; files of other kinds
    tally = Tally(f"shard {shard}", "records", most_rejected, "The log names file and row of each")
    with tables.Writer(ARTICLES, articles) as kept, tables.Writer(tables.REJECTS, rejects) as refused:

        def refuse(item, why):
            log.info("rejected %s: %s: %s", item, why.reason, why.detail)
            row = {"stage": "read_articles", "shard": shard, "item": item, "reason": why.reason, "detail": why.detail}
            refused.add(row)

        for record in records(source, Columns.of_documents(names), [folder] if folder else []):
            item = record.place
            try:
                if record.reason:
                    raise Unusable(record.reason, record.detail)
                row = article(record.named(names), shard, record.source_id, record.title, date_format)
            except Unusable as why:
                refuse(item, why)
                if why.reason == UNKNOWN:
                    others += 1
                else:
                    tally.reject(item, why.reason, why.detail)
                continue
            tally.keep()
            if repeated := _repeated(row, places):
                refuse(item, repeated)
                continue
            places |= {(column, row[column]): item for column in UNIQUE}
            kept.add(row)
        seen = tally.kept + tally.rejected + others
        if not seen:
            raise SourceError(f"shard {shard}: found no record in its files, expected at least one")
        tally.check()
    assert seen == kept.written + refused.written
    log.info("%d records: %d articles, %d rejected", seen, kept.written, refused.written)


def _repeated(row, places):
    """Why an article is rejected whose id or text an earlier one has, too."""
    for column, what in UNIQUE.items():
        if row[column] is not None and (place := places.get((column, row[column]))):
            return Unusable(f"duplicate_{what}", f"found the same {what} as {place}, expected each once")
    return None


if __name__ == "__main__":
    run(read_articles, snakemake)
