"""The table near_misses."""

import pyarrow as pa

from ragassay.base.tables import Column, Table

NEAR_MISSES = Table(
    "near_misses",
    "One row per version of an out-of-scope question: as it was written, and each try at rewriting it.",
    path="near_misses/{generator}/{shard}",
    key=("doc_id", "slot", "attempt"),
    columns=(
        Column("question_id", pa.string(), "the question that it is; empty if it has no usable form", null=True),
        Column("written_id", pa.string(), "the question as it was written, in written_questions"),
        Column("doc_id", pa.string(), "the document"),
        Column("shard", pa.string(), "the shard that the document came with"),
        Column("slot", pa.int32(), "the slot of its claim"),
        Column("attempt", pa.int32(), "0 as it was written, then the number of the try"),
        Column("text", pa.string(), "the question, or what came in its place"),
        Column("overlap", pa.float64(), "how probably it is out of scope, by the words that it shares", null=True),
        Column("wording", pa.float64(), "how probably it is out of scope, by its own words alone", null=True),
        Column("reason", pa.string(), "why it cannot be used, empty if it can", null=True),
        Column("chosen", pa.bool_(), "whether it is the version that goes on, in questions"),
        Column("generator", pa.string(), "the model's name in the configuration"),
        Column("prompt", pa.string(), "the digest of the prompt it was asked with"),
    ),
)
