"""The tables of claims, questions, their votes and labels, and their hardness."""

from dataclasses import replace

import pyarrow as pa

from ragassay.base.tables import Column, Table

CLAIMS = Table(
    "claims",
    "One row per claim that a generator found in a document.",
    path="claims/{generator}/{shard}",
    key=("doc_id", "slot"),
    columns=(
        Column("claim_id", pa.string(), "`claim-` and 16 digits of a hash over document, generator, slot and text"),
        Column("doc_id", pa.string(), "the document", refers="documents.doc_id"),
        Column("shard", pa.string(), "the shard that the document came with"),
        Column("slot", pa.int32(), "its number in the generator's list, from 1"),
        Column("text", pa.string(), "the claim, one sentence that stands alone", text="ours"),
        Column("generator", pa.string(), "the model's name in the configuration"),
        Column("prompt", pa.string(), "the digest of the prompt it was asked with"),
    ),
)


RECOVERED_CLAIMS = Table(
    "recovered_claims",
    "One row per claim that a generator guessed for a gap in a round.",
    path="recovered_claims/{generator}/{shard}",
    key=("doc_id", "round", "slot"),
    columns=(
        Column("recovered_id", pa.string(), "`recovered-` and 16 digits of a hash over claim, round and text"),
        Column("claim_id", pa.string(), "the original claim of this slot", refers="claims.claim_id"),
        Column("doc_id", pa.string(), "the document, which the generator was not shown", refers="documents.doc_id"),
        Column("shard", pa.string(), "the shard that the document came with"),
        Column("round", pa.int32(), "the round, from 1"),
        Column("subset", pa.int32(), "the subset of slots that was removed in this call, from 1"),
        Column("slot", pa.int32(), "its number in the list"),
        Column("text", pa.string(), "what the generator put there", text="ours"),
        Column("generator", pa.string(), "the model's name in the configuration"),
        Column("prompt", pa.string(), "the digest of the prompt it was asked with"),
    ),
)


NOVEL_CLAIMS = Table(
    "novel_claims",
    "One row per recovered claim that its document does not support.",
    path="novel_claims/{generator}/{shard}",
    key=("doc_id", "slot"),
    columns=(
        Column("recovered_id", pa.string(), "the recovered claim", refers="recovered_claims.recovered_id"),
        Column("claim_id", pa.string(), "the original claim of its slot", refers="claims.claim_id"),
        Column("doc_id", pa.string(), "the document"),
        Column("shard", pa.string(), "the shard that the document came with"),
        Column("round", pa.int32(), "the round in which it was recovered: the last that filled the slot"),
        Column("slot", pa.int32(), "its number in the list"),
        Column("text", pa.string(), "the claim", text="ours"),
        Column("generator", pa.string(), "the model that recovered it and found it unsupported"),
        Column("prompt", pa.string(), "the digest of the prompt that asked which claims are supported"),
    ),
)


QUESTIONS = Table(
    "questions",
    "One row per question of the right form.",
    path="questions/{generator}/{shard}",
    key=("doc_id", "intended", "slot"),
    columns=(
        Column("question_id", pa.string(), "`question-` and 16 digits of a hash over document, intent, claim and text"),
        Column("doc_id", pa.string(), "the document", refers="documents.doc_id"),
        Column("shard", pa.string(), "the shard that the document came with"),
        Column("intended", pa.string(), "what it was written to be: `in_scope`, `out_of_scope`; `unlabelled` in sets"),
        Column(
            "question_type",
            pa.string(),
            "its type: `near_miss`, `false_premise`, `underspecified`, `other_month`, `far_away` or a word of the set's"
            " own; empty if nobody said",
            null=True,
        ),
        Column("slot", pa.int32(), "the slot of its claim; its number in the generator's list if it is in scope"),
        Column("text", pa.string(), "the question", text="ours"),
        Column("n_words", pa.int32(), "words in text, as white space separates them"),
        Column(
            "recovered_id",
            pa.string(),
            "the novel claim that it asks about; empty if it is in scope",
            null=True,
            refers="novel_claims.recovered_id",
        ),
        Column("claim_id", pa.string(), "the claim of its slot; empty in scope", null=True, refers="claims.claim_id"),
        Column("round", pa.int32(), "the round in which its claim was recovered; empty if it is in scope", null=True),
        Column("generator", pa.string(), "the model's name in the configuration"),
        Column("prompt", pa.string(), "the digest of the prompt it was asked with"),
    ),
)


