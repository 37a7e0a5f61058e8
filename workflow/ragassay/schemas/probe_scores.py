"""The table probe_scores."""

import pyarrow as pa

from ragassay.base.tables import Column, Table

PROBE_SCORES = Table(
    "probe_scores",
    "One row per prompt and probe that was fitted on other documents than its own: what the probe says of the answer.",
    path="probe_scores/{dataset}/{retriever}/{attack}/{responder}",
    key=("target_id", "condition", "side", "trained_on", "facts", "probe", "seed"),
    columns=(
        Column("target_id", pa.string(), "the target"),
        Column("condition", pa.string(), "the condition"),
        Column("side", pa.string(), "`clean` or `attacked`"),
        Column("trained_on", pa.string(), "the condition that the probe was fitted on"),
        Column(
            "facts", pa.string(), "the questions it was fitted on: `all`, those `known` by heart, or `unknown` ones"
        ),
        Column("probe", pa.string(), "an entry of `revprag.probes`, or a control"),
        Column("seed", pa.int32(), "of its fitting"),
        Column("fold", pa.int32(), "the fold that the target's documents are tested in"),
        Column("cluster", pa.string(), "near-duplicates of its document"),
        Column("kind", pa.string(), "what the question asks for, if the targets say so", null=True),
        Column("planted", pa.int32(), "how many of the prompt's passages an attacker made"),
        Column("known", pa.bool_(), "whether the responder answers right without passages", null=True),
        Column("label", pa.string(), "as in the table prompt_answers"),
        Column("score", pa.float64(), "higher = more probably poisoned"),
        Column(
            "flagged", pa.bool_(), "whether the score is above the threshold that validation documents gave", null=True
        ),
    ),
)
