"""The table embedded_passages."""

import pyarrow as pa

from ragassay.base.tables import Column, Table

EMBEDDED_PASSAGES = Table(
    "embedded_passages",
    "One row: the receipt for a corpus whose passages have vectors in the store.",
    path="embedded_passages/{corpus}/{encoder}/{titles}",
    key=("encoder",),
    columns=(
        Column("encoder", pa.string(), "the digest of the encoder, which is the name of its folder below embeddings/"),
        Column("passages", pa.int64(), "how many passages there are"),
        Column("dimensions", pa.int32(), "how many numbers a vector has"),
        Column("texts", pa.string(), "SHA-256 over the keys of their texts"),
    ),
)
