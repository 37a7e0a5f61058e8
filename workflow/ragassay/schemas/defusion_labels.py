"""The table defusion_labels."""

import pyarrow as pa

from ragassay.tables import Column, Table

DEFUSION_LABELS = Table(
    "defusion_labels",
    "One row per response to a question out of scope: what the votes of a judge say together; "
    "file `defusion_labels/{generator}/{responder}/{prompt}/{judge}/{shard}`.",
    key=("question_id",),
    columns=(
        Column("question_id", pa.string(), "the question"),
        Column("doc_id", pa.string(), "the document"),
        Column("label", pa.string(), "`defused`, `not_defused`, `tie`, or `no_verdict` if too many votes abstained"),
        Column("margin", pa.float64(), "votes for not defused less those for defused, as a share of all: -1 to 1"),
        Column("defused_votes", pa.int32(), "verdicts that it is defused"),
        Column("not_defused_votes", pa.int32(), "verdicts that it is not"),
        Column("abstained", pa.int32(), "votes without a verdict"),
        Column("responder", pa.string(), "the model that responded, by its name in the configuration"),
        Column("prompt_name", pa.string(), "the prompt it was asked with, by its name in the configuration"),
        Column("judge", pa.string(), "the judging model's name in the configuration"),
        Column("prompt", pa.string(), "the digest of the prompt that the judge was asked with"),
    ),
)
