"""The table prompt_pairs."""

import pyarrow as pa

from ragassay.base.tables import Column, Table

STRINGS = pa.list_(pa.field("element", pa.string()))
PROMPT_PAIRS = Table(
    "prompt_pairs",
    "One row per target, condition and side: the passages of a prompt, and what a ruler sees of them.",
    path="prompt_pairs/{dataset}/{retriever}/{attack}",
    key=("target_id", "condition", "side"),
    columns=(
        Column("target_id", pa.string(), "the target"),
        Column("condition", pa.string(), "`released`, `retrieved`, `prefixed`, `matched`, `irrelevant` or `misspelt`"),
        Column("side", pa.string(), "`clean` or `attacked`"),
        Column("cluster", pa.string(), "near-duplicates of its document, which are never in two parts of a fold"),
        Column("kind", pa.string(), "what the question asks for, if the targets say so", null=True),
        Column("passages", STRINGS, "the texts that the responder is shown, best first"),
        Column("shown", STRINGS, "the ids of these, if none was changed", null=True),
        Column("planted", pa.int32(), "how many of them an attacker made"),
        Column("words", pa.int32(), "words of all of them"),
        Column("question_words", pa.float64(), "the share of the question's words that a passage has, on average"),
        Column("similarity", pa.float64(), "the cosine of question and passage, on average"),
    ),
)
