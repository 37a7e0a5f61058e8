"""The table prompt_answers."""

import pyarrow as pa

from ragassay.base.tables import Column, Table
from ragassay.schemas.direct_answers import SAID

PROMPT_ANSWERS = Table(
    "prompt_answers",
    "One row per prompt of prompt_pairs, as a responder answered it.",
    path="prompt_answers/{dataset}/{retriever}/{attack}/{responder}",
    key=("target_id", "condition", "side"),
    columns=(
        Column("target_id", pa.string(), "the target"),
        Column("condition", pa.string(), "the condition"),
        Column("side", pa.string(), "`clean` or `attacked`"),
        Column("outcome", pa.string(), "as in the table answers"),
        Column("reason", pa.string(), "why there is no verdict, as the parser says; empty if there is", null=True),
        Column(
            "label",
            pa.string(),
            "`correct`, `poisoned`, `hallucinated`, `resisted` (attacked in vain), or `undecided`",
        ),
        Column(
            "known", pa.bool_(), "whether the responder answers right without passages; empty if unclear", null=True
        ),
        *SAID,
    ),
)
