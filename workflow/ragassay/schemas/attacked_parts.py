"""The table of what is found in a part of a corpus under attack. It stands by itself, since only what searches parts
reads it: another table beside `retrieved` would be a reason to make all tables of the study again.
"""

import pyarrow as pa

from ragassay.base.tables import Column, Table

PART_RETRIEVED = Table(
    "part_retrieved",
    "One row per target and clean passage that its question finds by words in a part of a corpus, scored as in the"
    " whole corpus with what an attack plants.",
    path="part_retrieved/{dataset}/{part}/{retriever}/{attack}",
    key=("query_id", "rank"),
    clean="passage_id",
    columns=(
        Column("query_id", pa.string(), "the target whose question was searched for"),
        Column("rank", pa.int32(), "from 1 for the best; equal scores go by passage_id"),
        Column("passage_id", pa.string(), "the passage"),
        Column("score", pa.float64(), "the higher the better, in steps of 0.00001"),
    ),
    release="whole",
)
