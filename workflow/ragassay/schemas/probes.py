"""The tables of activations, probes and their scores."""

import pyarrow as pa

from ragassay.base.tables import STRINGS, Column, Table
from ragassay.schemas.relevance import SAID

ACTIVATIONS = Table(
    "activations",
    "One row per prompt: where its activations lie in the store of a responder's states.",
    path="activations/{dataset}/{retriever}/{attack}/{responder}",
    key=("target_id", "condition", "side"),
    columns=(
        Column("target_id", pa.string(), "the target"),
        Column("condition", pa.string(), "the condition"),
        Column("side", pa.string(), "`clean` or `attacked`"),
        Column(
            "key",
            pa.string(),
            "the hash of the prompt's tokens, under which its states are stored; empty where it is too long",
            null=True,
        ),
        Column("tokens", pa.int32(), "how many tokens these are"),
        Column("surprise", pa.float64(), "minus the log-probability of the likeliest first token", null=True),
        Column("entropy", pa.float64(), "of the first token", null=True),
        Column("likelihood", pa.float64(), "minus the answer's mean log-likelihood; empty without answer", null=True),
    ),
    release="vectors",
)


PROJECTIONS = Table(
    "projections",
    "One row per right or poisoned answer and way to draw it: its activations, as the mean over layers, in the plane.",
    path="projections/{dataset}/{retriever}/{attack}/{responder}",
    key=("target_id", "condition", "side", "method"),
    columns=(
        Column("target_id", pa.string(), "the target"),
        Column("condition", pa.string(), "the condition; each is drawn by itself"),
        Column("side", pa.string(), "`clean` or `attacked`"),
        Column("method", pa.string(), "`pca` or `t_sne`"),
        Column("label", pa.string(), "`correct` or `poisoned`"),
        Column("x", pa.float64(), "from left to right"),
        Column("y", pa.float64(), "from below"),
    ),
    release="whole",
)


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
        Column("group", pa.string(), "the target's group, if the targets have some", null=True),
        Column("passages", STRINGS, "the texts that the responder is shown, best first", text="poison"),
        Column("shown", STRINGS, "the ids of these, if none was changed", null=True),
        Column("planted", pa.int32(), "how many of them an attacker made"),
        Column("words", pa.int32(), "words of all of them"),
        Column("question_words", pa.float64(), "the share of the question's words that a passage has, on average"),
        Column("similarity", pa.float64(), "the cosine of question and passage, on average"),
    ),
    release="poisoned",
)


PROMPT_ANSWERS = Table(
    "prompt_answers",
    "One row per prompt of prompt_pairs, as a responder answered it.",
    path="prompt_answers/{dataset}/{retriever}/{attack}/{responder}",
    key=("target_id", "condition", "side"),
    columns=(
        Column("target_id", pa.string(), "the target", refers="targets.target_id"),
        Column("condition", pa.string(), "the condition"),
        Column("side", pa.string(), "`clean` or `attacked`"),
        Column("outcome", pa.string(), "as in the table answers"),
        Column("reason", pa.string(), "why there is no verdict, as the parser says; empty if there is", null=True),
        Column(
            "label", pa.string(), "`correct`, `poisoned`, `hallucinated`, `resisted` (attacked in vain), or `undecided`"
        ),
        Column("known", pa.bool_(), "whether the responder is right without passages; empty if unclear", null=True),
        *SAID,
    ),
)


PROBE_SCORES = Table(
    "probe_scores",
    "One row per prompt and probe that was fitted on other documents than its own: what the probe says of the answer.",
    path="probe_scores/{dataset}/{retriever}/{attack}/{responder}",
    key=("target_id", "condition", "side", "trained_on", "facts", "probe", "seed"),
    columns=(
        Column("target_id", pa.string(), "the target", refers="targets.target_id"),
        Column("condition", pa.string(), "the condition"),
        Column("side", pa.string(), "`clean` or `attacked`"),
        Column("trained_on", pa.string(), "the condition that the probe was fitted on"),
        Column("facts", pa.string(), "the questions it was fitted on: `all`, `known` by heart, or `unknown` ones"),
        Column("probe", pa.string(), "an entry of `revprag.probes`, or a control"),
        Column("seed", pa.int32(), "of its fitting"),
        Column("fold", pa.int32(), "the fold that the target's documents are tested in"),
        Column("cluster", pa.string(), "near-duplicates of its document"),
        Column("kind", pa.string(), "what the question asks for, if the targets say so", null=True),
        Column("group", pa.string(), "the target's group, if the targets have some", null=True),
        Column("planted", pa.int32(), "how many of the prompt's passages an attacker made"),
        Column("known", pa.bool_(), "whether the responder answers right without passages", null=True),
        Column("label", pa.string(), "as in the table prompt_answers"),
        Column("hedged", pa.bool_(), "whether the answer begins by naming its source"),
        Column("score", pa.float64(), "higher = more probably poisoned"),
        Column("flagged", pa.bool_(), "whether the score is above validation documents' threshold", null=True),
    ),
    release="whole",
)


