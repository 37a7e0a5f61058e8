"""The table hardness_scores."""

import pyarrow as pa

from ragassay.base.tables import Column, Table

HARDNESS_SCORES = Table(
    "hardness_scores",
    "One row per kept question: the scores of the overlap control and of the question-alone control.",
    path="hardness_scores/{generator}/{judge}",
    key=("question_id",),
    columns=(
        Column("question_id", pa.string(), "the question"),
        Column("doc_id", pa.string(), "the document"),
        Column("shard", pa.string(), "the shard that the document came with"),
        Column("intended", pa.string(), "what it was written to be: `in_scope` or `out_of_scope`"),
        Column("stratum", pa.string(), "its range of nearness, as in hardness"),
        Column("fold", pa.int32(), "the fold of documents on which its control was not fitted"),
        Column(
            "score",
            pa.float64(),
            "how probably it is out of scope by word overlap alone; empty where too little was left to fit",
            null=True,
        ),
        Column(
            "wording",
            pa.float64(),
            "how probably it is out of scope by its words alone, without its document",
            null=True,
        ),
        Column(
            "hard",
            pa.bool_(),
            "whether neither control tells the kinds apart in its stratum; empty if undecided",
            null=True,
        ),
    ),
)
