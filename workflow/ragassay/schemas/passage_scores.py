"""The table passage_scores."""

import pyarrow as pa

from ragassay.base.tables import Column, Table

PASSAGE_SCORES = Table(
    "passage_scores",
    "One row per passage that an attack plants, or, under the attack `none`, per passage of the corpus: how surprising"
    " it is to a scorer. Means of -log p of its tokens, in nats.",
    path="passage_scores/{dataset}/{scorer}/{attack}",
    key=("passage_id",),
    columns=(
        Column("passage_id", pa.string(), "the passage"),
        Column("half", pa.int32(), "the half of the documents that it belongs to; a trained scorer has read the other"),
        Column("tokens", pa.int32(), "tokens that were scored"),
        Column("is_cut", pa.bool_(), "whether it is longer than what the scorer reads"),
        Column("is_short", pa.bool_(), "whether it is too short to be split; its chunks then count as the whole"),
        Column("whole", pa.float64(), "of all tokens; empty without any", null=True),
        Column("pre", pa.float64(), "of the first chunk", null=True),
        Column("post", pa.float64(), "of the second chunk alone", null=True),
        Column("post_given_pre", pa.float64(), "of the second chunk behind the first", null=True),
        Column("window", pa.float64(), "of the window of neighbouring tokens where it is highest", null=True),
        Column("scored_by", pa.string(), "the scorer: a digest of its files and all else that changes scores, as JSON"),
    ),
)
