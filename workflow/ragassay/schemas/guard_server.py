"""The table that a guard server writes."""

import pyarrow as pa

from ragassay.base.tables import STRINGS, TIME, Column, Table

DECISIONS = Table(
    "decisions",
    "One row per question that came to a guard server that stands in front of a service; a file for each day.",
    key=("date", "decision_id"),
    columns=(
        Column("date", TIME, "when it was asked"),
        Column("decision_id", pa.string(), "its id, drawn at random"),
        Column("text", pa.string(), "what was asked", text="everybody"),
        Column("action", pa.string(), "`answer`, `filtered`, the gate's strategy, `declined`, or `failed`"),
        Column("observed", pa.bool_(), "whether the service's own reply went out whatever the action"),
        Column("p_value", pa.float64(), "the gate's", null=True),
        Column("passages", pa.int32(), "how many passages the service returned", null=True),
        Column("removed", STRINGS, "the reason for each passage that the guard removed", text="ours"),
        Column("problem", pa.string(), "why nothing could be judged", null=True),
        Column("status", pa.int32(), "the service's status; none if it was not asked", null=True),
        Column("seconds", pa.float64(), "how long it took"),
        Column("version", pa.string(), "the fit that decided"),
    ),
    release="never",
)
