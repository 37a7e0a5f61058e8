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
    defused,
    period,
)
from ragassay.text.words import content, stem


class Comparisons:
    """The rows of the table comparisons about one generator's questions, for each judge among the cells."""

    def __init__(self, generator: str, cells: list[JudgedCell], flips: int, times: int, seed: int):
        self.generator, self.flips, self.draws = generator, flips, (times, seed)
        by_judge = {judge: _pairs([cell for cell in cells if cell.judge == judge]) for judge, _, _ in cells}
        self.pairs = {judge: pairs for judge, pairs in by_judge.items() if pairs}
        self.totals, self.flipped = Totals(), dict.fromkeys(self.pairs, 0)  # judge -> 1 + flips x pairs

    def add(self, questions: Questions, verdicts: dict) -> None:
        """`verdicts` are cell -> codes."""
        wanted = questions.out & questions.kept
        panel, undrawn = (questions.panel(times, self.draws[1]).part(wanted) for times in (self.draws[0], 0))
        for judge, pairs in self.pairs.items():
            codes = [matrix(questions, verdicts, [pair[at] for _, _, pair in pairs])[wanted] for at in (0, 1)]
            asked = (codes[0] != UNASKED) & (codes[1] != UNASKED)
            first, second = map(defused, codes)
            self.totals.add(panel.summed(first - second, {(judge, "difference"): asked}))
            self.totals.add(undrawn.summed(first, {(judge, "first"): asked}))
            self.totals.add(undrawn.summed(second, {(judge, "second"): asked}))
            self.flipped[judge] += panel.flipped(first - second, self.flips)

    def rows(self) -> Iterator[dict]:
        estimates = self.totals.estimates()
        for judge, pairs in self.pairs.items():
            differences = estimates[judge, "difference"]._replace(shares=np.full(len(pairs), False))
            p = p_of_flips(self.flipped[judge])
            (least_first, most_first), (least_second, most_second) = (
                estimates[judge, name].bounds() for name in ("first", "second")
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

    def add(self, questions: Questions, answers: dict, responses: dict, codes: np.ndarray) -> None:
        """`answers` and `responses` are question -> text, without the document and with it; `codes` are the verdicts on
        these responses.
        """
        ids = questions.ids.tolist()
        declined = np.array([declines(answers.get(question, "")) for question in ids], bool)
        asked = questions.kept & questions.are_in(answers)
        periods = np.array([period(questions.published[owner], self.cutoff) for owner in questions.owners], object)
        knows, chance = _known(questions, ids, asked & ~questions.out & ~declined, answers, responses)
        judged = np.where(questions.out, defused(codes), np.nan)
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
        self.totals.add(questions.panel(*self.draws).summed(values, counted))

    def rows(self) -> Iterator[dict]:
        for (name, kind), estimates in self.totals.estimates().items():
            for at, title in enumerate(self.titles):
                keys = {**self.keys, "published": name, "questions": kind}
                yield SECTION.row("closed_book", keys, title, **estimates.row(at))


def _known(questions, ids, wanted, answers, responses):
    """Of answered in-scope questions: what the answer shares with that from the document, and with another's."""
    knows, chance = np.full(len(ids), np.nan), np.full(len(ids), np.nan)
    for document in np.unique(questions.owners[wanted]):
        of_document = np.flatnonzero((questions.owners == document) & questions.kept & ~questions.out)
        for at, place in enumerate(of_document):
            if not wanted[place]:
                continue
            answer, text = answers[ids[place]], questions.texts[place]
            for target, other in ((knows, place), (chance, of_document[at - 1])):
                if (target is knows or other != place) and ids[other] in responses:
                    share = shared(answer, responses[ids[other]], text)
                    target[place] = np.nan if share is None else share
    return knows, chance


def shared(answer: str, other: str, question: str) -> float | None:
    """The share of the other answer's content words, without the question's, that this answer has; nothing of none."""
    asked = _words(question)
    wanted = _words(other) - asked
    return len(wanted & _words(answer)) / len(wanted) if wanted else None


def _words(text):
    return {stem(word) for word in content(text)}
