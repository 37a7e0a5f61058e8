"""The table queries."""

import pyarrow as pa

from ragassay.tables import Column, Table

QUERIES = Table(
    "queries",
    "One row per query; file `queries/{query_set}`.",
    key=("query_id",),
    columns=(
        Column("query_id", pa.string(), "its id; the question's if it is one of the study's"),
        Column("text", pa.string(), "what is searched for"),
        Column("kind", pa.string(), "`in_scope` or `out_of_scope`, or what the user's file says", null=True),
        Column("passage_id", pa.string(), "the passage that it is about, if that is known", null=True),
    ),
)
