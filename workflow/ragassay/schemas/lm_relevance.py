"""The table lm_relevance."""

import pyarrow as pa

from ragassay.base.tables import Column, Table

LM_RELEVANCE = Table(
    "lm_relevance",
    "One row per vote of a model on a query and what was retrieved for it.",
    path="lm_relevance/{rater}/{corpus}/{retriever}/{query_set}",
    key=("query_id", "vote"),
    columns=(
        Column("query_id", pa.string(), "the query"),
        Column("vote", pa.int32(), "the number of the vote, from 1"),
        Column("value", pa.float64(), "1 minus the relevance that it gave: higher = more out of knowledge", null=True),
        Column("feedback", pa.string(), "what the model says of the passages; empty if it abstained", null=True),
        Column("abstained", pa.string(), "why there is no value, as the parser says; empty if there is", null=True),
        Column("detail", pa.string(), "the provider's words if it refused the request; empty if it did not", null=True),
        Column("rater", pa.string(), "the model's name in the configuration"),
        Column("prompt", pa.string(), "the digest of the prompt it was asked with"),
    ),
)  # fmt: skip
