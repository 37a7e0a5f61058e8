"""The table projections."""

import pyarrow as pa

from ragassay.base.tables import Column, Table

PROJECTIONS = Table(
    "projections",
    "One row per right or poisoned answer and way to draw it: its activations, as the mean over layers, in the plane.",
    path="projections/{dataset}/{retriever}/{attack}/{responder}",
    key=("target_id", "condition", "side", "method"),
    columns=(
        Column("target_id", pa.string(), "the target"),
        Column("condition", pa.string(), "the condition; each is drawn by itself"),
        Column("side", pa.string(), "`clean` or `attacked`"),
        Column("method", pa.string(), "`pca` or `t_sne`"),
        Column("label", pa.string(), "`correct` or `poisoned`"),
        Column("x", pa.float64(), "from left to right"),
        Column("y", pa.float64(), "from below"),
    ),
)
