"""The passages that answer some queries: those that a query names, or all of a document that it names. Only these are
held, whatever the size of the corpus.
"""

from collections import defaultdict

from ragassay.base import tables
from ragassay.schemas.corpora import PASSAGES

MOST = 20  # passages of one document


def named(query: dict) -> str | None:
    """What answers a query: what it is about, which is what was judged best if it does not say so."""
    return query["passage_id"] or next(iter(query["relevant"] or []), None)


def gold_texts(passages, names: set[str]) -> dict[str, list[str]]:
    """name -> its texts: of a passage, that alone; of a document, its passages up to MOST."""
    alone, parts = {}, defaultdict(list)
    for batch in tables.batches(PASSAGES, passages, ["passage_id", "document_id", "text"]):
        for row in batch.to_pylist():
            if row["passage_id"] in names:
                alone[row["passage_id"]] = [row["text"]]
            if row["document_id"] in names and len(parts[row["document_id"]]) < MOST:
                parts[row["document_id"]].append(row["text"])
    return parts | alone
