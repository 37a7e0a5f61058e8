"""The table direct_answers."""

import pyarrow as pa

from ragassay.base.tables import Column, Table

SAID = (  # what every table of answers says of one
    Column("text", pa.string(), "the answer as it came; empty text if the model said nothing"),
    Column("finish_reason", pa.string(), "why the model stopped, as its provider says: `stop`, `length`, ..."),
    Column("detail", pa.string(), "the provider's words if it refused the request; empty if it did not", null=True),
    Column("truncated", pa.bool_(), "whether it was cut off at the limit of tokens"),
    Column("prompt_tokens", pa.int64(), "tokens of the prompt; empty where the provider does not count", null=True),
    Column("completion_tokens", pa.int64(), "tokens of the answer, as far as they are known", null=True),
    Column("responder", pa.string(), "the model's name in the configuration"),
    Column("prompt", pa.string(), "the digest of the prompt it was asked with"),
)
DIRECT_ANSWERS = Table(
    "direct_answers",
    "One row per query with known answers that a responder was asked without any passage.",
    path="direct_answers/{responder}/{query_set}",
    key=("query_id",),
    columns=(
        Column("query_id", pa.string(), "the query"),
        Column("outcome", pa.string(), "`right`, `wrong`, `declined`, or `abstained` where there is no verdict"),
        Column("reason", pa.string(), "why there is no verdict, as the parser says; empty if there is", null=True),
        *SAID,
    ),
)
