"""The tables of relevance: statistics, gates, drift, and answers from passages."""

import pyarrow as pa

from ragassay.base.tables import STRINGS, TIME, Column, Table

RELEVANCE_SCORES = Table(
    "relevance_scores",
    "One row per query and statistic of its nearest passages: how far out of knowledge it seems.",
    path="relevance_scores/{corpus}/{retriever}/{query_set}",
    key=("query_id", "statistic"),
    columns=(
        Column("query_id", pa.string(), "the query"),
        Column("statistic", pa.string(), "mss, knn, avg_knn, entropy or energy"),
        Column("value", pa.float64(), "the statistic, higher = more out of knowledge"),
    ),
    release="whole",
)


DRIFT = Table(
    "drift",
    "One row per recovered claim: how far it is from earlier claims of its slot.",
    path="drift/{generator}/{shard}",
    key=("doc_id", "round", "slot"),
    columns=(
        Column("recovered_id", pa.string(), "the recovered claim", refers="recovered_claims.recovered_id"),
        Column("doc_id", pa.string(), "the document"),
        Column("round", pa.int32(), "the round, from 1"),
        Column("slot", pa.int32(), "its number in the list"),
        Column("to_original", pa.float64(), "its similarity to the original claim of its slot"),
        Column("to_previous", pa.float64(), "its similarity to the slot's claim before this round"),
        Column("to_nearest", pa.float64(), "its similarity to the nearest of the document's claims"),
        Column("encoder", pa.string(), "the encoder's name in the configuration; a similarity is a cosine"),
    ),
    release="whole",
)


QUERY_DRIFT = Table(
    "query_drift",
    "One row per window of a query log: whether its queries are those that they were.",
    path="query_drift/{corpus}/{retriever}/{query_log}",
    key=("window",),
    columns=(
        Column("window", pa.int32(), "its number, from 1"),
        Column("first", TIME, "when its first query was asked"),
        Column("last", TIME, "when its last query was asked"),
        Column("queries", pa.int32(), "how many queries it has"),
        Column("different", pa.int32(), "how many of them are different, which is what tests and evidence count"),
        Column("rejected", pa.int32(), "how many of them the gate takes for out-of-knowledge"),
        Column("ks", pa.float64(), "the Kolmogorov-Smirnov distance of their statistic from that of the reference"),
        Column("ks_critical", pa.float64(), "what the distance exceeds with a chance of about alpha without drift"),
        Column("ks_p", pa.float64(), "the two-sided p-value of the distance, of this window alone"),
        Column("evidence", pa.float64(), "evidence of drift so far; logarithm to base 10, alarm at 1 / alpha"),
        Column("alarm", pa.bool_(), "whether the evidence has ever been enough; see docs/relevance.md for its promise"),
    ),
    release="whole",
)


GATED_QUERIES = Table(
    "gated_queries",
    "One row per query of a log: what the gate of a corpus says of it.",
    path="gated_queries/{corpus}/{retriever}/{query_log}",
    key=("entry",),
    columns=(
        Column("entry", pa.int64(), "its number in the log"),
        Column("date", TIME, "when it was asked"),
        Column("query_id", pa.string(), "the query; texts with the same words have the same id"),
        Column("value", pa.float64(), "the gate's statistic, higher = more out of knowledge"),
        Column("p_value", pa.float64(), "how surprising that is among in-knowledge queries"),
        Column("rejected", pa.bool_(), "whether the gate takes it for out-of-knowledge"),
        Column("passage_id", pa.string(), "the nearest passage, if there is any", null=True),
    ),
    release="whole",
)


COVERED_QUESTIONS = Table(
    "covered_questions",
    "One row per question of a set: what the gate of a corpus says of it.",
    path="covered_questions/{corpus}/{retriever}/{generator}",
    key=("question_id",),
    columns=(
        Column("question_id", pa.string(), "the question", refers="questions.question_id"),
        *GATED_QUERIES.columns[-4:],
    ),
    release="whole",
)


QUERY_VERDICTS = Table(
    "query_verdicts",
    "One row per query of a set that a gate is compared on: what it says of it.",
    path="query_verdicts/{corpus}/{retriever}/{query_set}",
    key=("query_id",),
    columns=(Column("query_id", pa.string(), "the query", refers="queries.query_id"), *GATED_QUERIES.columns[-4:]),
    release="whole",
)


GATED_QUESTIONS = Table(
    "gated_questions",
    "One row per question: what a gate of their documents says of it, which was fitted without its own document.",
    path="gated_questions/{generator}/{judge}",
    key=("question_id",),
    columns=(
        Column("question_id", pa.string(), "the question", refers="questions.question_id"),
        Column("value", pa.float64(), "the fused statistic, higher = more out of knowledge", null=True),
        Column("p_value", pa.float64(), "how surprising that is among in-scope questions about others", null=True),
        Column("rejected", pa.bool_(), "whether the gate takes it for out-of-knowledge", null=True),
        Column("nearest_doc_id", pa.string(), "the nearest document, if there is any", null=True),
        Column("calibrated_by", pa.int32(), "how many questions calibrated it; 0 if they are too few to decide"),
    ),
    release="whole",
)


OUTLIER_SCORES = Table(
    "outlier_scores",
    "One row per query and outlier detector of the study set: how unlike those it was fitted on.",
    path="outlier_scores/{relevance_set}",
    key=("query_set", "query_id", "method", "fitted_on"),
    columns=(
        Column("query_set", pa.string(), "the set of the query"),
        Column("query_id", pa.string(), "the query"),
        Column("method", pa.string(), "the detector"),
        Column("fitted_on", pa.string(), "`in-knowledge` or `synthetic` queries, or the `corpus`"),
        Column("value", pa.float64(), "its score, higher = more out of knowledge"),
    ),
    release="whole",
)


SAID = (  # what every table of answers says of one
    Column("text", pa.string(), "the answer as it came; empty text if the model said nothing", text="ours"),
    Column("finish_reason", pa.string(), "why the model stopped, as its provider says: `stop`, `length`, ..."),
    Column("detail", pa.string(), "the provider's words if it refused the request; empty if it did not", null=True),
    Column("truncated", pa.bool_(), "whether it was cut off at the limit of tokens"),
    Column("prompt_tokens", pa.int64(), "tokens of the prompt; empty where the provider does not count", null=True),
    Column("completion_tokens", pa.int64(), "tokens of the answer, as far as they are known", null=True),
    Column("responder", pa.string(), "the model's name in the configuration"),
    Column("prompt", pa.string(), "the digest of the prompt it was asked with"),
)
DIRECT_ANSWERS = Table(
    "direct_answers",
    "One row per query with known answers that a responder was asked without any passage.",
    path="direct_answers/{responder}/{query_set}",
    key=("query_id",),
    columns=(
        Column("query_id", pa.string(), "the query", refers="queries.query_id"),
        Column("outcome", pa.string(), "`right`, `wrong`, `declined`, or `abstained` where there is no verdict"),
        Column("reason", pa.string(), "why there is no verdict, as the parser says; empty if there is", null=True),
        *SAID,
    ),
)


PASSAGE_ANSWERS = Table(
    "passage_answers",
    "One row per query with known answers that a responder was asked with the passages that were found for it.",
    path="passage_answers/{responder}/{corpus}/{retriever}/{query_set}",
    key=("query_id",),
    columns=(
        *DIRECT_ANSWERS.columns,
        Column("passages", STRINGS, "the ids of the passages that the responder was shown, best first"),
    ),
)
