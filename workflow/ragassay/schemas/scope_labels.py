"""The table scope_labels."""

import pyarrow as pa

from ragassay.base.tables import Column, Table

SCOPE_LABELS = Table(
    "scope_labels",
    "One row per question: the majority of a judge's votes.",
    path="scope_labels/{generator}/{judge}/{shard}",
    key=("question_id",),
    columns=(
        Column("question_id", pa.string(), "the question"),
        Column("doc_id", pa.string(), "the document"),
        Column("label", pa.string(), "`out_of_scope`, `in_scope`, `tie`, or `no_verdict` if too many votes abstained"),
        Column("margin", pa.float64(), "votes for out of scope minus votes for in scope, as a share of all: -1 to 1"),
        Column("out_votes", pa.int32(), "verdicts that it is out of scope"),
        Column("in_votes", pa.int32(), "verdicts that it is in scope"),
        Column("abstained", pa.int32(), "votes without a verdict"),
        Column("judge", pa.string(), "the model's name in the configuration"),
        Column("prompt", pa.string(), "the digest of the prompt it was asked with"),
    ),
)
