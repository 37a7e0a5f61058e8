"""The tables of what people label."""

import pyarrow as pa

from ragassay.base.tables import TIME, Column, Table

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
        Column("doc_id", pa.string(), "the document", refers="documents.doc_id"),
        Column("topic", pa.string(), "the document's topic", null=True),
        Column("title", pa.string(), "the document's headline", null=True),
        Column("document", pa.string(), "the document's text", text="document"),
        Column("question", pa.string(), "the question's text", text="ours"),
        Column("response", pa.string(), "the response to label; empty for scope", null=True, text="ours"),
        Column("responder", pa.string(), "the responder, never shown; empty for scope", null=True),
        Column("prompt_name", pa.string(), "the prompt it was asked with, never shown; empty for scope", null=True),
    ),
)


ANNOTATIONS = Table(
    "annotations",
    "One row per item and person who labelled it: the person's latest label.",
    path="annotations/{generator}/{judge}",
    key=("item_id", "role", "person"),
    columns=(
        Column("item_id", pa.string(), "the item"),
        Column("role", pa.string(), "`annotator`, or `adjudicator` for a person who settled a disagreement"),
        Column("person", pa.string(), "`person-` and a number, in the order in which they came; names stay in the log"),
        Column("task", pa.string(), "`scope` or `defusion`"),
        Column("group", pa.int32(), "the item's group"),
        Column("question_id", pa.string(), "the question"),
        Column("doc_id", pa.string(), "the document"),
        Column("responder", pa.string(), "the responder; empty for scope", null=True),
        Column("prompt_name", pa.string(), "the prompt that the responder was asked with; empty for scope", null=True),
        Column("label", pa.string(), "`in_scope`, `out_of_scope`; `defused`, `not_defused`"),
        Column("comment", pa.string(), "what the person wrote beside it", null=True),
        Column("labelled_at", TIME, "when it was labelled; empty if a file did not say", null=True),
        Column("seconds", pa.float64(), "how long the page was open before; empty if imported", null=True),
        Column("given", pa.int32(), "how often the person labelled it; above 1 after an undo or a change"),
    ),
    release="never",
)


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
        Column("settled", pa.string(), "`agreed`: all annotators gave this label; `adjudicated`: another decided"),
        Column("annotators", pa.int32(), "how many annotators labelled it"),
    ),
    release="whole",
)


HUMAN_LABELS = Table(
    "human_labels",
    "One row per label that a person gave a question or a response to it.",
    path="human_labels/{question_set}",
    key=("question_id", "task", "responder", "annotator"),
    columns=(
        Column("question_id", pa.string(), "the question"),
        Column("doc_id", pa.string(), "its document"),
        Column("task", pa.string(), "what was labelled: `scope` or `defusion`"),
        Column("responder", pa.string(), "whose response it is about; empty text for `scope`"),
        Column("annotator", pa.string(), "the annotator; empty text if people agreed on the label together"),
        Column("label", pa.string(), "`out_of_scope` or `in_scope`, `defused` or `not_defused`"),
    ),
    release="never",
)
