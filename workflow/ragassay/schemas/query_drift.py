"""The table query_drift."""

import pyarrow as pa

from ragassay.base.tables import Column, Table

QUERY_DRIFT = Table(
    "query_drift",
    "One row per window of a query log: whether its queries are those that they were.",
    path="query_drift/{corpus}/{retriever}/{query_log}",
    key=("window",),
    columns=(
        Column("window", pa.int32(), "its number, from 1"),
        Column("first", pa.timestamp("ms", tz="UTC"), "when its first query was asked"),
        Column("last", pa.timestamp("ms", tz="UTC"), "when its last query was asked"),
        Column("queries", pa.int32(), "how many queries it has"),
        Column("different", pa.int32(), "how many of them are different, which is what tests and evidence count"),
        Column("rejected", pa.int32(), "how many of them the gate takes for out-of-knowledge"),
        Column("ks", pa.float64(), "the Kolmogorov-Smirnov distance of their statistic from that of the reference"),
        Column("ks_critical", pa.float64(), "what the distance exceeds with a chance of about alpha without drift"),
        Column("ks_p", pa.float64(), "the two-sided p-value of the distance, of this window alone"),
        Column("evidence", pa.float64(), "evidence of drift so far; logarithm to base 10, alarm at 1 / alpha"),
        Column("alarm", pa.bool_(), "whether the evidence has ever been enough; see docs/relevance.md for its promise"),
    ),
)
