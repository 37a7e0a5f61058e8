"""The tables of how hard questions are: their overlap with the document, scores and strata."""

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
        Column("score", pa.float64(), "how probably it is out of scope by overlap; empty if not fitted", null=True),
        Column("wording", pa.float64(), "how probably it is out of scope by the question alone", null=True),
        Column("hard", pa.bool_(), "whether no control tells kinds apart in its stratum; empty: undecided", null=True),
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
        Column("question_alone", pa.float64(), "the same of the control that sees the question alone", null=True),
        Column("question_alone_low", pa.float64(), "lower end of its interval", null=True),
        Column("question_alone_high", pa.float64(), "upper end of its interval", null=True),
        Column("auroc_against_all", pa.float64(), "the control's, against all in-scope questions", null=True),
        Column(
            "grade",
            pa.string(),
            "`hard` if the intervals of both controls end at .75 at most, `easy` if one begins above, else `undecided`;"
            " undecided, too, with few questions of a kind",
        ),
        Column("hard", pa.bool_(), "whether the grade is hard"),
        Column("n_hard", pa.int32(), "out-of-scope questions in it if it is hard; of all, those in hard strata"),
        Column("share", pa.float64(), "of all out-of-scope questions, those in it; of `all`, in hard ones", null=True),
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
