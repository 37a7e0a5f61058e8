"""The table query_log."""

import pyarrow as pa

from ragassay.base.tables import Column, Table

QUERY_LOG = Table(
    "query_log",
    "One row per query of a log: the user's, or one that was mixed from query sets.",
    path="query_logs/{query_log}",
    key=("entry",),
    columns=(
        Column("entry", pa.int64(), "its number, from 1, in the order of time"),
        Column("date", pa.timestamp("ms", tz="UTC"), "when it was asked"),
        Column("text", pa.string(), "what was asked"),
        Column(
            "query_id",
            pa.string(),
            "the query that it is; of a user's log, a hash of its words",
        ),
        Column("query_set", pa.string(), "where that comes from, if it was mixed", null=True),
        Column("drifted", pa.bool_(), "whether it was mixed on the day of the drift or later", null=True),
    ),
)
