"""The table outlier_scores."""

import pyarrow as pa

from ragassay.base.tables import Column, Table

OUTLIER_SCORES = Table(
    "outlier_scores",
    "One row per query and outlier detector of the study set: how unlike those it was fitted on.",
    path="outlier_scores/{relevance_set}",
    key=("query_set", "query_id", "method", "fitted_on"),
    columns=(
        Column("query_set", pa.string(), "the set of the query"),
        Column("query_id", pa.string(), "the query"),
        Column("method", pa.string(), "the detector"),
        Column("fitted_on", pa.string(), "`in-knowledge` or `synthetic` queries, or the `corpus`"),
        Column("value", pa.float64(), "its score, higher = more out of knowledge"),
    ),
)
