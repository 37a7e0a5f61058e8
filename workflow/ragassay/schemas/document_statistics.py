"""The table document_statistics."""

import pyarrow as pa

from ragassay.base.tables import Column, Table

DOCUMENT_STATISTICS = Table(
    "document_statistics",
    "One row per shard and topic: what the documents are like.",
    path="document_statistics",
    key=("shard", "topic"),
    columns=(
        Column("shard", pa.string(), "the shard"),
        Column("topic", pa.string(), "the topic; `(none)` where documents have none"),
        Column("documents", pa.int64(), "documents kept"),
        Column("sites", pa.int64(), "different sites among them"),
        Column("undated", pa.int64(), "documents without a date of publication"),
        Column("first_published", pa.timestamp("ms", tz="UTC"), "the earliest date", null=True),
        Column("last_published", pa.timestamp("ms", tz="UTC"), "the latest date", null=True),
        Column("words", pa.int64(), "words of all documents together"),
        Column("fewest_words", pa.int64(), "words of the shortest"),
        Column("most_words", pa.int64(), "words of the longest"),
    ),
)
