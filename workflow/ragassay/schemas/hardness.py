"""The table hardness."""

import pyarrow as pa

from ragassay.base.tables import Column, Table

FEATURES = {
    "missing_words": "share of its content words that the document does not have",
    "missing_weight": "the same, each word weighted by its length",
    "missing_forms": "share of its content words that the document does not have in the same form",
    "missing_pairs": "share of its neighbouring content words that are in no sentence together",
    "missing_names": "share of its names, numbers and dates that the document does not have",
    "n_missing_names": "names, numbers and dates that the document does not have",
    "scattered": "share of its content words beyond those that one sentence holds together",
    "unlike_sentence": "1 less its similarity to the nearest sentence",
    "unlike_sentences": "1 less its mean similarity to the nearest three sentences",
    "unlike_document": "1 less its similarity to the whole document",
}

HARDNESS = Table(
    "hardness",
    "One row per question: how near it is to its document.",
    path="hardness/{generator}/{shard}",
    key=("question_id",),
    columns=(
        Column("question_id", pa.string(), "the question"),
        Column("doc_id", pa.string(), "the document"),
        Column("cluster_id", pa.string(), "the near-duplicates that the document stands for"),
        Column("shard", pa.string(), "the shard that the document came with"),
        Column("intended", pa.string(), "what it was written to be: `in_scope` or `out_of_scope`"),
        Column("nearness", pa.float64(), "similarity of the question to the nearest of the document's claims"),
        Column("nearness_mean", pa.float64(), "its mean similarity to the document's claims"),
        Column("claim_nearness", pa.float64(), "the same as nearness for the claim it asks about, if any", null=True),
        Column("claim_nearness_mean", pa.float64(), "the same as nearness_mean for that claim", null=True),
        Column("stratum", pa.string(), "the range that nearness is in"),
        Column("n_entities", pa.int32(), "names, numbers and dates in the question"),
        Column("n_shared_entities", pa.int32(), "those that the document has"),
        *(Column(name, pa.float64(), f"overlap control: {text}") for name, text in FEATURES.items()),
        Column("encoder", pa.string(), "the encoder's name in the configuration; a similarity is a cosine"),
    ),
)
