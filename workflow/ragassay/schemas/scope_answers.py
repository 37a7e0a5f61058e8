"""The tables of responses, their votes and labels, and of detectors."""

import pyarrow as pa

from ragassay.base.tables import Column, Table
from ragassay.schemas.relevance import SAID

RESPONSES = Table(
    "responses",
    "One row per question that a responder was asked with its document.",
    path="responses/{generator}/{responder}/{prompt}/{shard}",
    key=("question_id",),
    columns=(
        Column("question_id", pa.string(), "the question", refers="questions.question_id"),
        Column("doc_id", pa.string(), "the document that the responder was shown with it"),
        Column("text", pa.string(), "the response as it came; empty text if the model said nothing", text="ours"),
        Column("finish_reason", pa.string(), "why the model stopped, as its provider says: `stop`, `length`, ..."),
        Column("detail", pa.string(), "the provider's words if it refused the request; empty if it did not", null=True),
        Column("truncated", pa.bool_(), "whether it was cut off at the limit of tokens"),
        Column("prompt_tokens", pa.int64(), "tokens of the prompt; empty where the provider does not count", null=True),
        Column("completion_tokens", pa.int64(), "tokens of the response, as far as they are known", null=True),
        Column("responder", pa.string(), "the model's name in the configuration"),
        Column("prompt_name", pa.string(), "the prompt's name in the configuration: `basic`, `two_shot`, ..."),
        Column("prompt", pa.string(), "the digest of the prompt it was asked with"),
    ),
)


WHOSE = (
    Column("responder", pa.string(), "the model that responded, by its name in the configuration"),
    Column("prompt_name", pa.string(), "the prompt it was asked with, by its name in the configuration"),
    Column("judge", pa.string(), "the judging model's name in the configuration"),
    Column("prompt", pa.string(), "the digest of the prompt that the judge was asked with"),
)

DEFUSION_VOTES = Table(
    "defusion_votes",
    "One row per vote of a judge on a response to an out-of-scope question.",
    path="defusion_votes{variant}/{generator}/{responder}/{prompt}/{judge}/{shard}",
    key=("question_id", "vote"),
    columns=(
        Column("question_id", pa.string(), "the question", refers="responses.question_id"),
        Column("vote", pa.int32(), "the number of the vote, from 1"),
        Column("doc_id", pa.string(), "the document that the judge was shown"),
        Column("verdict", pa.bool_(), "whether it only declines or corrects; empty if the judge abstained", null=True),
        Column("abstained", pa.string(), "why there is no verdict, as the parser says; empty if there is", null=True),
        Column("detail", pa.string(), "the provider's words if it refused the request; empty if it did not", null=True),
        *WHOSE,
    ),
    release="whole",
)


DEFUSION_LABELS = Table(
    "defusion_labels",
    "One row per response to an out-of-scope question: the majority of a judge's votes.",
    path="defusion_labels/{generator}/{responder}/{prompt}/{judge}/{shard}",
    key=("question_id",),
    columns=(
        Column("question_id", pa.string(), "the question", refers="responses.question_id"),
        Column("doc_id", pa.string(), "the document"),
        Column("label", pa.string(), "`defused`, `not_defused`, `tie`, or `no_verdict` if too many votes abstained"),
        Column("margin", pa.float64(), "votes for not defused minus votes for defused, as a share of all: -1 to 1"),
        Column("defused_votes", pa.int32(), "verdicts that it is defused"),
        Column("not_defused_votes", pa.int32(), "verdicts that it is not"),
        Column("abstained", pa.int32(), "votes without a verdict"),
        *WHOSE,
    ),
    release="whole",
)


CLOSED_BOOK_ANSWERS = Table(
    "closed_book_answers",
    "One row per question that a responder was asked without its document.",
    path="closed_book_answers/{generator}/{responder}/{shard}",
    key=("question_id",),
    columns=(
        Column("question_id", pa.string(), "the question", refers="questions.question_id"),
        Column("doc_id", pa.string(), "the document that the responder was not shown"),
        *SAID,
    ),
)


