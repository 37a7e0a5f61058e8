"""Whether one responder or prompt is better than another (on questions with both verdicts, signs flipped by document,
Holm's correction, abstentions set against the difference and for it), and how a responder does without the document:
whether it declines is read from its words, whether it knows from what it shares with its answer from the document,
beside that to another question. Both get the questions part by part and keep sums."""

from collections.abc import Iterator
from itertools import combinations

import numpy as np

from ragassay.grading.declines import declines
from ragassay.metrics.paired import holm, p_of_flips
from ragassay.metrics.sums import Totals, exact, number
from ragassay.studies.scope.response_tables import SECTION, matrix
from ragassay.studies.scope.verdict_matrix import (
    AFTER,
    BEFORE,
    UNASKED,
    UNKNOWN,
    JudgedCell,
    Questions,
    numeric,
    period,
)
from ragassay.text.words import stems


class Comparisons:
    """The rows of the table comparisons about one generator's questions, for each judge among the cells."""

    def __init__(self, generator: str, cells: list[JudgedCell], flips: int, times: int, seed: int):
        self.generator, self.flips, self.draws = generator, flips, (times, seed)
        by_judge = {judge: _pairs([cell for cell in cells if cell.judge == judge]) for judge, _, _ in cells}
        self.pairs = {judge: pairs for judge, pairs in by_judge.items() if pairs}
        self.totals, self.flipped = Totals(), dict.fromkeys(self.pairs, 0)  # judge -> 1 + flips x pairs
        self.alone = Totals()  # of either cell of a pair, without draws

    def add(self, questions: Questions, verdicts: dict) -> None:
        """`verdicts` are cell -> codes."""
        wanted = questions.out & questions.kept
        panel = questions.panel(*self.draws).part(wanted)
        for judge, pairs in self.pairs.items():
            codes = [matrix(questions, verdicts, [pair[at] for _, _, pair in pairs])[wanted] for at in (0, 1)]
            asked = (codes[0] != UNASKED) & (codes[1] != UNASKED)
            first, second = map(numeric, codes)
            self.totals.add_means(panel, first - second, {judge: asked})
            for name, values in (("first", first), ("second", second)):
                self.alone.add_means(panel.undrawn(), values, {(judge, name): asked})
            self.flipped[judge] += panel.flipped(first - second, self.flips)

    def rows(self) -> Iterator[dict]:
        estimates, alone = self.totals.estimates(), self.alone.estimates()
        for judge, pairs in self.pairs.items():
            differences = estimates[judge]._replace(shares=np.full(len(pairs), False))
            p = p_of_flips(self.flipped[judge])
            (least_first, most_first), (least_second, most_second) = (
                alone[judge, name].bounds() for name in ("first", "second")
            )
            lowest, highest, adjusted = least_first - most_second, most_first - least_second, holm(p)
            for at, (compared, within, (first, second)) in enumerate(pairs):
                difference = differences.row(at)
                keys = {"generator": self.generator, "judge": judge, "compared": compared, "within": within}
                keys |= {"first": getattr(first, compared), "second": getattr(second, compared)}
                numbers = {"p": float(p[at]), "p_holm": float(adjusted[at])}
                numbers |= {"at_least": number(lowest[at]), "at_most": number(highest[at])}
                numbers["unsettled"] = float(not (lowest[at] > 0 or highest[at] < 0))
                yield SECTION.row("comparisons", keys, "difference", **difference)
                counts = {name: difference[name] for name in ("n", "abstained")}
                for name, value in numbers.items():
                    yield SECTION.row("comparisons", keys, name, value, **counts)


def _pairs(cells):
    """(what is compared, within which, the two cells)"""
    return [
        (compared, getattr(pair[0], within), pair)
        for compared, within in (("responder", "prompt"), ("prompt", "responder"))
        for pair in combinations(cells, 2)
        if getattr(pair[0], within) == getattr(pair[1], within)
    ]


class ClosedBook:
    """The rows of the table closed_book about one generator's questions, for one responder and the kept questions."""

    def __init__(self, generator: str, responder: str, cutoff: str | None, times: int, seed: int):
        self.keys, self.cutoff, self.draws = {"generator": generator, "responder": responder}, cutoff, (times, seed)
        self.totals, self.titles = Totals(), []

    def add(self, questions: Questions, answers: list, responses: list, codes: np.ndarray) -> None:
        """Texts of questions, None without one: `answers` without the document, `responses` with it; `codes` are the
        verdicts on these.
        """
        asked = questions.kept & np.array([text is not None for text in answers], bool)
        declined = np.array([not use or declines(text) for use, text in zip(asked, answers, strict=True)], bool)
        periods = np.array([period(day, self.cutoff) for day in questions.published], object)[questions.owners]
        knows, chance = _known(questions, asked & ~questions.out & ~declined, answers, responses)
        judged = np.where(questions.out, numeric(codes), np.nan)
        values = {
            "answered": ~declined,
            "defused_if_answered": np.where(declined, np.nan, judged),
            "defused_if_declined": np.where(declined, judged, np.nan),
            "known": exact(knows),
            "known_by_chance": exact(chance),
        }
        values, self.titles = np.stack(list(values.values()), axis=1), list(values)
        masks = {
            (name, kind): asked & (periods == name) & of_kind
            for name in (BEFORE, AFTER, UNKNOWN)
            for kind, of_kind in (("out of scope", questions.out), ("in scope", ~questions.out))
        }
        counted = {keys: mask[:, None] & ~np.isnan(values) for keys, mask in masks.items() if mask.any()}
        self.totals.add_means(questions.panel(*self.draws), values, counted)

    def rows(self) -> Iterator[dict]:
        for (name, kind), estimates in self.totals.estimates().items():
            keys = {**self.keys, "published": name, "questions": kind}
            yield from SECTION.estimates("closed_book", keys, self.titles, estimates)


def _known(questions, wanted, answers, responses):
    """Of answered in-scope questions: what the answer shares with that from the document, and with another's, that to
    the in-scope question before it, or to the last one beside the first.
    """
    knows, chance = np.full(len(wanted), np.nan), np.full(len(wanted), np.nan)
    places = np.flatnonzero(questions.kept & ~questions.out)
    places = places[np.argsort(questions.owners[places], kind="stable")]
    words = [None if text is None else stems(text) for text in (responses[place] for place in places)]
    texts, first = questions.texts.to_pylist(), 0
    for end in np.flatnonzero(np.diff(questions.owners[places], append=-1)) + 1:  # of the questions of a document
        for at in range(first, end):
            if wanted[place := places[at]]:
                answer, asked = stems(answers[place]), stems(texts[place])
                before = at - 1 if at > first else end - 1
                knows[place] = shared(answer, words[at], asked)
                chance[place] = shared(answer, words[before], asked) if before != at else np.nan
        first = end
    return knows, chance


def shared(answer: frozenset, other: frozenset | None, asked: frozenset) -> float:
    """The share of the other answer's stems, without the question's, that this answer has; NaN of none."""
    wanted = (other or frozenset()) - asked
    return len(wanted & answer) / len(wanted) if wanted else np.nan
