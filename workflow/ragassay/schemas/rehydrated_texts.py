"""The table rehydrated_texts."""

import pyarrow as pa

from ragassay.base.tables import Column, Table

REHYDRATED_TEXTS = Table(
    "rehydrated_texts",
    "One row per text that a release withholds and that its page still has; file `texts` of a rehydrated release.",
    key=("content_hash",),
    columns=(
        Column("content_hash", pa.string(), "SHA-256 of the text, as the release has it"),
        Column("url", pa.string(), "the page that it was fetched from"),
        Column("text", pa.string(), "the whole text; a document is characters 0 to text_end of it"),
    ),
)
