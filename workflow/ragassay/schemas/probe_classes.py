"""The table probe_classes."""

import pyarrow as pa

from ragassay.base.tables import Column, Table

PROBE_CLASSES = Table(
    "probe_classes",
    "One row per right, poisoned or hallucinated answer, and classifier that was fitted on other documents: which of"
    " the three it takes the answer for.",
    path="probe_classes/{dataset}/{retriever}/{attack}/{responder}",
    key=("target_id", "condition", "side", "probe"),
    columns=(
        Column("target_id", pa.string(), "the target"),
        Column("condition", pa.string(), "the condition, on which the classifier was fitted, too"),
        Column("side", pa.string(), "`clean` or `attacked`"),
        Column("probe", pa.string(), "`logistic`, on activations, or `control`, on what a ruler sees"),
        Column("cluster", pa.string(), "near-duplicates of its document"),
        Column("label", pa.string(), "as in the table prompt_answers"),
        Column("predicted", pa.string(), "`correct`, `poisoned` or `hallucinated`"),
    ),
)
