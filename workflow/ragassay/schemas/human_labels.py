"""The table human_labels."""

import pyarrow as pa

from ragassay.base.tables import Column, Table

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
)
