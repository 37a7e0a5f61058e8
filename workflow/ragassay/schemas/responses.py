"""The table responses."""

import pyarrow as pa

from ragassay.base.tables import Column, Table

RESPONSES = Table(
    "responses",
    "One row per question that a responder was asked with its document.",
    path="responses/{generator}/{responder}/{prompt}/{shard}",
    key=("question_id",),
    columns=(
        Column("question_id", pa.string(), "the question"),
        Column("doc_id", pa.string(), "the document that the responder was shown with it"),
        Column("text", pa.string(), "the response as it came; empty text if the model said nothing"),
        Column("finish_reason", pa.string(), "why the model stopped, as its provider says: `stop`, `length`, ..."),
        Column("detail", pa.string(), "the provider's words if it refused the request; empty if it did not", null=True),
        Column("truncated", pa.bool_(), "whether it was cut off at the limit of tokens"),
        Column("prompt_tokens", pa.int64(), "tokens of the prompt; empty where the provider does not count", null=True),
        Column("completion_tokens", pa.int64(), "tokens of the response, as far as they are known", null=True),
        Column("responder", pa.string(), "the model's name in the configuration"),
        Column("prompt_name", pa.string(), "the prompt's name in the configuration: `basic`, `two_shot`, ..."),
        Column("prompt", pa.string(), "the digest of the prompt it was asked with"),
    ),
)
