"""Ask for the detail that an invented claim adds: "Who advised the council of Dray to sell the ferry to the yard?"

The question is that of the invention; what the document tells of the subject makes it as long as it has to be and
ties it to the document. There is none where the document tells the detail, or has a word of what is asked for at all,
and none where nothing fitting is told of the subject.
"""

import re

from ragassay.embedded.english.actions import gerund
from ragassay.embedded.english.clauses import clause, inverted, lowered
from ragassay.embedded.english.descriptions import descriptions, parts_of
from ragassay.embedded.english.entities import acts, is_person
from ragassay.embedded.english.rewording import reworded_deed, reworded_fact
from ragassay.embedded.tasks.claims import named
from ragassay.embedded.tasks.evidence import Reading, evidence, nearest, unsupported
from ragassay.embedded.tasks.question_openings import openings
from ragassay.embedded.tasks.scope import score

SHORTEST, LONGEST = 13, 18  # words
SURE = 0.5  # what the evidence that the document leaves a question open has to come to
COUNTED = re.compile(r"(?:(?<=^)|(?<= ))\d[\d.,]* (?:million |billion )?(?P<unit>per cent|[a-z-]+s\b|people)")
OF_A_YEAR = re.compile(r"(?P<said>.+\d.*) in (?P<year>(?:19|20)\d\d)\.?")
NEARNESS = 14.0  # how much less a question is liked for words that the document lacks
WHEN = ("in", "back in", "at the end of", "in the course of")
UNTOLD = 0.4  # how far the document may lack what the claim is about, without what it adds
NEAREST = 2  # sentences in which, and in those beside them, the answer may stand


def unknown_detail(inventions: list, reading: Reading, chance) -> str | None:
    """A question for what the claim adds, or None; `inventions` are what the claim can be, see `recognised`."""
    document, found = " ".join(reading.sentences), []
    for invention, details in inventions:
        about = details.get("fact") or f"{details['s']} {details.get('to', '')}"
        if invention.is_told(_near(about, reading)) or unsupported(about, reading) > UNTOLD:
            continue
        if "fact" in details:
            found += [
                (-0.5 * cut - 0.3 * at, text)
                for cut, fact in enumerate(parts_of(reworded_fact(details["fact"], chance), 5))
                for shape in invention.questions
                for at, text in enumerate(openings(shape.format(**details | {"fact": fact})))
            ]
            continue
        details = details | {"to": reworded_deed(details["to"], chance)} if "to" in details else details
        subject = named(f"{details['s'][:1].upper()}{details['s'][1:]}", document)
        name = _within(subject, reading)
        if invention.later and _is_planned(subject, document):
            continue
        titled = re.search(rf"(?<=[a-z,] ){re.escape(subject)}\b", document) if subject.startswith("The ") else None
        if titled or not _appears(name, document):
            continue
        for shape in invention.questions:
            for weight, tail, values in _fillings(subject, details, document):
                closed = f"{tail}," if tail.startswith(",") and not shape.endswith("{d}") else tail
                text = shape.format(**details | {"s": name, "d": closed} | values)
                found += [(weight - 0.3 * at, longer) for at, longer in enumerate(openings(text))]
    wanted = chance.randint(SHORTEST, LONGEST)
    fitting = [
        (weight + 2 * chance.random() - off_length(text, wanted) - NEARNESS * evidence(text, reading).foreign, text)
        for weight, text in found
        if SHORTEST <= len(text.split()) <= LONGEST and _unanswered(text, reading)
    ]
    if not fitting:
        return None
    text = max(fitting)[1]
    return f"{text[:1].upper()}{text[1:]}?"


def off_length(text: str, wanted: int) -> float:
    """How much less a question is liked for its length, when one of so many words was drawn."""
    return 0.5 * abs(len(text.split()) - wanted)


def _fillings(subject, details, document):
    """(weight, description, deed) for all that the document offers for a question; about a thing that it only names
    there is none.
    """
    kind = "person" if is_person(subject) else "organisation" if acts(subject) else "structure"
    tails = descriptions(subject, kind, document)
    if "to" not in details:
        return [(_weight(tail), tail, {}) for tail in tails]
    plain = ["", *(tail for tail in tails if not tail.startswith((", who", ", which")))]
    parts = list(parts_of(details["to"], 2))
    return [
        (-1.0 * bool(tail) - 0.5 * cut, tail, {"to": to, "ing": gerund(to)})
        for tail in plain
        for cut, to in enumerate(parts)
    ]


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


def _near(about, reading: Reading):
    """The sentences nearest to what the claim is about, and those beside them."""
    best = [place for _, place in nearest(about, reading)[:NEAREST]]
    near = {place + step for place in best for step in (-1, 0, 1)}
    return " ".join(sentence for place, sentence in enumerate(reading.sentences) if place in near)


def _within(subject, reading: Reading):
    """A subject as it stands inside a sentence."""
    first, _, others = subject.partition(" ")
    common = others and others.islower() and first not in reading.known and "'" not in first
    return f"{first.lower()} {others}" if common else lowered(subject)


def _unanswered(question, reading):
    return score(question, reading) > SURE


def _weight(tail):
    return 2.0 if tail.startswith((", who", ", which", ", where", " that")) else 1.0 if tail else 0.0


def _appears(name, document):
    return re.search(rf"(?<![\w-]){re.escape(name)}(?![\w-])", document, re.IGNORECASE) is not None
