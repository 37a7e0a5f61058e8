"""Put methods that tell questions out of scope side by side on the same questions. Judges and detectors alike are
columns of numbers here; nothing is computed from texts.

A method's answer to a question is the mean over its seeds: of being right, and of its score. Intervals are 95 % by
resampled documents; a difference to another method is of the same questions and the same draws.
"""

from collections import defaultdict

import numpy as np

from ragassay.metrics.panel import Panel


class Questions:
    """Questions whose kind is known, in a fixed order: rows with question_id, doc_id, intended."""

    def __init__(self, rows: list[dict], times: int, seed: int):
        self.rows = sorted(rows, key=lambda row: row["question_id"])
        self.out_of_scope = np.array([row["intended"] == "out_of_scope" for row in self.rows], bool)
        self._panel = Panel([row["doc_id"] for row in self.rows], times, seed)

    def __len__(self):
        return len(self.rows)

    def accuracy(self, right: np.ndarray) -> tuple:
        """Value, low and high of the mean of how right a method is, over those questions where it says something."""
        return _numbers(self._panel.mean(right))

    def difference(self, right: np.ndarray, other: np.ndarray) -> tuple:
        """How much more often right than another method, where both say something."""
        return self.accuracy(right - other)

    def auroc(self, score: np.ndarray) -> tuple:
        return _numbers(self._panel.auroc(score, self.out_of_scope))


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


def _numbers(estimates):
    row = estimates.row()
    return row["value"], row["low"], row["high"]
