"""The table novel_claims."""

import pyarrow as pa

from ragassay.base.tables import Column, Table

NOVEL_CLAIMS = Table(
    "novel_claims",
    "One row per recovered claim that its document does not support.",
    path="novel_claims/{generator}/{shard}",
    key=("doc_id", "slot"),
    columns=(
        Column("recovered_id", pa.string(), "the recovered claim"),
        Column("claim_id", pa.string(), "the original claim of its slot"),
        Column("doc_id", pa.string(), "the document"),
        Column("shard", pa.string(), "the shard that the document came with"),
        Column("round", pa.int32(), "the round in which it was recovered: the last that filled the slot"),
        Column("slot", pa.int32(), "its number in the list"),
        Column("text", pa.string(), "the claim"),
        Column("generator", pa.string(), "the model that recovered it and found it unsupported"),
        Column("prompt", pa.string(), "the digest of the prompt that asked which claims are supported"),
    ),
)