PROBE_CLASSES = Table(
    "probe_classes",
    "One row per right, poisoned or hallucinated answer, and classifier that was fitted on other documents: which of"
    " the three it takes the answer for.",
    path="probe_classes/{dataset}/{retriever}/{attack}/{responder}",
    key=("target_id", "condition", "side", "probe"),
    columns=(
        Column("target_id", pa.string(), "the target"),
        Column("condition", pa.string(), "the condition, on which the classifier was fitted, too"),
        Column("side", pa.string(), "`clean` or `attacked`"),
        Column("probe", pa.string(), "`logistic`, on activations, or `control`, on what a ruler sees"),
        Column("cluster", pa.string(), "near-duplicates of its document"),
        Column("label", pa.string(), "as in the table prompt_answers"),
        Column("predicted", pa.string(), "`correct`, `poisoned` or `hallucinated`"),
    ),
    release="whole",
)


PROBE_TRANSFERS = Table(
    "probe_transfers",
    "One row per answer and probe that was fitted on other documents and, but for the comparison, elsewhere.",
    path="probe_transfers/{generalisation}",
    key=(
        "tested_on",
        "dataset",
        "retriever",
        "attack",
        "responder",
        "target_id",
        "condition",
        "side",
        "fitted_on",
        "probe",
    ),
    columns=(
        Column("tested_on", pa.string(), "the data set, retriever, attack, responder or kind of question"),
        Column("dataset", pa.string(), "the data set"),
        Column("retriever", pa.string(), "the retriever"),
        Column("attack", pa.string(), "the attack"),
        Column("responder", pa.string(), "the model that answers"),
        Column("target_id", pa.string(), "the target"),
        Column("condition", pa.string(), "the condition, on which the probe was fitted, too"),
        Column("side", pa.string(), "`clean` or `attacked`"),
        Column("fitted_on", pa.string(), "`others` than the one that is tested, or `all`"),
        Column("probe", pa.string(), "an entry of `revprag.probes`, or `control`"),
        Column("cluster", pa.string(), "near-duplicates of its document"),
        Column("label", pa.string(), "as in the table prompt_answers"),
        Column("score", pa.float64(), "higher = more probably poisoned"),
        Column("flagged", pa.bool_(), "whether the score is above validation documents' threshold", null=True),
    ),
    release="whole",
)


ALARMS = Table(
    "alarms",
    "One row per prompt of the condition `retrieved`, defence, probe and way to use both: whether there is an alarm.",
    path="alarms/{dataset}/{retriever}/{attack}/{responder}",
    key=("target_id", "side", "defence", "probe", "way"),
    columns=(
        Column("target_id", pa.string(), "the target"),
        Column("side", pa.string(), "`clean` or `attacked`"),
        Column("defence", pa.string(), "an entry of `revprag.defences`, which looks at the prompt's passages"),
        Column("probe", pa.string(), "as in the table probe_scores; it looks at the responder's activations"),
        Column("way", pa.string(), "`defence` or `probe` alone, both (`chain`), or one of them (`either`)"),
        Column("cluster", pa.string(), "near-duplicates of the target's document"),
        Column("label", pa.string(), "as in the table prompt_answers"),
        Column(
            "score", pa.float64(), "the share of other documents' right answers that score lower; above 1 if beyond all"
        ),
        Column("flagged", pa.bool_(), "whether the score is above the threshold that these right answers gave"),
    ),
    release="whole",
)
