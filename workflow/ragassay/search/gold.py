"""What each query should find: documents with their grades, whatever passages they were cut into."""

from collections.abc import Iterable

from ragassay.base import tables
from ragassay.base.errors import AssayError
from ragassay.schemas.corpora import PASSAGES


class GoldError(AssayError):
    """Something is said to be relevant that the corpus does not have."""


def documents(passages: Iterable) -> dict[str, str]:
    """passage -> its document, from the tables of a corpus."""
    found = {}
    for path in passages:
        for batch in tables.batches(PASSAGES, path, ["passage_id", "document_id"]):
            found |= zip(*batch.to_pydict().values(), strict=True)
    return found


def relevant(asked, documents: dict[str, str]) -> list[dict[str, int]]:
    """document -> its grade, for each query of a frame: the best grade of its passages, or 1 for the one that the query
    is about. What is named has to be a passage or a document of the corpus.
    """
    known, found = set(documents.values()), []
    for query, passage, names, grades in zip(
        asked["query_id"], asked["passage_id"], asked["relevant"], asked["grades"], strict=True
    ):
        items = [passage] if names is None else list(names)
        grades, own = [1] * len(items) if grades is None else grades, {}
        for name, grade in zip(items, grades, strict=True):
            document = documents.get(name, name)
            if document not in known:
                raise GoldError(
                    f"query {query!r}: found {name!r} as relevant, expected a passage or a document of the corpus that"
                    " it is searched in; correct the query set, or search another corpus"
                )
            own[document] = max(int(grade), own.get(document, 0))
        found.append(own)
    return found


def is_known(asked):
    """Whether anything is known to be relevant, for each query of a frame."""
    return asked["passage_id"].notna() | asked["relevant"].map(lambda names: names is not None and len(names) > 0)
