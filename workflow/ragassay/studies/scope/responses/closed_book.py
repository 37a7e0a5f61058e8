"""How a responder handles questions without their documents: does it answer or decline, and does it know?

Whether an answer declines is read from its words, in English: no judge votes on answers without a document, and to ask
one would cost as many calls again. Responses with the document are never read so. Whether it knows is judged by what
its answer shares with its answer from the document, in words that are not the question's: a low bar, so beside it
stands the same measure against its answer to another question of the document, which is what shared words are worth by
themselves. A document from after the day up to which a model was trained cannot have been read by it, one from before
may have been; where either day is not known, that is said.
"""

import numpy as np

from ragassay.grading.declining import declines
from ragassay.schemas.report import Section
from ragassay.studies.scope.responses.verdict_matrix import Questions, defused
from ragassay.text.words import content, stem

SECTION = Section("responses")
BEFORE, AFTER, UNKNOWN = "before the cut-off", "after the cut-off", "not known"


def shared(answer: str, other: str, question: str) -> float | None:
    """The share of the other answer's content words, without the question's, that this answer has; nothing of none."""
    asked = _words(question)
    wanted = _words(other) - asked
    return len(wanted & _words(answer)) / len(wanted) if wanted else None


def _words(text):
    return {stem(word) for word in content(text)}


def period(published: str | None, cutoff: str | None) -> str:
    """Days are in ISO's form, so that their order is that of the texts."""
    if not published or not cutoff:
        return UNKNOWN
    return AFTER if published > cutoff else BEFORE


def closed_book_rows(questions: Questions, responder, answers, responses, codes, cutoff, times: int, seed: int):
    """The rows of the table closed_book, for one responder and the kept questions. `answers` and `responses` are
    question -> text, without the document and with it; `codes` are the verdicts on these responses.
    """
    ids = questions.ids.tolist()
    declined = np.array([declines(answers.get(one, "")) for one in ids], bool)
    asked = questions.kept & questions.are_in(answers)
    periods = np.array([period(questions.published[owner], cutoff) for owner in questions.owners], object)
    known, chance = _known(questions, ids, asked & ~questions.out & ~declined, answers, responses)
    judged = np.where(questions.out, defused(codes), np.nan)
    values = {
        "answered": ~declined,
        "defused_if_answered": np.where(declined, np.nan, judged),
        "defused_if_declined": np.where(declined, judged, np.nan),
        "known": known,
        "known_by_chance": chance,
    }
    values, titles = np.stack(list(values.values()), axis=1), list(values)
    masks = {
        (name, kind): asked & (periods == name) & of_kind
        for name in (BEFORE, AFTER, UNKNOWN)
        for kind, of_kind in (("out of scope", questions.out), ("in scope", ~questions.out))
    }
    counted = {keys: mask[:, None] & ~np.isnan(values) for keys, mask in masks.items() if mask.any()}
    for (name, kind), estimates in questions.panel(times, seed).means(values, counted).items():
        keys = {"generator": questions.generator, "responder": responder, "published": name, "questions": kind}
        for at, title in enumerate(titles):
            yield SECTION.row("closed_book", keys, title, **estimates.row(at))


def _known(questions, ids, wanted, answers, responses):
    """Of answered in-scope questions: what the answer shares with that from the document, and with another's."""
    known, chance = np.full(len(ids), np.nan), np.full(len(ids), np.nan)
    for document in np.unique(questions.owners[wanted]):
        own = np.flatnonzero((questions.owners == document) & questions.kept & ~questions.out)
        for at, place in enumerate(own):
            if not wanted[place]:
                continue
            answer, text = answers[ids[place]], questions.texts[place]
            for found, other in ((known, place), (chance, own[at - 1])):
                if (found is known or other != place) and ids[other] in responses:
                    share = shared(answer, responses[ids[other]], text)
                    found[place] = np.nan if share is None else share
    return known, chance
