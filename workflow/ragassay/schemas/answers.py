"""The table answers."""

import pyarrow as pa

from ragassay.tables import Column, Table

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
