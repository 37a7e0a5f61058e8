"""Put methods that tell questions out of scope side by side on the same questions. Judges and detectors alike are
columns of numbers here; nothing is computed from texts.

A method's answer to a question is the mean over its seeds: of being right, and of its score. Intervals are 95 % by
resampled documents; a difference to another method is of the same questions and the same draws.
"""

from collections import defaultdict

import numpy as np

from ragassay.metrics.auroc import Auroc
from ragassay.metrics.resampling import interval, resamples


class Questions:
    """Questions whose kind is known, in a fixed order: rows with question_id, doc_id, intended."""

    def __init__(self, rows: list[dict], times: int, seed: int):
        self.rows = sorted(rows, key=lambda row: row["question_id"])
        self.out_of_scope = np.array([row["intended"] == "out_of_scope" for row in self.rows], bool)
        self._draws = list(resamples([row["doc_id"] for row in self.rows], times, seed)) if rows else []

    def __len__(self):
        return len(self.rows)

    def accuracy(self, right: np.ndarray) -> tuple:
        """Value, low and high of the mean of how right a method is, over those questions where it says something."""
        return self._measured(lambda weights: _mean(right, weights))

    def difference(self, right: np.ndarray, other: np.ndarray) -> tuple:
        """How much more often right than another method, where both say something."""
        return self.accuracy(right - other)

    def auroc(self, score: np.ndarray) -> tuple:
        known = ~np.isnan(score)
        area = Auroc(score[known], self.out_of_scope[known])
        return self._measured(lambda weights: area(weights[known]))

    def _measured(self, figure):
        if not len(self):
            return None, None, None
        return figure(np.ones(len(self))), *interval(figure(weights) for weights in self._draws)


class Method:
    """What a method says of questions: decisions and scores by question, of several seeds or one."""

    def __init__(self):
        self._said = defaultdict(list)

    def add(self, question_id: str, out_of_scope: bool, score: float) -> None:
        self._said[question_id].append((out_of_scope, score))

    def knows(self, rows: list[dict]) -> bool:
        """Whether it says something of any of these questions."""
        return any(row["question_id"] in self._said for row in rows)

    def right(self, questions: Questions) -> np.ndarray:
        """The share of seeds that are right on each question; not a number where it says nothing."""
        truth = dict(zip((row["question_id"] for row in questions.rows), questions.out_of_scope, strict=True))
        return self._means(questions, lambda name, said: float(said[0] == truth[name]))

    def score(self, questions: Questions) -> np.ndarray:
        return self._means(questions, lambda _, said: said[1])

    def _means(self, questions, number):
        found = []
        for row in questions.rows:
            said = self._said.get(row["question_id"])
            found.append(np.mean([number(row["question_id"], one) for one in said]) if said else np.nan)
        return np.array(found, float)


def _mean(values, weights):
    weights = np.where(np.isnan(values), 0, weights)
    return float(np.average(np.nan_to_num(values), weights=weights)) if weights.sum() else None
