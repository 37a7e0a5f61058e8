"""The table annotations."""

import pyarrow as pa

from ragassay.base.tables import Column, Table

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
        Column(
            "labelled_at", pa.timestamp("ms", tz="UTC"), "when it was labelled; empty if a file did not say", null=True
        ),
        Column("seconds", pa.float64(), "how long the page was open before; empty if imported", null=True),
        Column("given", pa.int32(), "how often the person labelled it; above 1 after an undo or a change"),
    ),
)
