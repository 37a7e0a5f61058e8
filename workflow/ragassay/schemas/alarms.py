"""The table alarms."""

import pyarrow as pa

from ragassay.base.tables import Column, Table

ALARMS = Table(
    "alarms",
    "One row per prompt of the condition `retrieved`, defence, probe and way to use both: whether there is an alarm.",
    path="alarms/{dataset}/{retriever}/{attack}/{responder}",
    key=("target_id", "side", "defence", "probe", "way"),
    columns=(
        Column("target_id", pa.string(), "the target"),
        Column("side", pa.string(), "`clean` or `attacked`"),
        Column("defence", pa.string(), "an entry of `revprag.defences`, which looks at the prompt's passages"),
        Column("probe", pa.string(), "as in the table probe_scores; it looks at the responder's activations"),
        Column("way", pa.string(), "`defence` or `probe` alone, both (`chain`), or one of them (`either`)"),
        Column("cluster", pa.string(), "near-duplicates of the target's document"),
        Column("label", pa.string(), "as in the table prompt_answers"),
        Column(
            "score", pa.float64(), "the share of right answers to other documents that score lower; above 1, further"
        ),
        Column("flagged", pa.bool_(), "whether the score is above the threshold that these right answers gave"),
    ),
)
