"""Texts are screened as they come in, before anybody has asked for them.

    from ragassay import Screen

    screen = Screen.load("results/guards/demo/minilm/raguard.json", "results/scorers/demo/ngram", queries, clean)
    judgements = screen(texts, vectors)

Two things can be said of a text without a question: how surprising it is, by the thresholds of a fitted guard, and how
similar it is to the one of many questions that it is most similar to. A text that was planted for a question of a log
stands out there. Its threshold comes from the clean texts of the corpus, each by its own most similar question. Without
a log, questions that were made from the corpus take its place; they say less.
"""

from collections.abc import Sequence
from pathlib import Path
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike

from ragassay.base.card import between
from ragassay.base.stage import log
from ragassay.services.guard import Guard, matrix, wrong_texts
from ragassay.studies.poisoning.defences.defence import Criterion, DefenceError, Judgement
from ragassay.studies.poisoning.defences.thresholds import SAMPLE, CriteriaDefence, check, grid, is_rough, rank

ASKED = "asked"  # the criterion of similarity to questions


class Screen:
    """`queries` and `clean` are vectors whose products are similarities: of questions, and of texts of the corpus. If
    one is empty, only scores count. A `guard` that judges by questions alone gives no threshold.
    """

    @classmethod
    def load(
        cls,
        path: str | Path,
        scorer: str | Path | dict[str, Any] | None = None,
        queries: ArrayLike = (),
        clean: ArrayLike = (),
        alpha: float | None = None,
    ) -> Self:
        """With the guard in this file and its scorer."""
        return cls(Guard.load(path, scorer), queries, clean, alpha)

    def __init__(
        self, guard: Guard, queries: ArrayLike = (), clean: ArrayLike = (), alpha: float | None = None
    ) -> None:
        self.guard, defence = guard, guard.defence
        sources = defence.CRITERIA if isinstance(defence, CriteriaDefence) else {}
        if defence.COMPARES or SAMPLE not in sources.values():
            raise DefenceError(
                f"{guard.path}: found a guard of kind {guard.kind}, which needs a question, expected one that judges by"
                " scores, such as raguard or ppl; fit that"
            )
        self.alpha: float = defence.settings["alpha"] if alpha is None else alpha
        if wrong := between(0, 1)(self.alpha):
            raise DefenceError(f"{guard.path}: alpha: {wrong}")
        criteria = {name: part for name, part in defence.fitted["criteria"].items() if sources[name] == SAMPLE}
        self.defence = type(defence)(
            defence.settings | {"alpha": self.alpha}, {"criteria": criteria, "units": defence.fitted["units"]}
        )
        self.queries, self.limit = np.empty((0, 0), np.float32), None
        for vectors in (queries, clean):
            if not hasattr(vectors, "__len__"):
                raise DefenceError(
                    f"{guard.path}: found {vectors!r:.60}, expected vectors of questions and clean texts"
                )
        if len(queries) and len(clean):
            self.queries = matrix(guard.path, queries, "vectors of questions")
            self._fit(clean)

    def _fit(self, clean):
        values = np.sort(self.nearest(clean)[0])
        try:
            check(ASKED, values, self.alpha)
        except DefenceError as error:
            raise DefenceError(f"{self.guard.path}: {error}") from error
        if is_rough(len(values), self.alpha):
            log.info("%d clean texts give a rough threshold for alpha %g", len(values), self.alpha)
        self.limit = self.defence.limit(values)
        self.null = np.array(grid(values))

    def warm_up(self) -> Self:
        """Let the guard score one text, so that the first text does not wait for anything that is loaded late."""
        self.guard.warm_up()
        return self

    def nearest(self, vectors: ArrayLike) -> tuple[np.ndarray, np.ndarray]:
        """How similar each text is to its most similar question, and which that is."""
        rows, width = matrix(self.guard.path, vectors, "vectors of texts"), self.queries.shape[1]
        if rows.shape[1] != width:
            raise DefenceError(
                f"{self.guard.path}: found vectors of {rows.shape[1]} numbers for texts and of {width} for questions,"
                " expected those of one encoder"
            )
        similar = rows @ self.queries.T
        return similar.max(axis=1), similar.argmax(axis=1)

    def __call__(self, texts: Sequence[str], vectors: ArrayLike | None = None) -> list[Judgement]:
        """One judgement for each text; `vectors` are theirs, if there are questions."""
        if wrong := wrong_texts(texts):
            raise DefenceError(f"{self.guard.path}: {wrong}")
        return self.judge([{"scores": scores._asdict()} for scores in self.guard.surprises(texts)], vectors)

    def judge(self, rows: list[dict[str, Any]], vectors: ArrayLike | None = None) -> list[Judgement]:
        """The same for texts whose scores are stored: `rows` have these as `scores`."""
        if self.limit is not None and vectors is None:
            raise DefenceError(f"{self.guard.path}: found no vectors, which are compared with questions; give them")
        if self.limit is not None and len(rows) != len(vectors):
            counts = f"{len(rows)} texts and {len(vectors)} vectors"
            raise DefenceError(f"{self.guard.path}: found {counts}, expected one for each")
        judgements = [Judgement(False)] * len(rows)
        if self.defence.fitted["criteria"] and rows:
            judgements = self.defence.judge(rows)
        if self.limit is None or not rows:
            return judgements
        values, _ = self.nearest(vectors)
        ranks = rank(values, self.null).tolist()
        return [self._with(*triple) for triple in zip(judgements, values.tolist(), ranks, strict=True)]

    def _with(self, judgement, value, rank):
        """A judgement with the similarity to questions as a further criterion."""
        reasons = [judgement.reason, ASKED if value >= self.limit else None]
        score = rank if judgement.score is None else max(rank, judgement.score)
        criteria = (*judgement.criteria, Criterion(ASKED, value, self.limit))
        return Judgement(any(reasons), round(score, 6), ", ".join(filter(None, reasons)) or None, criteria)
