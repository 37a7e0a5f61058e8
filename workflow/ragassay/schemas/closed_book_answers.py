"""The table closed_book_answers."""

import pyarrow as pa

from ragassay.base.tables import Column, Table
from ragassay.schemas.direct_answers import SAID

CLOSED_BOOK_ANSWERS = Table(
    "closed_book_answers",
    "One row per question that a responder was asked without its document.",
    path="closed_book_answers/{generator}/{responder}/{shard}",
    key=("question_id",),
    columns=(
        Column("question_id", pa.string(), "the question"),
        Column("doc_id", pa.string(), "the document that the responder was not shown"),
        *SAID,
    ),
)
