"""The table recovered_claims."""

import pyarrow as pa

from ragassay.base.tables import Column, Table

RECOVERED_CLAIMS = Table(
    "recovered_claims",
    "One row per claim that a generator guessed for a gap in a round.",
    path="recovered_claims/{generator}/{shard}",
    key=("doc_id", "round", "slot"),
    columns=(
        Column("recovered_id", pa.string(), "`recovered-` and 16 digits of a hash over claim, round and text"),
        Column("claim_id", pa.string(), "the original claim of this slot"),
        Column("doc_id", pa.string(), "the document, which the generator was not shown"),
        Column("shard", pa.string(), "the shard that the document came with"),
        Column("round", pa.int32(), "the round, from 1"),
        Column("subset", pa.int32(), "the subset of slots that was removed in this call, from 1"),
        Column("slot", pa.int32(), "its number in the list"),
        Column("text", pa.string(), "what the generator put there"),
        Column("generator", pa.string(), "the model's name in the configuration"),
        Column("prompt", pa.string(), "the digest of the prompt it was asked with"),
    ),
)
