"""The table scope_votes."""

import pyarrow as pa

from ragassay.base.tables import Column, Table

SCOPE_VOTES = Table(
    "scope_votes",
    "One row per vote of a judge on a question.",
    path="scope_votes/{generator}/{judge}/{shard}",
    key=("question_id", "vote"),
    columns=(
        Column("question_id", pa.string(), "the question"),
        Column("vote", pa.int32(), "the number of the vote, from 1"),
        Column("doc_id", pa.string(), "the document that the judge was shown with it"),
        Column("verdict", pa.bool_(), "whether the question is out of scope; empty if the judge abstained", null=True),
        Column("abstained", pa.string(), "why there is no verdict, as the parser says; empty if there is", null=True),
        Column("detail", pa.string(), "the provider's words if it refused the request; empty if it did not", null=True),
        Column("judge", pa.string(), "the model's name in the configuration"),
        Column("prompt", pa.string(), "the digest of the prompt it was asked with"),
    ),
)
