"""The table claims."""

import pyarrow as pa

from ragassay.base.tables import Column, Table

CLAIMS = Table(
    "claims",
    "One row per claim that a generator found in a document.",
    path="claims/{generator}/{shard}",
    key=("doc_id", "slot"),
    columns=(
        Column("claim_id", pa.string(), "`claim-` and 16 digits of a hash over document, generator, slot and text"),
        Column("doc_id", pa.string(), "the document"),
        Column("shard", pa.string(), "the shard that the document came with"),
        Column("slot", pa.int32(), "its number in the generator's list, from 1"),
        Column("text", pa.string(), "the claim, one sentence that stands alone"),
        Column("generator", pa.string(), "the model's name in the configuration"),
        Column("prompt", pa.string(), "the digest of the prompt it was asked with"),
    ),
)
