"""The tables of targets, of what attacks plant, and of what is retrieved and answered then."""

import pyarrow as pa

from ragassay.base.tables import STRINGS, Column, Table
from ragassay.schemas.relevance import SAID

TRIES = "of each text, how many were written until one alone gave the target; empty if that was not tried"
TARGETS = Table(
    "targets",
    "One row per question that an attacker wants answered wrongly.",
    path="targets/{dataset}",
    key=("target_id",),
    columns=(
        Column("target_id", pa.string(), "its id"),
        Column("question", pa.string(), "what users ask", text="key"),
        Column("kind", pa.string(), "what the question asks for (who, how many, ...), if that is known", null=True),
        Column("group", pa.string(), "a group that is also measured by itself, if files name some", null=True),
        Column("document", pa.string(), "the document or passage that answers it, if that is known", null=True),
        Column("answers", STRINGS, "the right answer and other ways to write it", text="key"),
        Column("target", pa.string(), "the wrong answer that the attacker wants", text="poison"),
        Column("target_aliases", STRINGS, "other ways to write that", text="poison"),
        Column("texts", STRINGS, "texts that state the wrong answer, without the question in front", text="poison"),
        Column("flags", STRINGS, "of each text, `no_target` or `right_answer` if it lacks the one or has the other"),
        Column("tries", pa.list_(pa.field("element", pa.int32())), TRIES),
        Column("origin", pa.string(), "`written` if it was read from files, `rules` or `model` if it was made here"),
        Column("made_by", pa.string(), "who wrote target and texts: what the files say, `rule`, or the model"),
    ),
)


ATTACK_TEXTS = Table(
    "attack_texts",
    "One row per text that a model wrote for an attack which plants such texts.",
    path="attack_texts/{dataset}/{attack}",
    key=("target_id", "number"),
    columns=(
        Column("target_id", pa.string(), "the target that it is for"),
        Column("number", pa.int32(), "from 1, among the texts of this target"),
        Column("text", pa.string(), "the text", text="poison"),
        Column("calls", pa.int32(), "answers of the model that it took; none for a later one of several in one answer"),
        Column("writer", pa.string(), "the model that wrote it"),
        Column("prompt", pa.string(), "digest of the prompt"),
    ),
    release="poisoned",
)


POISONED_PASSAGES = Table(
    "poisoned_passages",
    "One row per passage that an attack adds to a corpus. No table of clean passages takes any.",
    path="poisoned_passages/{dataset}/{attack}",
    key=("passage_id",),
    columns=(
        Column("passage_id", pa.string(), "its id, which begins with `poison-`"),
        Column(
            "target_id",
            pa.string(),
            "the target that it is aimed at; empty if at all",
            null=True,
            refers="targets.target_id",
        ),
        Column("number", pa.int32(), "from 1, among the texts of this target"),
        Column("text", pa.string(), "what is searched", text="poison"),
        Column("attack", pa.string(), "the attack that made it"),
        Column("poisoned", pa.bool_(), "always true"),
        Column("made_from", pa.string(), "the clean passage that it was made from, if it was", null=True),
        Column("calls", pa.int32(), "answers of a model that it took"),
        Column("forwards", pa.int32(), "forward passes of an encoder or a model that it took"),
        Column("method", pa.string(), "what made it, if the attack chooses or attackers compete", null=True),
        Column("wants", pa.string(), "the answer it states, if not the target's", null=True, text="poison"),
    ),
    release="poisoned",
)


RETRIEVED = Table(
    "retrieved",
    "One row per target and passage found for its question in a corpus under attack.",
    path="retrieved/{dataset}/{retriever}/{attack}",
    key=("target_id", "rank"),
    columns=(
        Column("target_id", pa.string(), "the target whose question was searched for"),
        Column("rank", pa.int32(), "from 1 for the best; equal scores go by passage_id"),
        Column("passage_id", pa.string(), "the passage"),
        Column("score", pa.float64(), "the higher the better, in steps of 0.00001"),
        Column("poisoned", pa.bool_(), "whether the attack made it"),
        Column("attack", pa.string(), "the attack, if so", null=True),
        Column("aimed_at", pa.string(), "the target that it is aimed at, if at one", null=True),
    ),
    release="whole",
)


ANSWERS = Table(
    "answers",
    "One row per target whose question a responder was asked in a corpus under attack, behind a defence.",
    path="answers/{dataset}/{retriever}/{attack}/{defence}/{responder}",
    key=("target_id",),
    columns=(
        Column("target_id", pa.string(), "the target", refers="targets.target_id"),
        Column("outcome", pa.string(), "`correct`, `target`, `both`, `neither`, `refusal`, or `abstained`"),
        Column("reason", pa.string(), "why there is no verdict, as the parser says; empty if there is", null=True),
        Column("passages", STRINGS, "what the responder was shown, best first"),
        Column("poisoned", pa.int32(), "how many of these were planted"),
        Column("calls", pa.int32(), "answers of the model that it took; more than one where a defence asks it, too"),
        Column("tokens", pa.int64(), "tokens of these and of their prompts, if its provider counts", null=True),
        *SAID,
    ),
)


FOUND_REWRITTEN = Table(
    "found_rewritten",
    "The table retrieved for questions that a defence has put in other words.",
    path="found_rewritten/{dataset}/{retriever}/{attack}/{defence}",
    key=RETRIEVED.key,
    columns=RETRIEVED.columns,
    release="whole",
)


PART_RETRIEVED = Table(
    "part_retrieved",
    "One row per target and clean passage that its question finds by words in a part of a corpus, scored as in the"
    " whole corpus with what an attack plants.",
    path="part_retrieved/{dataset}/{part}/{retriever}/{attack}",
    key=("query_id", "rank"),
    clean="passage_id",
    columns=(
        Column("query_id", pa.string(), "the target whose question was searched for"),
        Column("rank", pa.int32(), "from 1 for the best; equal scores go by passage_id"),
        Column("passage_id", pa.string(), "the passage"),
        Column("score", pa.float64(), "the higher the better, in steps of 0.00001"),
    ),
    release="whole",
)
