"""The table defusion_votes."""

import pyarrow as pa

from ragassay.base.tables import Column, Table

WHOSE = (
    Column("responder", pa.string(), "the model that responded, by its name in the configuration"),
    Column("prompt_name", pa.string(), "the prompt it was asked with, by its name in the configuration"),
    Column("judge", pa.string(), "the judging model's name in the configuration"),
    Column("prompt", pa.string(), "the digest of the prompt that the judge was asked with"),
)

DEFUSION_VOTES = Table(
    "defusion_votes",
    "One row per vote of a judge on a response to an out-of-scope question.",
    path="defusion_votes{variant}/{generator}/{responder}/{prompt}/{judge}/{shard}",
    key=("question_id", "vote"),
    columns=(
        Column("question_id", pa.string(), "the question"),
        Column("vote", pa.int32(), "the number of the vote, from 1"),
        Column("doc_id", pa.string(), "the document that the judge was shown"),
        Column(
            "verdict",
            pa.bool_(),
            "whether the response declines or corrects the question and answers nowhere; empty if the judge abstained",
            null=True,
        ),
        Column("abstained", pa.string(), "why there is no verdict, as the parser says; empty if there is", null=True),
        Column("detail", pa.string(), "the provider's words if it refused the request; empty if it did not", null=True),
        *WHOSE,
    ),
)
