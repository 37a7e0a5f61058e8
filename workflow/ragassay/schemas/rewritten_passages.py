"""The table rewritten_passages."""

import pyarrow as pa

from ragassay.base.tables import Column, Table

REWRITTEN_PASSAGES = Table(
    "rewritten_passages",
    "One row per clean passage that a model rewrote for an extended corpus; it belongs to the document of its source.",
    path="rewritten_passages/{corpus}",
    key=("passage_id",),
    columns=(
        Column("passage_id", pa.string(), "its id, which begins with `rewritten-`"),
        Column("source_passage", pa.string(), "the passage that it says again"),
        Column("rewriter", pa.string(), "the model that wrote it"),
        Column("prompt", pa.string(), "digest of the prompt"),
    ),
)
