"""What became of the queries of a study set when a responder was asked: with the passages that were found in a corpus,
and without any; and equation 1 of the paper, the difference that the passages make.

The paper's r is the best that any passages and any model could do, of a single query and in expectation. Here it is
one responder, the passages that one retriever found and one answer each, so that r of a query is 1, 0 or -1, and its
mean over queries says something.
"""

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from ragassay.base import tables
from ragassay.grading.grading import ABSTAINED, RIGHT
from ragassay.metrics.panel import Panel
from ragassay.schemas.relevance import DIRECT_ANSWERS, PASSAGE_ANSWERS
from ragassay.studies.relevance.paper_tables import SECTION
from ragassay.studies.relevance.study_set import StudySet, by_keys
from ragassay.studies.relevance.trials import HELD_OUT, TRUE, Asked

NOT_ASKED = ""
OUT_OF_KNOWLEDGE = "out-of-knowledge"


class Group(NamedTuple):
    """Queries of a study set, where they were searched, and what the study takes them for."""

    name: str
    asked: Asked
    query_set: str
    corpus: str
    tag: str


class Outcomes:
    """What one responder said, by its files; read when they are asked for, each once."""

    def __init__(self, responder: str, passage_answers, direct_answers):
        found = by_keys(PASSAGE_ANSWERS, passage_answers), by_keys(DIRECT_ANSWERS, direct_answers)
        self.responder = responder
        self._files = {keys[1:]: path for own in found for keys, path in own.items() if keys[0] == responder}
        self._rows = {}

    def rows(self, *keys: str) -> dict[str, dict]:
        """query -> its row, with passages if the keys are corpus, retriever and query set, without if they are a query
        set alone; nothing of what was not asked.
        """
        if keys not in self._rows:
            table = PASSAGE_ANSWERS if len(keys) > 1 else DIRECT_ANSWERS
            columns = ["query_id", "outcome", "text", *(["passages"] if len(keys) > 1 else [])]
            own = tables.read(table, self._files[keys], columns).to_pylist() if keys in self._files else []
            self._rows[keys] = {row["query_id"]: row for row in own}
        return self._rows[keys]

    def of(self, ids, *keys: str) -> np.ndarray:
        """The outcome of each of these queries; NOT_ASKED if there is none."""
        rows = self.rows(*keys)
        return np.array([rows[one]["outcome"] if one in rows else NOT_ASKED for one in ids], object)


def groups(study_set: StudySet) -> Iterator[Group]:
    """All that can be asked, in-knowledge queries first."""
    corpus, known = study_set.entry["corpus"], study_set.entry["in_knowledge"]
    yield Group(TRUE, study_set.known, known, corpus, TRUE)
    if len(study_set.held_out.ids):
        yield Group(HELD_OUT, study_set.held_out, known, f"{corpus}.held_out", OUT_OF_KNOWLEDGE)
    for _, asked in study_set.unknown:
        yield Group(asked.name, asked, asked.name, corpus, OUT_OF_KNOWLEDGE)


def flags(outcomes: np.ndarray, name: str) -> np.ndarray:
    """1 where the outcome is this one, 0 where it is another, NaN where there is none."""
    return np.where(np.isin(outcomes, [ABSTAINED, NOT_ASKED]), np.nan, outcomes == name)


def equation_1(study_set: StudySet, found: Outcomes, resamples: int, seed: int) -> Iterator[dict]:
    """The share that is right with passages and without, and the difference, for each group that was asked."""
    retriever = study_set.options.retriever
    for at, group in enumerate(groups(study_set)):
        shown = found.of(group.asked.ids, group.corpus, retriever, group.query_set)
        asked = shown != NOT_ASKED
        if not asked.any():
            continue
        right = flags(shown, RIGHT), flags(found.of(group.asked.ids, group.query_set), RIGHT)
        gain = right[0] - right[1]
        unknown = np.isnan(gain)
        columns = {"right_with": right[0], "right_without": right[1], "relevance": gain}
        columns |= {name: np.where(unknown, np.nan, sign) for name, sign in (("gained", gain > 0), ("lost", gain < 0))}
        estimates = Panel(group.asked.keys, resamples, seed).mean(np.stack(list(columns.values()), axis=1), asked)
        estimates.shares[list(columns).index("relevance")] = False  # a difference, even if it never is below 0
        keys = {"at": at, "corpus": study_set.name, "responder": found.responder, "retriever": retriever}
        for place, name in enumerate(columns):
            own = keys | {"queries": group.name, "tag": group.tag}
            yield SECTION.row("equation_1", own, name, **estimates.row(place))


def accuracies(study_set: StudySet, found: Outcomes, resamples: int, seed: int) -> Iterator[dict]:
    """The share of in-knowledge queries that are answered right with what each retriever finds, for figure 3."""
    known, entry = study_set.known, study_set.entry
    for retriever in study_set.options.retrievers:
        shown = found.of(known.ids, entry["corpus"], retriever, entry["in_knowledge"])
        if (shown != NOT_ASKED).any():
            accuracy = Panel(known.keys, resamples, seed).mean(flags(shown, RIGHT), shown != NOT_ASKED).row()
            keys = {"corpus": study_set.name, "responder": found.responder, "retriever": retriever}
            yield SECTION.row("accuracy", keys, "accuracy", **accuracy)
