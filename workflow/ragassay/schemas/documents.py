"""The table documents."""

import pyarrow as pa

from ragassay.base.tables import Column, Table

NO_TOPIC = "(none)"  # what reports call the topic of a document without one
DOCUMENTS = Table(
    "documents",
    "One row per document that a shard keeps.",
    path="documents/{shard}",
    key=("doc_id",),
    columns=(
        Column(
            "doc_id",
            pa.string(),
            "`doc-` and the first 16 digits of content_hash: the same text has the same id everywhere",
        ),
        Column("article_id", pa.string(), "the article that it was cut from"),
        Column("cluster_id", pa.string(), "the near-duplicates that it stands for; splits go by it"),
        Column("shard", pa.string(), "the shard that the document came with"),
        Column("source_id", pa.string(), "the id that the user's file gives it", null=True),
        Column("topic", pa.string(), "one of the study's topics, or the user's own", null=True),
        Column("url", pa.string(), "the page it was published at", null=True),
        Column("site", pa.string(), "the host name of url", null=True),
        Column("title", pa.string(), "the headline", null=True),
        Column(
            "published_at",
            pa.timestamp("ms", tz="UTC"),
            "when it was published; empty when that is not known",
            null=True,
        ),
        Column("text", pa.string(), "the text, cut after the sentence with which cut_after_words is passed; NFC, LF"),
        Column("n_words", pa.int32(), "words in text, as white space separates them"),
        Column("content_hash", pa.string(), "SHA-256 of the whole text before the cut"),
    ),
)
