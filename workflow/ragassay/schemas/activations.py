"""The table activations."""

import pyarrow as pa

from ragassay.base.tables import Column, Table

ACTIVATIONS = Table(
    "activations",
    "One row per prompt: where its activations lie in the store of a responder's states.",
    path="activations/{dataset}/{retriever}/{attack}/{responder}",
    key=("target_id", "condition", "side"),
    columns=(
        Column("target_id", pa.string(), "the target"),
        Column("condition", pa.string(), "the condition"),
        Column("side", pa.string(), "`clean` or `attacked`"),
        Column(
            "key",
            pa.string(),
            "the hash of the prompt's tokens, under which its states are stored; empty where it is too long",
            null=True,
        ),
        Column("tokens", pa.int32(), "how many tokens these are"),
    ),
)
