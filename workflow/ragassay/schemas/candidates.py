"""The table candidates."""

import pyarrow as pa

from ragassay.base.tables import Column, Table

CANDIDATES = Table(
    "candidates",
    "One row per page that the feeds of a shard name, whether it was fetched or not.",
    path="candidates/{shard}",
    key=("url",),
    columns=(
        Column("url", pa.string(), "the address that the feed gives"),
        Column("shard", pa.string(), "the shard that was crawled"),
        Column("topic", pa.string(), "the topic of the feed"),
        Column("feed_url", pa.string(), "the first feed that names it, in the order of addresses"),
        Column(
            "in_days", pa.bool_(), "whether the feed's date lies in the shard's days, with some slack, or is missing"
        ),
    ),
)
