"""The tables of corpora, queries and searches."""

import pyarrow as pa

from ragassay.base.tables import STRINGS, TIME, Column, Table

HELD_OUT = ".held_out"  # ends the name of a corpus without some of its documents

PASSAGES = Table(
    "passages",
    "One row per clean passage that can be found; none that an attack made.",
    path="passages/{corpus}",
    key=("passage_id",),
    clean="passage_id",
    columns=(
        Column("passage_id", pa.string(), "its id; the document's in the corpus of the study's documents"),
        Column("document_id", pa.string(), "the document that it was cut from; passage_id if it is a whole document"),
        Column("title", pa.string(), "its title", null=True),
        Column("text", pa.string(), "what is searched", text="document"),
        Column("source", pa.string(), "where it comes from: the shard, or what the user's file says", null=True),
    ),
)


SYNTHETIC = "synthetic"  # the kind of queries that were made from passages
QUERIES = Table(
    "queries",
    "One row per query.",
    path="queries/{query_set}",
    key=("query_id",),
    columns=(
        Column("query_id", pa.string(), "its id; the question's if it is one of the study's"),
        Column("text", pa.string(), "what is searched for", text="key"),
        Column("kind", pa.string(), "`in_scope` or `out_of_scope`, or what the user's file says", null=True),
        Column("passage_id", pa.string(), "the passage or document that it is about, if that is known", null=True),
        Column("relevant", STRINGS, "all passages or documents relevant to it, if they were judged", null=True),
        Column("grades", pa.list_(pa.field("element", pa.int32())), "how relevant each of these is", null=True),
        Column("answers", STRINGS, "the right answers, if they are known; any of them will do", null=True, text="key"),
        Column("options", STRINGS, "the answers to choose from in a multiple-choice question", null=True, text="key"),
    ),
)


INDEX_RECALL = Table(
    "index_recall",
    "One row per query and depth, of some queries: how many of the nearest passages an index finds.",
    path="index_recall/{corpus}/{retriever}/{query_set}",
    key=("query_id", "depth"),
    columns=(
        Column("query_id", pa.string(), "the query"),
        Column("depth", pa.int32(), "how many passages are looked at"),
        Column("shared", pa.int32(), "how many of the exactly nearest ones are among as many of the index"),
        Column("of", pa.int32(), "how many nearest ones there are; fewer than `depth` in a small corpus"),
    ),
    release="whole",
)

NEIGHBOURS = Table(
    "neighbours",
    "One row per query and clean passage found for it.",
    path="neighbours/{corpus}/{retriever}/{query_set}",
    key=("query_id", "rank"),
    clean="passage_id",
    columns=(
        Column("query_id", pa.string(), "the query"),
        Column("rank", pa.int32(), "from 1 for the best; equal scores go by passage_id"),
        Column("passage_id", pa.string(), "the passage"),
        Column("score", pa.float64(), "the higher the better, in steps of 0.00001: a cosine, a product, or BM25's sum"),
    ),
    release="whole",
)


PART_NEIGHBOURS = Table(
    "part_neighbours",
    "One row per query and passage that it finds by words in a part of a corpus, scored as in the whole corpus.",
    path="part_neighbours/{corpus}/{part}/{retriever}/{query_set}",
    key=NEIGHBOURS.key,
    clean=NEIGHBOURS.clean,
    columns=NEIGHBOURS.columns,
    release="whole",
)


WORD_COUNTS = Table(
    "word_counts",
    "One row per word of a corpus that has parts, or of such a part, and one for all words.",
    path="word_counts/{corpus}/{titles}",
    key=("word",),
    columns=(
        Column("word", pa.string(), "the word; empty in the first row, which is about all of them"),
        Column("passages", pa.int64(), "how many passages have it; in the first row, how many there are"),
        Column("words", pa.int64(), "in the first row, how many words these have together", null=True),
    ),
    release="never",
)


EMBEDDED_PASSAGES = Table(
    "embedded_passages",
    "One row: the receipt for a corpus whose passages have vectors in the store.",
    path="embedded_passages/{corpus}/{encoder}/{titles}",
    key=("encoder",),
    columns=(
        Column("encoder", pa.string(), "the digest of the encoder, which is the name of its folder below embeddings/"),
        Column("passages", pa.int64(), "how many passages there are"),
        Column("dimensions", pa.int32(), "how many numbers a vector has"),
        Column("texts", pa.string(), "SHA-256 over the keys of their texts"),
    ),
    release="whole",
)


HELD_OUT_DOCUMENTS = Table(
    "held_out_documents",
    "One row per document of a corpus: what it nearly repeats, and whether it is held out. Queries about those held out"
    " are out of the knowledge of the corpus without these, which is the corpus `{corpus}.held_out`.",
    path="held_out_documents/{corpus}",
    key=("document_id",),
    columns=(
        Column("document_id", pa.string(), "the document"),
        Column("cluster_id", pa.string(), "the first of the documents that are nearly the same, itself included"),
        Column("held_out", pa.bool_(), "whether it is held out, with all its near-duplicates"),
    ),
    release="whole",
)


REWRITTEN_PASSAGES = Table(
    "rewritten_passages",
    "One row per clean passage that a model rewrote for an extended corpus; it belongs to the document of its source.",
    path="rewritten_passages/{corpus}",
    key=("passage_id",),
    columns=(
        Column("passage_id", pa.string(), "its id, which begins with `rewritten-`"),
        Column("source_passage", pa.string(), "the passage that it says again"),
        Column("rewriter", pa.string(), "the model that wrote it"),
        Column("prompt", pa.string(), "digest of the prompt"),
    ),
    release="whole",
)


LM_RELEVANCE = Table(
    "lm_relevance",
    "One row per vote of a model on a query and what was retrieved for it.",
    path="lm_relevance/{rater}/{corpus}/{retriever}/{query_set}",
    key=("query_id", "vote"),
    columns=(
        Column("query_id", pa.string(), "the query", refers="queries.query_id"),
        Column("vote", pa.int32(), "the number of the vote, from 1"),
        Column("value", pa.float64(), "1 minus the relevance that it gave: higher = more out of knowledge", null=True),
        Column("feedback", pa.string(), "its words on the passages; empty if it abstained", null=True, text="ours"),
        Column("abstained", pa.string(), "why there is no value, as the parser says; empty if there is", null=True),
        Column("detail", pa.string(), "the provider's words if it refused the request; empty if it did not", null=True),
        Column("rater", pa.string(), "the model's name in the configuration"),
        Column("prompt", pa.string(), "the digest of the prompt it was asked with"),
    ),
)  # fmt: skip


QUERY_LOG = Table(
    "query_log",
    "One row per query of a log: the user's, or one that was mixed from query sets.",
    path="query_logs/{query_log}",
    key=("entry",),
    columns=(
        Column("entry", pa.int64(), "its number, from 1, in the order of time"),
        Column("date", TIME, "when it was asked"),
        Column("text", pa.string(), "what was asked", text="everybody"),
        Column("query_id", pa.string(), "the query that it is; of a user's log, a hash of its words"),
        Column("session", pa.string(), "a hash of the session or user it belongs to, if the log says so", null=True),
        Column("query_set", pa.string(), "where that comes from, if it was mixed", null=True),
        Column("drifted", pa.bool_(), "whether it was mixed on the day of the drift or later", null=True),
    ),
)
