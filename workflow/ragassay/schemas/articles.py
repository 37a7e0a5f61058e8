"""The table articles."""

import pyarrow as pa

from ragassay.base.tables import Column, Table

ARTICLES = Table(
    "articles",
    "One row per article, extracted from a page or taken from the user's files, whole and before near-duplicates"
    " are found.",
    path="articles/{shard}",
    key=("article_id",),
    columns=(
        Column(
            "article_id",
            pa.string(),
            "`art-` and 16 digits of a hash over url, source_id and content_hash: the same text at two addresses is two"
            " articles",
        ),
        Column("shard", pa.string(), "the shard that the article came with"),
        Column("source_id", pa.string(), "the id that the user's file gives it", null=True),
        Column("topic", pa.string(), "one of the study's topics, or the user's own", null=True),
        Column("url", pa.string(), "the address that answered with it", null=True),
        Column("canonical_url", pa.string(), "the address that the page calls its own", null=True),
        Column("site", pa.string(), "the host name of url", null=True),
        Column("site_name", pa.string(), "the name that the site gives itself", null=True),
        Column("title", pa.string(), "the headline", null=True),
        Column(
            "published_at",
            pa.timestamp("ms", tz="UTC"),
            "when it was published, as far as two sources agree; empty when they do not",
            null=True,
        ),
        Column("date_precision", pa.string(), "time or day: how exactly published_at is known", null=True),
        Column(
            "date_sources",
            pa.list_(pa.field("element", pa.string())),
            "the sources of the date: some of json_ld, meta, feed, url; or file",
        ),
        Column(
            "undated",
            pa.string(),
            "why published_at is empty: no_date, one_source, invalid_date or dates_disagree",
            null=True,
        ),
        Column("text", pa.string(), "the whole text, with empty lines between paragraphs; NFC, LF"),
        Column("n_words", pa.int32(), "words in text, as white space separates them"),
        Column("language", pa.string(), "its language by ISO 639, as the text was identified", null=True),
        Column("language_confidence", pa.float64(), "how sure that is, from 0 to 1", null=True),
        Column("charset", pa.string(), "the charset that the page was read with", null=True),
        Column("charset_source", pa.string(), "where the charset was found: mark, header, meta or detector", null=True),
        Column("page_hash", pa.string(), "SHA-256 of the page it was extracted from", null=True),
        Column("content_hash", pa.string(), "SHA-256 of text"),
    ),
)
