"""The table relevance_scores."""

import pyarrow as pa

from ragassay.base.tables import Column, Table

RELEVANCE_SCORES = Table(
    "relevance_scores",
    "One row per query and statistic of its nearest passages: how far out of knowledge it seems.",
    path="relevance_scores/{corpus}/{retriever}/{query_set}",
    key=("query_id", "statistic"),
    columns=(
        Column("query_id", pa.string(), "the query"),
        Column("statistic", pa.string(), "mss, knn, avg_knn, entropy or energy"),
        Column("value", pa.float64(), "the statistic, higher = more out of knowledge"),
    ),
)
