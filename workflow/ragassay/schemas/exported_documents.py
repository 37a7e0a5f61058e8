"""The table exported_documents."""

import pyarrow as pa

from ragassay.base.tables import Column, Table
from ragassay.schemas import documents

LEFT_OUT = frozenset({"source_id", "shard"})  # what only the study that made them needs

EXPORTED_DOCUMENTS = Table(
    "exported_documents",
    "One row per exported document; file `hugging_face/documents/corpus` of an export.",
    key=("doc_id",),
    columns=(
        *(column for column in documents.DOCUMENTS.columns if column.name not in {*LEFT_OUT, "text"}),
        Column("text", pa.string(), "the text, as in documents; empty unless export.texts is true", null=True),
        Column(
            "text_end",
            pa.int32(),
            "text is characters 0 to text_end of the whole text, of which content_hash is the hash",
        ),
        Column("n_questions", pa.int32(), "questions about it in this export"),
    ),
)
