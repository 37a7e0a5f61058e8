"""Answer a question by repeating the sentence that is nearest to it, or say that the text does not answer it.

Extractive: the answer is a sentence of the document, chosen by shared words and by whether it holds
what the question word asks for (a number for "how many", a date for "when", a name for "who"). Nothing is put in
other words or worked out. It declines where the question seems out of scope; the bar is lower for a reader who was
told or shown that it may, and a basic prompt so gets more wrong answers, as from other models. What is answered from
passages is in `short_answers`.
"""

import re

from ragassay.embedded.english import facts
from ragassay.embedded.english.vocabulary import STOP
from ragassay.embedded.english.words import content
from ragassay.embedded.tasks.evidence import nearest, read
from ragassay.embedded.tasks.scope import judge

BAR_WELCOME, BAR_BASIC = 0.5, 0.995  # sureness of being out of scope from which the reader declines
FITTING = 0.15  # what it counts for that a sentence holds what is asked for
FEWEST = 0.25  # share of the question's words that a passage's sentence has to have
KINDS = (
    (r"how (?:many|much|long|old|far|large)|percentage", "numbers"),
    (r"when|what year|what date", "dates"),
    (r"who", "names"),
)


def answer(document: str, question: str, may_decline: bool, stepwise: bool, chance=None) -> str:
    found = judge(document, question, chance)
    declines = not found.closest or found.sureness > (BAR_WELCOME if may_decline else BAR_BASIC)
    subject = " ".join(content(question)[:4]) or "this"
    if declines:
        missing = f" It says nothing of {_listed(found.foreign[:3])}." if found.foreign else ""
        reply = f"The document does not answer this question.{missing}"
        reasoning = f"First I look for {subject}. What comes closest does not settle what is asked."
        return f"{reasoning} So it cannot be answered from the document. {reply}" if stepwise else reply
    best = _best([(share, sentence) for share, _, sentence in _ranked(question, document)], question, chance)
    if stepwise:
        reasoning = f"First I look for {subject}. The document says on this: {best} That answers the question."
        return f"{reasoning}\n\nAnswer: {best}"
    return f"According to the document, {_continued(best, document)}"


def nearest_sentence(passage: str, question: str) -> str:
    """The sentence of a passage that is nearest to a question, "" if none is near. One with no content word but the
    question's, such as the question itself, answers nothing.
    """
    asked = set(content(question))
    ranked = [(share, sentence) for share, _, sentence in _ranked(question, passage)[:3]]
    ranked = [
        (share, sentence) for share, sentence in ranked if share >= FEWEST and not set(content(sentence)) <= asked
    ]
    return _best(ranked, question, None) if ranked else ""


def asked_kind(question: str) -> str | None:
    """The kind of fact that a question asks for, if its question word says so."""
    return next((kind for pattern, kind in KINDS if re.search(rf"\b(?:{pattern})\b", question, re.I)), None)


def _ranked(question, text):
    reading = read(text)
    return [(share, place, " ".join(reading.sentences[place].split())) for share, place in nearest(question, reading)]


def _best(ranked, question, chance):
    """The sentence with the highest share of the question's words, those with the asked kind of fact preferred."""
    kind = asked_kind(question)
    scored = []
    for place, (share, sentence) in enumerate(ranked):
        known = set(content(question))
        fresh = kind and any(not set(content(found)) <= known for found in getattr(facts.facts(sentence), kind))
        wobble = chance.uniform(-0.05, 0.05) if chance else 0.0
        scored.append((share + FITTING * bool(fresh) + wobble, -place, sentence))
    return max(scored)[2]


def _continued(sentence, document):
    """A sentence behind an opening: with a small first letter unless it begins with a name."""
    first = sentence.split()[0]
    name = facts.names(sentence, read(document).known)[:1]
    keeps = first.lower() not in STOP and (first in read(document).known or (name and sentence.startswith(name[0])))
    return sentence if keeps or first == "I" else first[0].lower() + sentence[1:]


def _listed(words):
    shown = [f'"{word}"' for word in words]
    return " or ".join(shown) if len(shown) < 3 else f"{', '.join(shown[:-1])} or {shown[-1]}"
