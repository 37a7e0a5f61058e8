"""The table attack_texts."""

import pyarrow as pa

from ragassay.base.tables import Column, Table

ATTACK_TEXTS = Table(
    "attack_texts",
    "One row per text that a model wrote for an attack which plants such texts.",
    path="attack_texts/{dataset}/{attack}",
    key=("target_id", "number"),
    columns=(
        Column("target_id", pa.string(), "the target that it is for"),
        Column("number", pa.int32(), "from 1, among the texts of this target"),
        Column("text", pa.string(), "the text"),
        Column(
            "calls", pa.int32(), "answers of the model that it took; a later one of several in one answer took none"
        ),
        Column("writer", pa.string(), "the model that wrote it"),
        Column("prompt", pa.string(), "digest of the prompt"),
    ),
)
