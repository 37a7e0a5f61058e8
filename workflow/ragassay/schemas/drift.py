"""The table drift."""

import pyarrow as pa

from ragassay.base.tables import Column, Table

DRIFT = Table(
    "drift",
    "One row per recovered claim: how far it is from earlier claims of its slot.",
    path="drift/{generator}/{shard}",
    key=("doc_id", "round", "slot"),
    columns=(
        Column("recovered_id", pa.string(), "the recovered claim"),
        Column("doc_id", pa.string(), "the document"),
        Column("round", pa.int32(), "the round, from 1"),
        Column("slot", pa.int32(), "its number in the list"),
        Column("to_original", pa.float64(), "its similarity to the original claim of its slot"),
        Column("to_previous", pa.float64(), "its similarity to the slot's claim before this round"),
        Column("to_nearest", pa.float64(), "its similarity to the nearest of the document's claims"),
        Column("encoder", pa.string(), "the encoder's name in the configuration; a similarity is a cosine"),
    ),
)
