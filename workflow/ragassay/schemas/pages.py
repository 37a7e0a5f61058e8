"""The table pages."""

import pyarrow as pa

from ragassay.base.tables import Column, Table

PAGES = Table(
    "pages",
    "One row per page that a crawl fetched, as it came, so that everything behind it can be done again without the"
    " network.",
    path="pages/{shard}",
    key=("url",),
    columns=(
        Column("url", pa.string(), "the address that the feed gives"),
        Column("final_url", pa.string(), "the address that answered, after all redirects"),
        Column("shard", pa.string(), "the shard that the page was fetched for"),
        Column("topic", pa.string(), "the topic of its feed", null=True),
        Column("status", pa.int32(), "the status of the answer, such as 200"),
        Column("headers", pa.string(), "the headers that are kept: a JSON object with small letters in its names"),
        Column("body", pa.binary(), "the bytes of the page, compressed by zlib"),
        Column("page_hash", pa.string(), "SHA-256 of the bytes of the page"),
        Column("fetched_at", pa.timestamp("ms", tz="UTC"), "when the answer came"),
        Column("feed_url", pa.string(), "the feed that named the page", null=True),
        Column("feed_title", pa.string(), "the title that the feed gives it", null=True),
        Column("feed_published", pa.string(), "the date that the feed gives it, unparsed", null=True),
    ),
    group=100,  # of up to ten megabytes each
)
