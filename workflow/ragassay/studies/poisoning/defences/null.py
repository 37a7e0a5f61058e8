"""Clean text that thresholds come from, and which queries may give it.

No query is judged by thresholds that it gave: queries are divided into folds by a hash of their words, and each fold is
judged by what the others gave. What serves queries of tomorrow is fitted on all of them.
"""

from typing import NamedTuple

import numpy as np

from ragassay.base import chance

FOLDS = 5
RETRIEVED, LITERAL = "retrieved", "literal"  # what a threshold of similarity comes from
SAMPLE, FOUND = "sample", "found"  # and others: passages of the corpus, or those that calibration queries find
ALL = "all"  # the fold of queries that calibrate nothing
PER_ALPHA = 10  # texts of the null beyond a threshold that is more than rough


class Null(NamedTuple):
    """Rows as `ragassay.studies.poisoning.defences.defence` describes them; those of a sample have no question."""

    sample: list[dict]
    found: dict[str, list[dict]]  # calibration query -> what it finds
    literal: dict[str, np.ndarray] | None = None  # query -> similarities of the sample, if somebody asked for them

    def without(self, fold: str, folds: dict[str, str]) -> "Null":
        """What may judge the queries of a fold: nothing of the sample that they find, and none of them."""
        theirs = {row["passage_id"] for name, rows in self.found.items() if folds[name] == fold for row in rows}
        sample = [row for row in self.sample if row["passage_id"] not in theirs]
        return Null(sample, {name: rows for name, rows in self.found.items() if folds[name] != fold}, self.literal)


def fold_of(question: str) -> str:
    """The fold of a query, which does not depend on any other."""
    words = " ".join(question.lower().split())
    return str(chance.number("fold", words, width=1) % FOLDS)


def is_rough(texts: int, alpha: float) -> bool:
    """Whether a null is too small for more than a rough threshold."""
    return texts < PER_ALPHA / alpha
