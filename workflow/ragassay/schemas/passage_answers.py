"""The table passage_answers."""

import pyarrow as pa

from ragassay.base.tables import Column, Table
from ragassay.schemas import direct_answers

PASSAGE_ANSWERS = Table(
    "passage_answers",
    "One row per query with known answers that a responder was asked with the passages that were found for it.",
    path="passage_answers/{responder}/{corpus}/{retriever}/{query_set}",
    key=("query_id",),
    columns=(
        *direct_answers.DIRECT_ANSWERS.columns,
        Column(
            "passages",
            pa.list_(pa.field("element", pa.string())),
            "the ids of the passages that the responder was shown, best first",
        ),
    ),
)
