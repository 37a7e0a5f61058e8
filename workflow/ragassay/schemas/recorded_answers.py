"""The table recorded_answers."""

import pyarrow as pa

from ragassay.base.tables import Column, Table

RECORDED_ANSWERS = Table(
    "recorded_answers",
    "One row per reply of a model in the ledger of a job; file `recorded_answers/{rule}/{keys}` of a release.",
    key=("key", "number"),
    columns=(
        Column("key", pa.string(), "a hash over everything that can change the answer, the rendered prompt included"),
        Column("number", pa.int32(), "its number among the replies to this key, from 1 in the order of time"),
        Column("samples", pa.list_(pa.field("element", pa.int32())), "the numbers of the samples that were asked for"),
        Column("body", pa.string(), "the reply as it came; empty if the request was refused", null=True),
        Column("reason", pa.string(), "why the provider refused the request; empty if it did not", null=True),
        Column("detail", pa.string(), "the provider's words if it refused; empty if it did not", null=True),
        Column("prompt_tokens", pa.int64(), "tokens of the prompt; empty if nothing was paid", null=True),
        Column("cached_tokens", pa.int64(), "of these, read from the provider's cache", null=True),
        Column("completion_tokens", pa.int64(), "tokens of the answers", null=True),
        Column("answers", pa.int32(), "how many answers the reply held", null=True),
        Column("dollars", pa.float64(), "the price of these tokens", null=True),
    ),
)
