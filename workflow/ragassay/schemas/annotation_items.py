"""The table annotation_items. It holds no label of any model, so nothing that shows it can give one away."""

import pyarrow as pa

from ragassay.base.tables import Column, Table

ANNOTATION_ITEMS = Table(
    "annotation_items",
    "One row per item that people label, with everything they see.",
    path="annotation_items/{generator}/{judge}",
    key=("item_id",),
    columns=(
        Column("item_id", pa.string(), "`item-` and 16 digits of a hash over task, question, responder and prompt"),
        Column("task", pa.string(), "`scope`: document and question; `defusion`: a response, too"),
        Column("group", pa.int32(), "the group of annotators that labels it, from 1"),
        Column("position", pa.int32(), "its place in the order of its group and task, from 1"),
        Column("question_id", pa.string(), "the question"),
        Column("doc_id", pa.string(), "the document"),
        Column("topic", pa.string(), "the document's topic", null=True),
        Column("title", pa.string(), "the document's headline", null=True),
        Column("document", pa.string(), "the document's text"),
        Column("question", pa.string(), "the question's text"),
        Column("response", pa.string(), "the response to label; empty for scope", null=True),
        Column("responder", pa.string(), "the responder, never shown; empty for scope", null=True),
        Column("prompt_name", pa.string(), "the prompt it was asked with, never shown; empty for scope", null=True),
    ),
)
