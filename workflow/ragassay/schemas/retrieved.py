"""The table retrieved."""

import pyarrow as pa

from ragassay.base.tables import Column, Table

RETRIEVED = Table(
    "retrieved",
    "One row per target and passage found for its question in a corpus under attack.",
    path="retrieved/{dataset}/{retriever}/{attack}",
    key=("target_id", "rank"),
    columns=(
        Column("target_id", pa.string(), "the target whose question was searched for"),
        Column("rank", pa.int32(), "from 1 for the best; equal scores go by passage_id"),
        Column("passage_id", pa.string(), "the passage"),
        Column("score", pa.float64(), "the higher the better, in steps of 0.00001"),
        Column("poisoned", pa.bool_(), "whether the attack made it"),
        Column("attack", pa.string(), "the attack, if so", null=True),
        Column("aimed_at", pa.string(), "the target that it is aimed at, if at one", null=True),
    ),
)
