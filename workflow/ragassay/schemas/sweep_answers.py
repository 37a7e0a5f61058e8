"""The table sweep_answers."""

import pyarrow as pa

from ragassay.base.tables import Column, Table
from ragassay.schemas import sweep_shown

SWEEP_ANSWERS = Table(
    "sweep_answers",
    "One row per target and setting of RAGuard: what became of its question. Equal passages are asked about once.",
    path="sweep_answers/{dataset}/{retriever}/{responder}",
    key=sweep_shown.SWEEP_SHOWN.key,
    columns=(
        *sweep_shown.SWEPT,
        Column("outcome", pa.string(), "as in the table answers"),
        Column("poisoned", pa.int32(), "how many of the passages were planted"),
    ),
)
