"""The table closed_book_answers."""

import pyarrow as pa

from ragassay.tables import Column, Table

CLOSED_BOOK_ANSWERS = Table(
    "closed_book_answers",
    "One row per question that a responder was asked without its document.",
    path="closed_book_answers/{generator}/{responder}/{shard}",
    key=("question_id",),
    columns=(
        Column("question_id", pa.string(), "the question"),
        Column("doc_id", pa.string(), "the document that the responder was not shown"),
        Column("text", pa.string(), "the answer as it came; empty text if the model said nothing"),
        Column("finish_reason", pa.string(), "why the model stopped, as its provider says: `stop`, `length`, ..."),
        Column("detail", pa.string(), "the provider's words if it refused the request; empty if it did not", null=True),
        Column("truncated", pa.bool_(), "whether it was cut off at the limit of tokens"),
        Column("prompt_tokens", pa.int64(), "tokens of the prompt; empty where the provider does not count", null=True),
        Column("completion_tokens", pa.int64(), "tokens of the answer, as far as they are known", null=True),
        Column("responder", pa.string(), "the model's name in the configuration"),
        Column("prompt", pa.string(), "the digest of the prompt it was asked with"),
    ),
)
