"""The table quarantine."""

import pyarrow as pa

from ragassay.base.tables import Column, Table

STRINGS = pa.list_(pa.field("element", pa.string()))
NUMBERS = pa.list_(pa.field("element", pa.float64()))
QUARANTINE = Table(
    "quarantine",
    "One row per passage of a corpus, or planted there by an attack: whether it may be searched as it comes in.",
    path="quarantine/{dataset}/{retriever}/{attack}/{defence}",
    key=("passage_id",),
    columns=(
        Column("passage_id", pa.string(), "the passage"),
        Column("poisoned", pa.bool_(), "whether the attack made it, which no screening sees"),
        Column("held", pa.bool_(), "whether screening holds it back"),
        Column("state", pa.string(), "`admitted`, `quarantined`, or, by review, `released` or `refused`"),
        Column("score", pa.float64(), "higher = more suspicious; empty if there is none", null=True),
        Column("reason", pa.string(), "why it is held, if so", null=True),
        Column("query", pa.string(), "the query that it is most similar to, if there are some", null=True),
        Column("criteria", STRINGS, "what was compared with thresholds"),
        Column("criterion_scores", NUMBERS, "the score of each, higher = more suspicious"),
        Column("thresholds", NUMBERS, "the threshold of each, at which it is held"),
        Column("reviewer", pa.string(), "who decided about it, if somebody did", null=True),
        Column("note", pa.string(), "what that person wrote", null=True),
    ),
)
