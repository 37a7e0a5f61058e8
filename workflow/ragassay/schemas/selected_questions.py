"""The table selected_questions."""

import pyarrow as pa

from ragassay.base.tables import Column, Table
from ragassay.schemas import questions

SELECTED_QUESTIONS = Table(
    "selected_questions",
    "One row per question, with its status and split.",
    path="selected_questions/{generator}/{judge}/{shard}",
    key=questions.QUESTIONS.key,
    columns=(
        *questions.QUESTIONS.columns,
        Column("label", pa.string(), "the judge's majority, as in scope_labels"),
        Column("margin", pa.float64(), "votes for out of scope minus votes for in scope, as a share of all: -1 to 1"),
        Column(
            "status", pa.string(), "`kept` if label and intent agree, `disputed` if not, `undecided` without a side"
        ),
        Column("split", pa.string(), "`train`, `validation` or `test`; the same for all near-duplicates of a document"),
        Column("judge", pa.string(), "the judging model's name in the configuration"),
    ),
)
