"""The tables of what services answered and retrieved."""

import pyarrow as pa

from ragassay.base.tables import Column, Table

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
        Column("text", pa.string(), "the passage as it came", text="document"),
        Column("passage_id", pa.string(), "its id, if the service gave one", null=True),
        Column("source", pa.string(), "where it is from, if the service said so", null=True),
        Column("score", pa.float64(), "its score, if the service gave one", null=True),
        Column("of_document", pa.bool_(), "whether it is from the document that the question is about"),
        Column("responder", pa.string(), "the service, by its name as a responder"),
    ),
)
