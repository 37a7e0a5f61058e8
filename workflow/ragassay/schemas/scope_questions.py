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
        Column(
            "intended",
            pa.string(),
            "what it was written to be: `in_scope` or `out_of_scope`; `unlabelled` in question sets",
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
        Column(
            "claim_id",
            pa.string(),
            "the original claim of its slot; empty if in scope",
            null=True,
            refers="claims.claim_id",
        ),
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
        Column(
            "status", pa.string(), "`kept` if label and intent agree, `disputed` if not, `undecided` without a side"
        ),
        Column("split", pa.string(), "`train`, `validation` or `test`; the same for all near-duplicates of a document"),
        Column("judge", pa.string(), "the judging model's name in the configuration"),
    ),
)


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
        Column("question_id", pa.string(), "the question", refers="questions.question_id"),
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
    release="whole",
)


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
    release="whole",
)


HARDNESS_STRATA = Table(
    "hardness_strata",
    "One row per stratum of nearness, and one for `all`, whose n_hard and share are the study's headline."
    " Intervals are 95 %, from resampled documents.",
    path="hardness_strata/{generator}/{judge}",
    key=("position",),
    columns=(
        Column("position", pa.int32(), "0 is the farthest stratum; all questions together come last"),
        Column("stratum", pa.string(), "the range of nearness, or `all`"),
        Column("n_out_of_scope", pa.int32(), "out-of-scope questions in it that were kept and have a score"),
        Column("n_in_scope", pa.int32(), "in-scope questions likewise"),
        Column("auroc", pa.float64(), "the control's, out of scope against in scope in this stratum", null=True),
        Column("auroc_low", pa.float64(), "lower end of its interval", null=True),
        Column("auroc_high", pa.float64(), "upper end of its interval", null=True),
        Column(
            "question_alone", pa.float64(), "the same of the control that sees the question's words alone", null=True
        ),
        Column("question_alone_low", pa.float64(), "lower end of its interval", null=True),
        Column("question_alone_high", pa.float64(), "upper end of its interval", null=True),
        Column(
            "auroc_against_all",
            pa.float64(),
            "the control's, out of scope in this stratum against all in scope",
            null=True,
        ),
        Column(
            "grade",
            pa.string(),
            "`hard` if the intervals of both controls end at .75 at most, `easy` if one begins above, else `undecided`;"
            " undecided, too, with few questions of a kind",
        ),
        Column("hard", pa.bool_(), "whether the grade is hard"),
        Column("n_hard", pa.int32(), "out-of-scope questions in it if it is hard; of all, those in hard strata"),
        Column(
            "share", pa.float64(), "of all out-of-scope questions, those in it; of all, those in hard strata", null=True
        ),
        Column("share_low", pa.float64(), "lower end of its interval", null=True),
        Column("share_high", pa.float64(), "upper end of its interval", null=True),
    ),
    release="whole",
)


OVERLAP = Table(
    "overlap",
    "One row per question: what it shares with its document, for the overlap control.",
    path="overlap/{generator}/{shard}",
    key=("question_id",),
    columns=(
        Column("question_id", pa.string(), "the question", refers="questions.question_id"),
        Column("doc_id", pa.string(), "the document"),
        Column("cluster_id", pa.string(), "the near-duplicates that the document stands for"),
        *(Column(name, pa.float64(), text) for name, text in FEATURES.items()),
        Column("encoder", pa.string(), "the encoder's name in the configuration; a similarity is a cosine"),
    ),
    release="whole",
)
