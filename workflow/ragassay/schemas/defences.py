"""The tables of defences: scores, filtered passages, sweeps."""

import pyarrow as pa

from ragassay.base.tables import NUMBERS, STRINGS, Column, Table
from ragassay.schemas import report

PASSAGE_SCORES = Table(
    "passage_scores",
    "One row per passage that an attack plants, or, under the attack `none`, per passage of the corpus: how surprising"
    " it is to a scorer. Means of -log p of its tokens, in nats.",
    path="passage_scores/{dataset}/{scorer}/{attack}",
    key=("passage_id",),
    columns=(
        Column("passage_id", pa.string(), "the passage"),
        Column("half", pa.int32(), "the half of the documents that it belongs to; a trained scorer has read the other"),
        Column("tokens", pa.int32(), "tokens that were scored"),
        Column("is_cut", pa.bool_(), "whether it is longer than what the scorer reads"),
        Column("is_short", pa.bool_(), "whether it is too short to be split; its chunks then count as the whole"),
        Column("whole", pa.float64(), "of all tokens; empty without any", null=True),
        Column("pre", pa.float64(), "of the first chunk", null=True),
        Column("post", pa.float64(), "of the second chunk alone", null=True),
        Column("post_given_pre", pa.float64(), "of the second chunk behind the first", null=True),
        Column("window", pa.float64(), "of the window of neighbouring tokens where it is highest", null=True),
        Column("scored_by", pa.string(), "the scorer: a digest of its files and all else that changes scores, as JSON"),
    ),
    release="whole",
)


FILTERED = Table(
    "filtered",
    "One row per defence, target and passage that the defence looked at.",
    path="filtered/{dataset}/{retriever}/{attack}",
    key=("defence", "target_id", "rank"),
    columns=(
        Column("defence", pa.string(), "the defence"),
        Column("target_id", pa.string(), "the target whose question was searched for"),
        Column("rank", pa.int32(), "the passage's rank in retrieval"),
        Column("passage_id", pa.string(), "the passage"),
        Column("score", pa.float64(), "the defence's score, higher = more suspicious; empty if it has none", null=True),
        Column("removed", pa.bool_(), "whether the defence removes it"),
        Column("reason", pa.string(), "why, if so", null=True),
        Column("criteria", STRINGS, "what it compared with thresholds, if anything"),
        Column("criterion_scores", NUMBERS, "the score of each, higher = more suspicious"),
        Column("thresholds", NUMBERS, "the threshold of each, at which it removes"),
        Column("shown", pa.int32(), "its place among those that are answered from, if it is one", null=True),
    ),
    release="whole",
)


FEWER_PLANTED = Table(
    "fewer_planted",
    "One row per defence, number of texts, target and passage: what the defence would do if so many texts were planted"
    " for a question, as far as the attack plants more.",
    path="fewer_planted/{dataset}/{retriever}/{attack}",
    key=("defence", "planted", "target_id", "rank"),
    columns=(
        *FILTERED.columns[:1],
        Column("planted", pa.int32(), "the most texts for a question"),
        *FILTERED.columns[1:4],
        Column("poisoned", pa.bool_(), "whether an attack planted it"),
        Column("aimed_at", pa.string(), "the target that it was planted for; empty if for all, or if clean", null=True),
        *(column for column in FILTERED.columns if column.name in ("score", "removed", "shown")),
    ),
    release="whole",
)


FILTER_TIMES = Table(
    "filter_times",
    "One row per defence: how long it looked at what questions found. Another run or machine gives other numbers.",
    path="filter_times/{dataset}/{retriever}/{attack}",
    key=("defence",),
    columns=(
        *FILTERED.columns[:1],
        Column("seconds", NUMBERS, "processor seconds for each question, with scores and vectors that are stored"),
        Column("machine", pa.string(), "the machine: its processor, and how many it has"),
    ),
    release="whole",
)


SWEPT = (
    Column("sweep", pa.string(), "the table or figure of the report that the setting belongs to"),
    Column("at", pa.string(), "the setting, as the table of sweeps names it"),
    Column("kind", pa.string(), "the kind of defence"),
    Column("attack", pa.string(), "the attack"),
    Column("target_id", pa.string(), "the target"),
)
SWEEP_SHOWN = Table(
    "sweep_shown",
    "One row per target and setting of RAGuard, or of another defence: what is answered from behind it.",
    path="sweep_shown/{dataset}/{retriever}",
    key=("sweep", "at", "kind", "attack", "target_id"),
    columns=(
        *SWEPT,
        Column("passages", STRINGS, "the first k that it leaves, best first"),
    ),
    release="whole",
)


SWEEP_ANSWERS = Table(
    "sweep_answers",
    "One row per target and setting of these: what became of its question. Equal passages are asked about once.",
    path="sweep_answers/{dataset}/{retriever}/{responder}",
    key=SWEEP_SHOWN.key,
    columns=(
        *SWEPT,
        Column("outcome", pa.string(), "as in the table answers"),
        Column("poisoned", pa.int32(), "how many of the passages were planted"),
    ),
    release="whole",
)


RAGUARD_SWEEPS = Table(
    "raguard_sweeps",
    "One row per number of RAGuard under other settings; measure_raguard takes these into the report's section.",
    path="raguard_sweeps/{dataset}/{retriever}",
    key=report.METRICS.key,
    columns=report.METRICS.columns,
    release="whole",
)


BASELINE_SCORES = Table(
    "baseline_scores",
    "One row per prompt of prompt_pairs and other method: how suspicious the method finds the answer.",
    path="baseline_scores/{dataset}/{retriever}/{attack}/{responder}/{baseline}",
    key=("target_id", "condition", "side"),
    columns=(
        Column("target_id", pa.string(), "the target"),
        Column("condition", pa.string(), "the condition"),
        Column("side", pa.string(), "`clean` or `attacked`"),
        Column("score", pa.float64(), "higher = more suspicious; empty if the method gives none", null=True),
        Column("reason", pa.string(), "why there is none", null=True),
    ),
    release="whole",
)
