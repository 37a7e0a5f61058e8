"""The table clusters."""

import pyarrow as pa

from ragassay.base.tables import Column, Table

CLUSTERS = Table(
    "clusters",
    "One row per article: its cluster of near-duplicates, and what later shards need to compare with it.",
    path="clusters/{shard}",
    key=("article_id",),
    columns=(
        Column("article_id", pa.string(), "the article"),
        Column(
            "cluster_id",
            pa.string(),
            "`cluster-` and the first 16 digits of the content_hash of its representative, in whichever shard that is",
        ),
        Column(
            "representative",
            pa.bool_(),
            "whether it stands for its cluster and becomes a document: one article does, in the cluster's first shard",
        ),
        Column(
            "signature",
            pa.binary(),
            "512 bytes: 128 numbers of 16 bits, low byte first, for the whole text and as many for its first words",
        ),
    ),
)