DETECTOR_DOCUMENTS = Table(
    "detector_documents",
    "One row per document that a detector was trained or validated on, or tested on.",
    path="detectors/{detector}/{encoder}/{generator}/{judge}/documents",
    key=("doc_id",),
    columns=(
        Column("doc_id", pa.string(), "the document"),
        Column("cluster_id", pa.string(), "the near-duplicates that it stands for; all of them are in one part"),
        Column("part", pa.string(), "`train`, `validation` or `test`"),
        Column(
            "signature",
            pa.binary(),
            "128 numbers of 16 bits, low byte first, for near-duplicates of the text; 128 of its first words",
        ),
    ),
    release="whole",
)


DETECTOR_TRAINING = Table(
    "detector_training",
    "One row per epoch of each head of a detector.",
    path="detectors/{detector}/{encoder}/{generator}/{judge}/training",
    key=("head", "percent", "seed", "epoch"),
    columns=(
        Column("head", pa.string(), "`mlp`, two layers, or `logistic`, a regression, which has one epoch"),
        Column("percent", pa.int32(), "of the training documents that were used"),
        Column("seed", pa.int32(), "of the initial weights, the order and the dropout; 0 for a regression"),
        Column("epoch", pa.int32(), "0 is before the first step"),
        Column("documents", pa.int32(), "clusters of near-duplicate documents that were used"),
        Column("questions", pa.int32(), "their questions"),
        Column("loss", pa.float64(), "mean loss of the epoch's steps, with dropout", null=True),
        Column("validation_loss", pa.float64(), "log loss on the validation part; empty without one", null=True),
        Column("validation_accuracy", pa.float64(), "share of the validation part that is right", null=True),
        Column("kept", pa.bool_(), "whether the head is that of this epoch"),
        Column("test_accuracy", pa.float64(), "share of the test part that is right, of the kept head", null=True),
        Column("test_auroc", pa.float64(), "area under its ROC curve on the test part", null=True),
    ),
    release="whole",
)


FOLD_PREDICTIONS = Table(
    "fold_predictions",
    "One row per question, head and seed of a detector, trained on other documents of the same question set.",
    path="fold_predictions/{asked}",
    key=("question_id", "detector", "encoder", "head", "seed"),
    columns=(
        Column("question_id", pa.string(), "the question", refers="questions.question_id"),
        Column("detector", pa.string(), "the detector's name in the configuration"),
        Column("encoder", pa.string(), "the entry of `encoders` or `models` whose features it reads"),
        Column("head", pa.string(), "`mlp`, two layers, or `logistic`, a regression"),
        Column("seed", pa.int32(), "of the head's training"),
        Column("doc_id", pa.string(), "the document"),
        Column("fold", pa.int32(), "the fold, of ten, in which its document was tested"),
        Column("score", pa.float64(), "higher = more probably out of scope; 0 is undecided"),
        Column("out_of_scope", pa.bool_(), "the decision: whether the score is above 0"),
    ),
    release="whole",
)


PREDICTIONS = Table(
    "predictions",
    "One row per question, head and seed of a detector, trained on a generator's questions as a judge labelled them.",
    path="predictions/{detector}/{encoder}/{generator}/{judge}/{asked}/{shard}",
    key=("question_id", "head", "seed"),
    columns=(
        Column("question_id", pa.string(), "the question", refers="questions.question_id"),
        Column("head", pa.string(), "`mlp`, two layers, or `logistic`, a regression"),
        Column("seed", pa.int32(), "of the head's training"),
        Column("doc_id", pa.string(), "the document"),
        Column("shard", pa.string(), "the shard that the document came with"),
        Column("intended", pa.string(), "what it was written to be: `in_scope` or `out_of_scope`"),
        Column(
            "part",
            pa.string(),
            "`train` or `validation` if the head was trained on the document or a near-duplicate of it, `test` if"
            " they were left out, `unseen` if it was not among them",
        ),
        Column("score", pa.float64(), "higher = more probably out of scope; 0 is undecided", null=True),
        Column("probability", pa.float64(), "that it is out of scope, by the validation part's temperature", null=True),
        Column("out_of_scope", pa.bool_(), "the decision: whether the score is above 0", null=True),
        Column("reason", pa.string(), "`too_long` if its model cannot read document and question", null=True),
        Column("asked", pa.string(), "the generator or question set of the questions"),
    ),
    release="whole",
)
