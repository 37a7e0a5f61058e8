"""Queries for people to read: synthetic ones beside the passage that each was made from, and out-of-knowledge ones
whose passages a language model found most relevant. A hash decides between equals.
"""

import hashlib
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from ragassay.studies.relevance.trials import NEAR

COUNT = 2  # of each synthetic query set


class Example(NamedTuple):
    title: str
    parts: list[tuple[str, str]]  # kind and text
    corpus: str
    passages: list[str]  # ids


class Rated(NamedTuple):
    """A vote on an out-of-knowledge query; `value` is 1 minus the relevance score."""

    value: float
    kind: str
    query_set: str
    query: dict
    feedback: str
    corpus: str
    retriever: str


def synthetic(queries: Iterable[dict], corpus: str, source: str) -> Iterator[Example]:
    """A few queries of a set; `source` says what made them."""
    for query in sorted(queries, key=lambda row: _lot(row["query_id"]))[:COUNT]:
        parts = [("Query", query["text"])]
        parts += [
            (name, "\n".join(query[key])) for name, key in (("Options", "options"), ("Answer", "answers")) if query[key]
        ]
        yield Example(f"synthetic query, {source}", parts, corpus, [query["passage_id"]])


def clearest_misses(votes: Iterable[Rated]) -> list[Rated]:
    """The votes of a model with the highest relevance scores, on a far and on a near query."""
    best = {}
    for vote in sorted(votes, key=lambda one: (one.kind == NEAR, one.value, _lot(one.query["query_id"]))):
        best.setdefault(vote.kind, vote)
    return list(best.values())


def miss(vote: Rated, rater: str, passages: list[str]) -> Example:
    """`passages` are the ids of those that the model read."""
    title = f"relevance score {1 - vote.value:.2f} by {rater} for an out-of-knowledge query ({vote.kind})"
    parts = [("Query", vote.query["text"]), ("Query set", vote.query_set), ("Feedback", vote.feedback or "(none)")]
    return Example(title, parts, vote.corpus, passages)


def rows(study: str, examples: Iterable[Example], texts: dict[tuple[str, str], str]) -> Iterator[dict]:
    """Rows of the table examples; `texts` are those of passages by corpus and id."""
    for number, example in enumerate(examples, 1):
        many = len(example.passages) > 1
        found = [(f"Passage {at}" if many else "Passage", name) for at, name in enumerate(example.passages, 1)]
        parts = [*example.parts, *((part, texts[example.corpus, name]) for part, name in found)]
        for position, (part, text) in enumerate(parts, 1):
            same = {"study": study, "example": number, "position": position, "title": example.title}
            yield {**same, "part": part, "text": text}


def _lot(name):
    return hashlib.sha256(f"example {name}".encode()).digest()
