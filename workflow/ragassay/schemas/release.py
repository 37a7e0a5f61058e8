"""The tables that only releases hold."""

import pyarrow as pa

from ragassay.base.tables import Column, Table
from ragassay.schemas import documents

RECORDED_ANSWERS = Table(
    "recorded_answers",
    "One row per reply of a model in the ledger of a job; file `recorded_answers/{rule}/{keys}` of a release.",
    key=("key", "number"),
    columns=(
        Column("key", pa.string(), "a hash over everything that can change the answer, the rendered prompt included"),
        Column("number", pa.int32(), "its number among the replies to this key, from 1 in the order of time"),
        Column("samples", pa.list_(pa.field("element", pa.int32())), "the numbers of the samples that were asked for"),
        Column("body", pa.string(), "the reply as it came; empty if the request was refused", null=True, text="ours"),
        Column("reason", pa.string(), "why the provider refused the request; empty if it did not", null=True),
        Column("detail", pa.string(), "the provider's words if it refused; empty if it did not", null=True),
        Column("prompt_tokens", pa.int64(), "tokens of the prompt; empty if nothing was paid", null=True),
        Column("cached_tokens", pa.int64(), "of these, read from the provider's cache", null=True),
        Column("completion_tokens", pa.int64(), "tokens of the answers", null=True),
        Column("answers", pa.int32(), "how many answers the reply held", null=True),
        Column("dollars", pa.float64(), "the price of these tokens", null=True),
    ),
)


LEFT_OUT = frozenset({"source_id", "shard"})  # what only the study that made them needs

EXPORTED_DOCUMENTS = Table(
    "exported_documents",
    "One row per exported document; file `hugging_face/documents/corpus` of an export.",
    key=("doc_id",),
    columns=(
        *(column for column in documents.DOCUMENTS.columns if column.name not in {*LEFT_OUT, "text"}),
        Column("text", pa.string(), "the text, as in documents; empty unless export.texts is true", null=True),
        Column("text_end", pa.int32(), "text is characters 0 to text_end of the whole text, which content_hash is of"),
        Column("n_questions", pa.int32(), "questions about it in this export"),
    ),
    release="never",
)


EXPORTED_QUESTIONS = Table(
    "exported_questions",
    "One row per exported question; file `hugging_face/questions/{split}` of an export.",
    key=("question_id",),
    columns=(
        Column("question_id", pa.string(), "the question's id"),
        Column("doc_id", pa.string(), "the document that it was written about"),
        Column("topic", pa.string(), "the document's topic", null=True),
        Column("question", pa.string(), "its text"),
        Column("intended", pa.string(), "what it was written to be: `in_scope` or `out_of_scope`"),
        Column("label", pa.string(), "the judge's majority: `in_scope`, `out_of_scope`, `tie` or `no_verdict`"),
        Column("margin", pa.float64(), "votes for out of scope minus votes for in scope, as a share of all: -1 to 1"),
        Column("status", pa.string(), "`kept` if label and intent agree, `disputed` if not, else `undecided`"),
        Column("claim", pa.string(), "the unsupported claim that it asks about; empty if in scope", null=True),
        Column("round", pa.int32(), "the round in which that claim was recovered; empty if in scope", null=True),
        Column("nearness", pa.float64(), "similarity to the nearest of the document's claims", null=True),
        Column("overlap_score", pa.float64(), "how probably it is out of scope by word overlap alone", null=True),
        Column("hard", pa.bool_(), "whether no words tell kinds apart at its nearness; empty if undecided", null=True),
        Column("generator", pa.string(), "the model that wrote it"),
        Column("judge", pa.string(), "the model that judged it"),
    ),
    release="never",
)


PUBLISHED_TEXTS = Table(
    "published_texts",
    "One row per column with texts of a release and what became of its cells; file `published_texts` of a release.",
    key=("table", "column", "state"),
    columns=(
        Column("table", pa.string(), "the table"),
        Column("column", pa.string(), "its column"),
        Column(
            "state",
            pa.string(),
            "`published`; `repeats_published` and `repeats` if it repeats a long run of a text that may not be"
            " published, `no_licence`, `poison`, or `empty`",
        ),
        Column("cells", pa.int64(), "how many cells"),
    ),
    release="whole",
)


REHYDRATED_TEXTS = Table(
    "rehydrated_texts",
    "One row per text that a release withholds and that its page still has; file `texts` of a rehydrated release.",
    key=("content_hash",),
    columns=(
        Column("content_hash", pa.string(), "SHA-256 of the text, as the release has it"),
        Column("url", pa.string(), "the page that it was fetched from"),
        Column("text", pa.string(), "the whole text; a document is characters 0 to text_end of it"),
    ),
    release="never",
)
