"""The table answers."""

import pyarrow as pa

from ragassay.base.tables import Column, Table
from ragassay.schemas.direct_answers import SAID

ANSWERS = Table(
    "answers",
    "One row per target whose question a responder was asked in a corpus under attack, behind a defence.",
    path="answers/{dataset}/{retriever}/{attack}/{defence}/{responder}",
    key=("target_id",),
    columns=(
        Column("target_id", pa.string(), "the target"),
        Column("outcome", pa.string(), "`correct`, `target`, `both`, `neither`, `refusal`, or `abstained`"),
        Column("reason", pa.string(), "why there is no verdict, as the parser says; empty if there is", null=True),
        Column("passages", pa.list_(pa.field("element", pa.string())), "what the responder was shown, best first"),
        Column("poisoned", pa.int32(), "how many of these were planted"),
        Column("calls", pa.int32(), "answers of the model that it took; more than one where a defence asks it, too"),
        Column("tokens", pa.int64(), "tokens of these and of their prompts, if its provider counts", null=True),
        *SAID,
    ),
)
