"""The table sweep_shown."""

import pyarrow as pa

from ragassay.base.tables import Column, Table

SWEPT = (
    Column("sweep", pa.string(), "the table or figure of the report that the setting belongs to"),
    Column("at", pa.string(), "the setting, as the table of sweeps names it"),
    Column("attack", pa.string(), "the attack"),
    Column("target_id", pa.string(), "the target"),
)
SWEEP_SHOWN = Table(
    "sweep_shown",
    "One row per target and setting of RAGuard: what is answered from behind it.",
    path="sweep_shown/{dataset}/{retriever}",
    key=("sweep", "at", "attack", "target_id"),
    columns=(
        *SWEPT,
        Column("passages", pa.list_(pa.field("element", pa.string())), "the first k that it leaves, best first"),
    ),
)
