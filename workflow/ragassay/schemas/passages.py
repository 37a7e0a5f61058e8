"""The table passages."""

import pyarrow as pa

from ragassay.base.tables import Column, Table

PASSAGES = Table(
    "passages",
    "One row per clean passage that can be found; none that an attack made.",
    path="passages/{corpus}",
    key=("passage_id",),
    clean="passage_id",
    columns=(
        Column("passage_id", pa.string(), "its id; the document's in the corpus of the study's documents"),
        Column("document_id", pa.string(), "the document that it was cut from; passage_id if it is a whole document"),
        Column("title", pa.string(), "its title", null=True),
        Column("text", pa.string(), "what is searched"),
        Column("source", pa.string(), "where it comes from: the shard, or what the user's file says", null=True),
    ),
)
