"""The table predictions."""

import pyarrow as pa

from ragassay.base.tables import Column, Table

PREDICTIONS = Table(
    "predictions",
    "One row per question, head and seed of a detector, trained on a generator's questions as a judge labelled them.",
    path="predictions/{detector}/{encoder}/{generator}/{judge}/{asked}",
    key=("question_id", "head", "seed"),
    columns=(
        Column("question_id", pa.string(), "the question"),
        Column("head", pa.string(), "`mlp`, two layers, or `logistic`, a regression"),
        Column("seed", pa.int32(), "of the head's training"),
        Column("doc_id", pa.string(), "the document"),
        Column("shard", pa.string(), "the shard that the document came with"),
        Column("intended", pa.string(), "what it was written to be: `in_scope` or `out_of_scope`"),
        Column(
            "part",
            pa.string(),
            "`train` or `validation` if the head was trained on the document or a near-duplicate of it, `test` if"
            " they were left out, `unseen` if it was not among them",
        ),
        Column("score", pa.float64(), "higher = more probably out of scope; 0 is undecided", null=True),
        Column(
            "probability",
            pa.float64(),
            "that it is out of scope, after the temperature of the validation part",
            null=True,
        ),
        Column("out_of_scope", pa.bool_(), "the decision: whether the score is above 0", null=True),
        Column(
            "reason",
            pa.string(),
            "why there is no prediction: `too_long`, its model cannot read document and question; else empty",
            null=True,
        ),
        Column("asked", pa.string(), "the generator or question set of the questions"),
    ),
)
