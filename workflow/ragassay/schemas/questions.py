"""The table questions."""

import pyarrow as pa

from ragassay.base.tables import Column, Table

QUESTIONS = Table(
    "questions",
    "One row per question of the right form.",
    path="questions/{generator}/{shard}",
    key=("doc_id", "intended", "slot"),
    columns=(
        Column("question_id", pa.string(), "`question-` and 16 digits of a hash over document, intent, claim and text"),
        Column("doc_id", pa.string(), "the document"),
        Column("shard", pa.string(), "the shard that the document came with"),
        Column(
            "intended",
            pa.string(),
            "what it was written to be: `in_scope` or `out_of_scope`; `unlabelled` in question sets",
        ),
        Column("slot", pa.int32(), "the slot of its claim; its number in the generator's list if it is in scope"),
        Column("text", pa.string(), "the question"),
        Column("n_words", pa.int32(), "words in text, as white space separates them"),
        Column("recovered_id", pa.string(), "the novel claim that it asks about; empty if it is in scope", null=True),
        Column("claim_id", pa.string(), "the original claim of its slot; empty if in scope", null=True),
        Column("round", pa.int32(), "the round in which its claim was recovered; empty if it is in scope", null=True),
        Column("generator", pa.string(), "the model's name in the configuration"),
        Column("prompt", pa.string(), "the digest of the prompt it was asked with"),
    ),
)
