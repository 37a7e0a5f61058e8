"""The table asked_calls."""

import pyarrow as pa

from ragassay.base.tables import Column, Table

ASKED_CALLS = Table(
    "asked_calls",
    "One row per call of a job, by its place among the job's items; file `asked_calls/{rule}/{keys}` of a release.",
    key=("item", "call"),
    columns=(
        Column("item", pa.int64(), "the number of the item that the job asked about, from 0 in its order"),
        Column("call", pa.int32(), "the number of the call among those about this item, from 0"),
        Column("key", pa.string(), "the key of its answers in recorded_answers"),
    ),
)
