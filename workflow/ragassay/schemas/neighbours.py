"""The table neighbours."""

import pyarrow as pa

from ragassay.base.tables import Column, Table

NEIGHBOURS = Table(
    "neighbours",
    "One row per query and clean passage found for it.",
    path="neighbours/{corpus}/{retriever}/{query_set}",
    key=("query_id", "rank"),
    clean="passage_id",
    columns=(
        Column("query_id", pa.string(), "the query"),
        Column("rank", pa.int32(), "from 1 for the best; equal scores go by passage_id"),
        Column("passage_id", pa.string(), "the passage"),
        Column("score", pa.float64(), "the higher the better, in steps of 0.00001: a cosine, a product, or BM25's sum"),
    ),
)
