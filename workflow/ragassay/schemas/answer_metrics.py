"""The table answer_metrics."""

from ragassay.base.tables import Table
from ragassay.schemas import metrics

ANSWER_METRICS = Table(
    "answer_metrics",
    "One row per number of the relevance section that comes from answers; measure_relevance takes these into it.",
    path="answer_metrics",
    key=metrics.METRICS.key,
    columns=metrics.METRICS.columns,
)
