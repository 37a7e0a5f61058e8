"""The table overlap."""

import pyarrow as pa

from ragassay.base.tables import Column, Table
from ragassay.schemas.hardness import FEATURES

OVERLAP = Table(
    "overlap",
    "One row per question: what it shares with its document, for the overlap control.",
    path="overlap/{generator}/{shard}",
    key=("question_id",),
    columns=(
        Column("question_id", pa.string(), "the question"),
        Column("doc_id", pa.string(), "the document"),
        Column("cluster_id", pa.string(), "the near-duplicates that the document stands for"),
        *(Column(name, pa.float64(), text) for name, text in FEATURES.items()),
        Column("encoder", pa.string(), "the encoder's name in the configuration; a similarity is a cosine"),
    ),
)
