"""The tables of what services answered and retrieved, of what counts in it, and of what guard servers decided."""

import pyarrow as pa

from ragassay.base.tables import STRINGS, TIME, Column, Table

SERVICE_ANSWERS = Table(
    "service_answers",
    "One row per time that a service was asked a question: what it answered, and whether its passages bear that out.",
    path="service_answers/{generator}/{responder}/{shard}",
    key=("question_id", "ask"),
    columns=(
        Column("question_id", pa.string(), "the question", refers="questions.question_id"),
        Column("ask", pa.int32(), "the number of the time that it was asked, from 1; studies judge the first answer"),
        Column("doc_id", pa.string(), "the document that the question is about"),
        Column("intended", pa.string(), "what the question was written to be: `in_scope` or `out_of_scope`"),
        Column(
            "question_type", pa.string(), "what type of question it is, such as `near_miss`; as in questions", null=True
        ),
        Column("text", pa.string(), "the answer as it came", text="ours"),
        Column("finish_reason", pa.string(), "`stop`, or why there is no answer, as parsers say"),
        Column("detail", pa.string(), "the service's words if it refused the question; empty if not", null=True),
        Column("outcome", pa.string(), "by its words: `answered`, `declined`, or `abstained` if there is no answer"),
        Column("retrieved", pa.int32(), "passages that came with it; empty if the service returns none", null=True),
        Column("document_rank", pa.int32(), "the best rank of a passage of the document, from 1", null=True),
        Column(
            "support",
            pa.float64(),
            "the share of its words beyond the question's that stand in the passages; empty if there are none",
            null=True,
        ),
        Column("supported", pa.bool_(), "whether its words, numbers and names stand there; empty as above", null=True),
        Column("citations", pa.int32(), "passages, ids and addresses that it cites"),
        Column("unknown_citations", pa.int32(), "of these, those that it was not given", null=True),
        Column("responder", pa.string(), "the service, by its name as a responder"),
    ),
)

SERVICE_PASSAGES = Table(
    "service_passages",
    "One row per passage that a service retrieved for a question.",
    path="service_passages/{generator}/{responder}/{shard}",
    key=("question_id", "ask", "rank"),
    columns=(
        Column("question_id", pa.string(), "the question", refers="questions.question_id"),
        Column("ask", pa.int32(), "the number of the time that it was asked, from 1"),
        Column("rank", pa.int32(), "the place in which the service gave it, from 1"),
        Column("text", pa.string(), "the passage as it came", text="service"),
        Column("passage_id", pa.string(), "its id, if the service gave one", null=True),
        Column("source", pa.string(), "where it is from, if the service said so", null=True),
        Column("score", pa.float64(), "its score, if the service gave one", null=True),
        Column("of_document", pa.bool_(), "whether it is from the document that the question is about"),
        Column("responder", pa.string(), "the service, by its name as a responder"),
    ),
)

SERVICE_OUTCOMES = Table(
    "service_outcomes",
    "One row per question that a service was asked, clean or under attack: whether it counts in each share, so that"
    " services and days can be paired.",
    path="service_outcomes",
    key=("asked", "responder", "question_id"),
    columns=(
        Column("asked", pa.string(), "who wrote the questions, the question set, the attack or the guard"),
        Column("responder", pa.string(), "the service, by its name as a responder"),
        Column("question_id", pa.string(), "the question, or the target"),
        Column("doc_id", pa.string(), "the document that the question is about, or the target"),
        Column(
            "answered_out_of_scope", pa.bool_(), "out of scope, and answered; empty if it does not count", null=True
        ),
        Column("refused_in_scope", pa.bool_(), "in scope, and declined; empty if it does not count", null=True),
        Column("document_retrieved", pa.bool_(), "in scope, and a passage of its document came back", null=True),
        Column("supported", pa.bool_(), "in scope, answered, and the answer stands in the passages", null=True),
        Column("answered_unsupported", pa.bool_(), "answered although no passage supports it", null=True),
        Column("unknown_citations", pa.bool_(), "the answer cites what the service was not given", null=True),
        Column("unstable", pa.bool_(), "asked more than once, once answered and once declined", null=True),
        Column("poison_got_through", pa.bool_(), "attacked, and gave the attacker's answer", null=True),
        Column("guard_costs_answers", pa.bool_(), "clean, answered, and the guard would have stopped it", null=True),
    ),
    release="whole",
)

POISONED_SERVICE_ANSWERS = Table(
    "poisoned_service_answers",
    "One row per target and attack: what a service answered with the attack's passages in its collection for tests.",
    path="poisoned_service_answers/{responder}",
    key=("attack", "target_id"),
    columns=(
        Column("attack", pa.string(), "the attack; `none` for what it answered before"),
        Column("target_id", pa.string(), "the target, of the dataset that the service's entry names"),
        Column("responder", pa.string(), "the service, by its name as a responder"),
        Column("outcome", pa.string(), "as in the table answers"),
        Column("reason", pa.string(), "why there is no verdict, as the parser says; empty if there is", null=True),
        Column("text", pa.string(), "the answer as it came", text="poison"),
        Column("passages", STRINGS, "the passages that came with it; empty if none do", null=True, text="poison"),
        Column("poisoned", pa.int32(), "how many of these were planted; empty as above", null=True),
        Column("gate_stops", pa.bool_(), "whether the project's gate would have; empty without one", null=True),
        Column("guard_stops", pa.bool_(), "whether its guard would have; empty without one or passages", null=True),
        Column("screen_stops", pa.bool_(), "whether its screen would have; empty as above", null=True),
    ),
    release="never",
)


DECISIONS = Table(
    "decisions",
    "One row per question that came to a guard server that stands in front of a service; a file for each day.",
    key=("date", "decision_id"),
    columns=(
        Column("date", TIME, "when it was asked"),
        Column("decision_id", pa.string(), "its id, drawn at random"),
        Column("text", pa.string(), "what was asked", text="everybody"),
        Column("action", pa.string(), "`answer`, `filtered`, the gate's strategy, `declined`, or `failed`"),
        Column("observed", pa.bool_(), "whether the service's own reply went out whatever the action"),
        Column("p_value", pa.float64(), "the gate's", null=True),
        Column("passages", pa.int32(), "how many passages the service returned", null=True),
        Column("removed", STRINGS, "the reason for each passage that the guard removed", text="ours"),
        Column("problem", pa.string(), "why nothing could be judged", null=True),
        Column("status", pa.int32(), "the service's status; none if it was not asked", null=True),
        Column("seconds", pa.float64(), "how long it took"),
        Column("version", pa.string(), "the fit that decided"),
    ),
    release="never",
)
