"""The table found_rewritten."""

from ragassay.base.tables import Table
from ragassay.schemas import retrieved

FOUND_REWRITTEN = Table(
    "found_rewritten",
    "The table retrieved for questions that a defence has put in other words.",
    path="found_rewritten/{dataset}/{retriever}/{attack}/{defence}",
    key=retrieved.RETRIEVED.key,
    columns=retrieved.RETRIEVED.columns,
)
