"""The table exported_questions."""

import pyarrow as pa

from ragassay.base.tables import Column, Table

EXPORTED_QUESTIONS = Table(
    "exported_questions",
    "One row per exported question; file `hugging_face/questions/{split}` of an export.",
    key=("question_id",),
    columns=(
        Column("question_id", pa.string(), "the question's id"),
        Column("doc_id", pa.string(), "the document that it was written about"),
        Column("topic", pa.string(), "the document's topic", null=True),
        Column("question", pa.string(), "its text"),
        Column("intended", pa.string(), "what it was written to be: `in_scope` or `out_of_scope`"),
        Column("label", pa.string(), "the judge's majority: `in_scope`, `out_of_scope`, `tie` or `no_verdict`"),
        Column("margin", pa.float64(), "votes for out of scope minus votes for in scope, as a share of all: -1 to 1"),
        Column(
            "status", pa.string(), "`kept` if label and intent agree, `disputed` if not, `undecided` without a side"
        ),
        Column("claim", pa.string(), "the unsupported claim that it asks about; empty if in scope", null=True),
        Column("round", pa.int32(), "the round in which that claim was recovered; empty if in scope", null=True),
        Column("nearness", pa.float64(), "similarity to the nearest of the document's claims", null=True),
        Column("overlap_score", pa.float64(), "how probably it is out of scope by word overlap alone", null=True),
        Column(
            "hard",
            pa.bool_(),
            "whether neither shared nor own words tell the kinds apart at its nearness; empty if undecided",
            null=True,
        ),
        Column("generator", pa.string(), "the model that wrote it"),
        Column("judge", pa.string(), "the model that judged it"),
    ),
)
