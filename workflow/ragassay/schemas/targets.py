"""The table targets."""

import pyarrow as pa

from ragassay.base.tables import Column, Table

STRINGS = pa.list_(pa.field("element", pa.string()))
TRIES = "of each text, how many were written until one alone gave the target; empty if that was not tried"
TARGETS = Table(
    "targets",
    "One row per question that an attacker wants answered wrongly.",
    path="targets/{dataset}",
    key=("target_id",),
    columns=(
        Column("target_id", pa.string(), "its id"),
        Column("question", pa.string(), "what users ask"),
        Column("kind", pa.string(), "what the question asks for (who, how many, ...), if that is known", null=True),
        Column("document", pa.string(), "the document or passage that answers it, if that is known", null=True),
        Column("answers", STRINGS, "the right answer and other ways to write it"),
        Column("target", pa.string(), "the wrong answer that the attacker wants"),
        Column("target_aliases", STRINGS, "other ways to write that"),
        Column("texts", STRINGS, "texts that state the wrong answer, without the question in front"),
        Column("flags", STRINGS, "of each text, `no_target` or `right_answer` if it lacks the one or has the other"),
        Column("tries", pa.list_(pa.field("element", pa.int32())), TRIES),
        Column("origin", pa.string(), "`written` if it was read from files, `rules` or `model` if it was made here"),
        Column("made_by", pa.string(), "who wrote target and texts: what the files say, `rule`, or the model"),
    ),
)
