"""The table baseline_scores."""

import pyarrow as pa

from ragassay.base.tables import Column, Table

BASELINE_SCORES = Table(
    "baseline_scores",
    "One row per prompt of prompt_pairs and other method: how suspicious the method finds the answer.",
    path="baseline_scores/{dataset}/{retriever}/{attack}/{responder}/{baseline}",
    key=("target_id", "condition", "side"),
    columns=(
        Column("target_id", pa.string(), "the target"),
        Column("condition", pa.string(), "the condition"),
        Column("side", pa.string(), "`clean` or `attacked`"),
        Column("score", pa.float64(), "higher = more suspicious; empty if the method gives none", null=True),
        Column("reason", pa.string(), "why there is none", null=True),
    ),
)
