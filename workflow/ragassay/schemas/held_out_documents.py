"""The table held_out_documents."""

import pyarrow as pa

from ragassay.base.tables import Column, Table

HELD_OUT_DOCUMENTS = Table(
    "held_out_documents",
    "One row per document of a corpus: what it nearly repeats, and whether it is held out. Queries about those held out"
    " are out of the knowledge of the corpus without these, which is the corpus `{corpus}.held_out`.",
    path="held_out_documents/{corpus}",
    key=("document_id",),
    columns=(
        Column("document_id", pa.string(), "the document"),
        Column("cluster_id", pa.string(), "the first of the documents that are nearly the same, itself included"),
        Column("held_out", pa.bool_(), "whether it is held out, with all its near-duplicates"),
    ),
)
