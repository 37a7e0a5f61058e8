"""The table gated_queries."""

import pyarrow as pa

from ragassay.base.tables import Column, Table

GATED_QUERIES = Table(
    "gated_queries",
    "One row per query of a log: what the gate of a corpus says of it.",
    path="gated_queries/{corpus}/{retriever}/{query_log}",
    key=("entry",),
    columns=(
        Column("entry", pa.int64(), "its number in the log"),
        Column("date", pa.timestamp("ms", tz="UTC"), "when it was asked"),
        Column("query_id", pa.string(), "the query; texts with the same words have the same id"),
        Column("value", pa.float64(), "the gate's statistic, higher = more out of knowledge"),
        Column("p_value", pa.float64(), "how surprising that is among in-knowledge queries"),
        Column("rejected", pa.bool_(), "whether the gate takes it for out-of-knowledge"),
        Column("passage_id", pa.string(), "the nearest passage, if there is any", null=True),
    ),
)