WRITTEN_QUESTIONS = replace(
    QUESTIONS,
    name="written_questions",
    row="One row per question as it was first written, where near misses are wanted: see near_misses.",
    path="written_questions/{generator}/{shard}",
)


NEAR_MISSES = Table(
    "near_misses",
    "One row per version of an out-of-scope question: as it was written, and each try at rewriting it.",
    path="near_misses/{generator}/{shard}",
    key=("doc_id", "slot", "attempt"),
    columns=(
        Column("question_id", pa.string(), "the question that it is; empty if it has no usable form", null=True),
        Column("written_id", pa.string(), "the question as it was written, in written_questions"),
        Column("doc_id", pa.string(), "the document"),
        Column("shard", pa.string(), "the shard that the document came with"),
        Column("slot", pa.int32(), "the slot of its claim"),
        Column("attempt", pa.int32(), "0 as it was written, then the number of the try"),
        Column("text", pa.string(), "the question, or what came in its place", text="ours"),
        Column("overlap", pa.float64(), "how probably it is out of scope, by the words that it shares", null=True),
        Column("wording", pa.float64(), "how probably it is out of scope, by its own words alone", null=True),
        Column("reason", pa.string(), "why it cannot be used, empty if it can", null=True),
        Column("chosen", pa.bool_(), "whether it is the version that goes on, in questions"),
        Column("generator", pa.string(), "the model's name in the configuration"),
        Column("prompt", pa.string(), "the digest of the prompt it was asked with"),
    ),
)


SCOPE_VOTES = Table(
    "scope_votes",
    "One row per vote of a judge on a question.",
    path="scope_votes/{generator}/{judge}/{shard}",
    key=("question_id", "vote"),
    columns=(
        Column("question_id", pa.string(), "the question", refers="questions.question_id"),
        Column("vote", pa.int32(), "the number of the vote, from 1"),
        Column("doc_id", pa.string(), "the document that the judge was shown with it"),
        Column("verdict", pa.bool_(), "whether the question is out of scope; empty if the judge abstained", null=True),
        Column("abstained", pa.string(), "why there is no verdict, as the parser says; empty if there is", null=True),
        Column("detail", pa.string(), "the provider's words if it refused the request; empty if it did not", null=True),
        Column("judge", pa.string(), "the model's name in the configuration"),
        Column("prompt", pa.string(), "the digest of the prompt it was asked with"),
    ),
    release="whole",
)


SCOPE_LABELS = Table(
    "scope_labels",
    "One row per question: the majority of a judge's votes.",
    path="scope_labels/{generator}/{judge}/{shard}",
    key=("question_id",),
    columns=(
        Column("question_id", pa.string(), "the question", refers="questions.question_id"),
        Column("doc_id", pa.string(), "the document"),
        Column("label", pa.string(), "`out_of_scope`, `in_scope`, `tie`, or `no_verdict` if too many votes abstained"),
        Column("margin", pa.float64(), "votes for out of scope minus votes for in scope, as a share of all: -1 to 1"),
        Column("out_votes", pa.int32(), "verdicts that it is out of scope"),
        Column("in_votes", pa.int32(), "verdicts that it is in scope"),
        Column("abstained", pa.int32(), "votes without a verdict"),
        Column("judge", pa.string(), "the model's name in the configuration"),
        Column("prompt", pa.string(), "the digest of the prompt it was asked with"),
    ),
    release="whole",
)


SELECTED_QUESTIONS = Table(
    "selected_questions",
    "One row per question, with its status and split.",
    path="selected_questions/{generator}/{judge}/{shard}",
    key=QUESTIONS.key,
    columns=(
        replace(QUESTIONS.columns[0], refers="questions.question_id"),
        *QUESTIONS.columns[1:],
        Column("label", pa.string(), "the judge's majority, as in scope_labels"),
        Column("margin", pa.float64(), "votes for out of scope minus votes for in scope, as a share of all: -1 to 1"),
        Column("status", pa.string(), "`kept` if label and intent agree, `disputed` if not, else `undecided`"),
        Column("split", pa.string(), "`train`, `validation` or `test`; the same for all near-duplicates of a document"),
        Column("judge", pa.string(), "the judging model's name in the configuration"),
    ),
)
