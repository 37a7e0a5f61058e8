"""The table queries."""

import pyarrow as pa

from ragassay.base.tables import Column, Table

SYNTHETIC = "synthetic"  # the kind of queries that were made from passages
STRINGS = pa.list_(pa.field("element", pa.string()))
QUERIES = Table(
    "queries",
    "One row per query.",
    path="queries/{query_set}",
    key=("query_id",),
    columns=(
        Column("query_id", pa.string(), "its id; the question's if it is one of the study's"),
        Column("text", pa.string(), "what is searched for"),
        Column("kind", pa.string(), "`in_scope` or `out_of_scope`, or what the user's file says", null=True),
        Column("passage_id", pa.string(), "the passage or document that it is about, if that is known", null=True),
        Column("relevant", STRINGS, "all passages or documents relevant to it, if they were judged", null=True),
        Column("grades", pa.list_(pa.field("element", pa.int32())), "how relevant each of these is", null=True),
        Column("answers", STRINGS, "the right answers, if they are known; any one of them will do", null=True),
        Column("options", STRINGS, "the answers to choose from, if it is a multiple-choice question", null=True),
    ),
)
