"""The table poisoned_passages."""

import pyarrow as pa

from ragassay.base.tables import Column, Table

POISONED_PASSAGES = Table(
    "poisoned_passages",
    "One row per passage that an attack adds to a corpus. No table of clean passages takes any.",
    path="poisoned_passages/{dataset}/{attack}",
    key=("passage_id",),
    columns=(
        Column("passage_id", pa.string(), "its id, which begins with `poison-`"),
        Column("target_id", pa.string(), "the target that it is aimed at; empty if at all", null=True),
        Column("number", pa.int32(), "from 1, among the texts of this target"),
        Column("text", pa.string(), "what is searched"),
        Column("attack", pa.string(), "the attack that made it"),
        Column("poisoned", pa.bool_(), "always true"),
        Column("made_from", pa.string(), "the clean passage that it was made from, if it was", null=True),
        Column("calls", pa.int32(), "answers of a model that it took"),
        Column("forwards", pa.int32(), "forward passes of an encoder or a model that it took"),
    ),
)
