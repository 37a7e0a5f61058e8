"""Ask for the detail that an invented claim adds: "Who designed the ferry that the yard in Dray delivered in May?"

The question is that of the invention; what the document tells of the subject makes it as long as it has to be and
ties it to the document. There is none where the document tells the detail, or has a word of what is asked for at all,
and none where nothing fitting is told of the subject.
"""

import re

from ragassay.embedded.circumstances import is_person
from ragassay.embedded.claims import named
from ragassay.embedded.clauses import clause, inverted, lowered
from ragassay.embedded.descriptions import deeds, descriptions
from ragassay.embedded.inventions import gerund
from ragassay.embedded.support import Reading, asked, evidence

SHORTEST, LONGEST = 13, 18  # words
ENOUGH = 0.7  # weighted share of what is asked for that the document lacks
COUNTED = re.compile(r"(?:(?<=^)|(?<= ))\d[\d.,]* (?:million |billion )?(?P<unit>per cent|[a-z-]+s\b|people)")
OF_A_YEAR = re.compile(r"(?P<said>.+\d.*) in (?P<year>(?:19|20)\d\d)\.?")
NEARNESS = 6.0  # how much less a question is liked for words that the document lacks
WHEN = ("in", "back in", "at the end of", "in the course of", "over the whole year of")
FOREIGN = 0.5  # the same of the whole question, where it takes nothing as given


def unknown_detail(inventions: list, reading: Reading, chance) -> str | None:
    """A question for what the claim adds, or None; `inventions` are what the claim can be, see `recognised`."""
    document, found = " ".join(reading.sentences), []
    for subject, invention, kind, details in inventions:
        subject = named(subject, document)
        name = subject if kind in ("person", "place") else lowered(subject)
        if (kind == "person") is not is_person(subject) or (invention.later and _is_planned(subject, document)):
            continue
        titled = re.search(rf"(?<=[a-z,] ){re.escape(subject)}\b", document) if subject.startswith("The ") else None
        if titled or not _appears(name, document) or not invention.fits(subject, document, _near(subject, reading)):
            continue
        told = descriptions(subject, kind, document)
        for shape in invention.questions:
            for weight, tail, values in _fillings(shape, subject, told, document):
                closed = f"{tail}," if tail.startswith(",") and not shape.endswith("{d}") else tail
                found.append((weight, shape.format(**details | {"s": name, "d": closed} | values)))
    fitting = [
        (weight + chance.random() - NEARNESS * evidence(text, reading).foreign, text)
        for weight, text in found
        if SHORTEST <= len(text.split()) <= LONGEST and _unanswered(text, reading)
    ]
    if not fitting:
        return None
    text = max(fitting)[1]
    return f"{text[:1].upper()}{text[1:]}?"


def _fillings(shape, subject, told, document):
    """(weight, description, deed) for all that the document offers for a question."""
    if "{once}" in shape:
        return [(4.0, tail, {"once": done}) for done in deeds(subject, document, once=True) for tail in ["", *told[:3]]]
    if "{to}" in shape or "{ing}" in shape:
        done = deeds(subject, document)
        tails = ["", *(tail for tail in told if not tail.startswith((", who", ", which")))]
        return [(4.0, tail, {"to": one, "ing": gerund(one)}) for one in done for tail in tails]
    return [(_weight(tail), tail, {}) for tail in ["", *told]]


def _is_planned(subject, document):
    """Whether the document speaks of something that is still to be built or opened."""
    head = re.escape(subject.split()[-1])
    coming = r"(?:will (?:be|open|cross|stand)|(?:is|are|due) to (?:be|open))"
    building = rf"(?:work (?:began|begins) on|piling rigs for|the building of) [^.]{{0,30}}\b{head}\b"
    return re.search(rf"\b{head}\b[^.]{{0,40}}\b{coming}|{building}", document, re.IGNORECASE)


def year_question(claim: str, chance) -> str | None:
    """ "How many people did the yard employ in 2009?" for "The yard employed 77 people in 2009.", or None."""
    found = OF_A_YEAR.fullmatch(claim)
    taken = clause(found["said"]) if found else None
    counted = COUNTED.search(taken.rest) if taken and not taken.auxiliary else None
    if (
        not counted
        or not re.match(r"(?:The|Its) |[A-Z][\w\u2019'-]+ [A-Z&]", taken.subject)
        or " between " in f" {taken.rest}"
    ):
        return None
    before, after = taken.rest[: counted.start()], taken.rest[counted.end() :]
    what = "what percentage" if counted["unit"].startswith("per cent") else f"how many {counted['unit']}"
    if counted["unit"].startswith("per cent"):
        part = re.match(r" of (?:the )?[\w\u2019' -]+", after)
        what, after = (f"what percentage{part[0]}", after[part.end() :]) if part else (what, after)
    rest = " ".join(f"{before} {after}".replace(" a year", "").replace(" each year", "").split())
    whole = f"{what} {inverted(taken, rest)}"
    texts = [f"{whole} {when} {found['year']}" for when in WHEN]
    fitting = [text for text in texts if SHORTEST <= len(text.split()) <= LONGEST]
    return f"{_capital(chance.choice(fitting))}?" if fitting else None


def _capital(text):
    return text[:1].upper() + text[1:]


def _near(subject, reading: Reading):
    """The sentences that name the subject, and those beside them."""
    head = re.split(r" (?:of|on|in|from|at|for|to|near) ", subject)[0].split()[-1].lower()
    has = [i for i, sentence in enumerate(reading.sentences) if re.search(rf"\b{re.escape(head)}", sentence.lower())]
    near = {i + step for i in has for step in (-1, 0, 1)}
    return " ".join(sentence for i, sentence in enumerate(reading.sentences) if i in near)


def _unanswered(question, reading):
    return asked(question, reading) >= ENOUGH or evidence(question, reading).foreign >= FOREIGN


def _weight(tail):
    return 2.0 if tail.startswith((", who", ", which", ", where", " that")) else 1.0 if tail else 0.0


def _appears(name, document):
    return re.search(rf"(?<![\w-]){re.escape(name)}(?![\w-])", document, re.IGNORECASE) is not None
