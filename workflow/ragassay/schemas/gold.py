"""The table gold."""

import pyarrow as pa

from ragassay.tables import Column, Table

GOLD = Table(
    "gold",
    "One row per item whose label people have settled; file `gold/{generator}/{judge}`.",
    key=("item_id",),
    columns=(
        Column("item_id", pa.string(), "the item"),
        Column("task", pa.string(), "`scope` or `defusion`"),
        Column("question_id", pa.string(), "the question"),
        Column("doc_id", pa.string(), "the document"),
        Column("responder", pa.string(), "who responded; empty for scope", null=True),
        Column("prompt_name", pa.string(), "the prompt that the responder was asked with; empty for scope", null=True),
        Column("label", pa.string(), "`in_scope`, `out_of_scope`; `defused`, `not_defused`"),
        Column("settled", pa.string(), "`agreed`: all annotators say so; `adjudicated`: somebody else decided"),
        Column("annotators", pa.int32(), "how many annotators labelled it"),
    ),
)
