"""The table feed_health."""

import pyarrow as pa

from ragassay.base.tables import Column, Table

FEED_HEALTH = Table(
    "feed_health",
    "One row per feed that a crawl asked: how it answered.",
    path="feed_health/{shard}",
    key=("feed_url",),
    columns=(
        Column("feed_url", pa.string(), "the address of the feed"),
        Column("shard", pa.string(), "the shard that was crawled"),
        Column("topic", pa.string(), "the study's topic that its articles count for"),
        Column("site", pa.string(), "the host name of the site that it belongs to"),
        Column(
            "health",
            pa.string(),
            "live, empty (no entry in time), dead (no feed there), blocked (it refused), disallowed (robots.txt) or"
            " crash (fetching or reading it failed; the detail says how)",
        ),
        Column("entries", pa.int64(), "entries in the shard's window"),
        Column("detail", pa.string(), "what was found, for a person"),
    ),
)
