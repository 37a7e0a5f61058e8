"""The table feeds."""

import pyarrow as pa

from ragassay.base.tables import Column, Table

FEEDS = Table(
    "feeds",
    "One row per feed that can be crawled.",
    path="feeds/{shard}",
    key=("feed_url",),
    columns=(
        Column("feed_url", pa.string(), "its address, in the one form of `ragassay.news.fetching.links`"),
        Column("site", pa.string(), "the host name of the site that it belongs to, without www"),
        Column("topic", pa.string(), "the study's topic that its articles count for"),
        Column("listed_topic", pa.string(), "the topic or category where it is listed, before that is mapped"),
        Column("language", pa.string(), "two letters, where it is listed with one", null=True),
        Column("country", pa.string(), "two letters, where it is listed with one", null=True),
        Column("rank", pa.int64(), "the rank of its site by visits world-wide, from 1", null=True),
        Column("main", pa.bool_(), "whether the directory has it as the main feed of its site", null=True),
        Column(
            "https_first",
            pa.bool_(),
            "whether to try https before the http address of the old directory; false for feeds that you list",
        ),
        Column("source", pa.string(), "where it is listed: config, opml or newscatcher; the first of these counts"),
        Column("source_hash", pa.string(), "SHA-256 of the file that lists it; empty for config", null=True),
    ),
)
