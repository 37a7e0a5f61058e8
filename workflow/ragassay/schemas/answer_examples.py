"""The table answer_examples."""

from ragassay.base.tables import Table
from ragassay.schemas import examples

ANSWER_EXAMPLES = Table(
    "answer_examples",
    "One row per part of an example of answers before a gate; choose_examples takes these into the relevance section.",
    path="answer_examples",
    key=examples.EXAMPLES.key,
    columns=examples.EXAMPLES.columns,
)
