"""What a responder makes of questions without their documents: does it answer or decline, and does it know?

Whether an answer declines is read from its words, in English: no judge votes on answers without a document, and to
ask one would cost as many calls again. Responses with the document are never read so. Whether it knows is judged by
what its answer shares with its answer from the document, in words that are not the question's: a low bar, so beside it
stands the same measure against its answer to another question of the document, which is what shared words are worth by
themselves. A document from after the day up to which a model was trained cannot have been read by it, one from before
may have been; where either day is not known, that is said.
"""

import re

import numpy as np

from ragassay.embedded.words import content, stem
from ragassay.metrics.clustered import mean
from ragassay.schemas.metrics import metric
from ragassay.scope.verdicts import NO, YES, Questions

BEFORE, AFTER, UNKNOWN = "before the cut-off", "after the cut-off", "not known"
DECLINES = re.compile(
    r"""\b(?:i\ (?:do\ not|don't|cannot|can't|could\ not|couldn't|am\ (?:not\ (?:able|sure|aware|certain)|unable)
      |have\ no|lack)\b|i'm\ (?:not\ (?:able|sure|aware|certain)|unable|sorry|afraid)
    |(?:no|insufficient|not\ enough|without\ (?:more|specific))\ (?:\w+\ ){0,2}(?:information|knowledge|data|context)
    |(?:not|isn't)\ (?:\w+\ ){0,2}(?:available|possible|known)\b|\bunknown\b|\bas\ of\ my\ (?:last|knowledge)
    |(?:can(?:not|'t)|unable\ to)\ (?:be\ )?(?:answer|determin|verif|provid|confirm|say))""",
    re.IGNORECASE | re.VERBOSE,
)


def declines(answer: str) -> bool:
    """Whether an answer, or its lack, says that the responder does not know."""
    return not answer.strip() or bool(DECLINES.search(answer.replace("\u2019", "'")))


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
    ids = questions.ids.to_pylist()
    declined = np.array([declines(answers.get(one, "")) for one in ids], bool)
    asked = questions.kept & np.array([one in answers for one in ids], bool)
    periods = np.array([period(questions.published[owner], cutoff) for owner in questions.owners], object)
    known, chance = _known(questions, ids, asked & ~questions.out & ~declined, answers, responses)
    for name in (BEFORE, AFTER, UNKNOWN):
        own = asked & (periods == name)
        for kind, of_kind in (("out of scope", own & questions.out), ("in scope", own & ~questions.out)):
            if not of_kind.any():
                continue
            keys = {"generator": questions.generator, "responder": responder, "published": name, "questions": kind}
            told = {"answered": (of_kind, ~declined)}
            for what, part in (("answered", ~declined), ("declined", declined)):
                judged = of_kind & questions.out & part & ((codes == YES) | (codes == NO))
                told[f"defused_if_{what}"] = (judged, codes == YES)
            told |= {
                title: (of_kind & ~np.isnan(values), np.nan_to_num(values))
                for title, values in (("known", known), ("known_by_chance", chance))
            }
            for title, (counted, values) in told.items():
                found = mean(questions.owners[counted], values[counted], len(questions.documents), times, seed)
                yield metric("responses", "closed_book", keys, title, **found)


def _known(questions, ids, wanted, answers, responses):
    """Of answered questions in scope: what the answer shares with that from the document, and with another's."""
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
