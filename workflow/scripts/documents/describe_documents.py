"""Describe the documents of all shards: how many, how long, from when and where, for each shard and topic."""

import pyarrow.compute as pc

from ragassay.base import tables
from ragassay.base.stage import run
from ragassay.schemas.documents import DOCUMENT_STATISTICS, DOCUMENTS


def describe_documents(documents, statistics):
    columns = ["shard", "topic", "site", "published_at", "n_words"]
    rows = tables.read_all(DOCUMENTS, documents, columns)
    rows = rows.set_column(1, "topic", pc.fill_null(rows["topic"], "(none)"))
    groups = rows.append_column("undated", pc.is_null(rows["published_at"]).cast("int64")).group_by(["shard", "topic"])
    summed = groups.aggregate(
        [
            ("n_words", "count"),
            ("site", "count_distinct"),
            ("undated", "sum"),
            ("published_at", "min"),
            ("published_at", "max"),
            ("n_words", "sum"),
            ("n_words", "min"),
            ("n_words", "max"),
        ]
    )
    tables.write(DOCUMENT_STATISTICS, statistics, summed.rename_columns(DOCUMENT_STATISTICS.schema.names))


if __name__ == "__main__":
    run(describe_documents, snakemake)
