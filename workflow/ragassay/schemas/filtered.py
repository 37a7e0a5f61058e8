"""The table filtered."""

import pyarrow as pa

from ragassay.base.tables import Column, Table

STRINGS = pa.list_(pa.field("element", pa.string()))
NUMBERS = pa.list_(pa.field("element", pa.float64()))
FILTERED = Table(
    "filtered",
    "One row per target and passage that a defence looked at.",
    path="filtered/{dataset}/{retriever}/{attack}/{defence}",
    key=("target_id", "rank"),
    columns=(
        Column("target_id", pa.string(), "the target whose question was searched for"),
        Column("rank", pa.int32(), "the passage's rank in retrieval"),
        Column("passage_id", pa.string(), "the passage"),
        Column("score", pa.float64(), "the defence's score, higher = more suspicious; empty if it has none", null=True),
        Column("removed", pa.bool_(), "whether the defence removes it"),
        Column("reason", pa.string(), "why, if so", null=True),
        Column("criteria", STRINGS, "what it compared with thresholds, if anything"),
        Column("criterion_scores", NUMBERS, "the score of each, higher = more suspicious"),
        Column("thresholds", NUMBERS, "the threshold of each, at which it removes"),
        Column("shown", pa.int32(), "its place among those that are answered from, if it is one", null=True),
    ),
)
