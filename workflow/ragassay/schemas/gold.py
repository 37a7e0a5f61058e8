"""The table gold."""

import pyarrow as pa

from ragassay.base.tables import Column, Table

GOLD = Table(
    "gold",
    "One row per item with a settled label.",
    path="gold/{generator}/{judge}",
    key=("item_id",),
    columns=(
        Column("item_id", pa.string(), "the item"),
        Column("task", pa.string(), "`scope` or `defusion`"),
        Column("question_id", pa.string(), "the question"),
        Column("doc_id", pa.string(), "the document"),
        Column("responder", pa.string(), "the responder; empty for scope", null=True),
        Column("prompt_name", pa.string(), "the prompt that the responder was asked with; empty for scope", null=True),
        Column("label", pa.string(), "`in_scope`, `out_of_scope`; `defused`, `not_defused`"),
        Column(
            "settled", pa.string(), "`agreed`: all annotators gave this label; `adjudicated`: another person decided"
        ),
        Column("annotators", pa.int32(), "how many annotators labelled it"),
    ),
)
