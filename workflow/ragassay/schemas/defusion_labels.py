"""The table defusion_labels."""

import pyarrow as pa

from ragassay.base.tables import Column, Table
from ragassay.schemas.defusion_votes import WHOSE

DEFUSION_LABELS = Table(
    "defusion_labels",
    "One row per response to an out-of-scope question: the majority of a judge's votes.",
    path="defusion_labels/{generator}/{responder}/{prompt}/{judge}/{shard}",
    key=("question_id",),
    columns=(
        Column("question_id", pa.string(), "the question"),
        Column("doc_id", pa.string(), "the document"),
        Column("label", pa.string(), "`defused`, `not_defused`, `tie`, or `no_verdict` if too many votes abstained"),
        Column("margin", pa.float64(), "votes for not defused minus votes for defused, as a share of all: -1 to 1"),
        Column("defused_votes", pa.int32(), "verdicts that it is defused"),
        Column("not_defused_votes", pa.int32(), "verdicts that it is not"),
        Column("abstained", pa.int32(), "votes without a verdict"),
        *WHOSE,
    ),
)
