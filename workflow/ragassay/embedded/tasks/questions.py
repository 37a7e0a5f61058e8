"""Write questions of 13 to 18 words, each asking for one aspect of a claim.

In-scope questions ask for a part of what the document tells, in words that are partly others than the document's. An
out-of-scope question asks for the detail that a claim invents (`details`); of a claim whose invention is not known here
it keeps what is new and asks for something else of which the nearest sentences hold nothing. Either kind is as long as
it has to be by what the document tells of whom it names, or by a longer question word; too long ones lose what stands
behind the last preposition, and what does not fit is left out.
"""

import re
from functools import lru_cache

from ragassay.embedded.english.clauses import HANGING, clause, lowered
from ragassay.embedded.english.descriptions import descriptions, first_part
from ragassay.embedded.english.entities import acts, is_person
from ragassay.embedded.english.facts import facts, inner_capitals
from ragassay.embedded.english.rewording import reworded
from ragassay.embedded.english.statements import Statement, statements
from ragassay.embedded.english.words import content, stem, tokens
from ragassay.embedded.tasks.detail_questions import (
    LONGEST,
    OF_A_YEAR,
    SHORTEST,
    off_length,
    unknown_detail,
    year_question,
)
from ragassay.embedded.tasks.evidence import Reading, coverage, evidence, read, unsupported
from ragassay.embedded.tasks.inventions import recognised
from ragassay.embedded.tasks.question_drafts import Draft, because, drafts, who_said
from ragassay.embedded.tasks.question_openings import openings
from ragassay.embedded.tasks.scope import score

STILL_NEW = 0.15  # share of the question's words that every passage lacks
WEIGHTS = {
    "who": 0.0,
    "whose": 0.0,
    "why": 0.0,
    "what": 0.5,
    "how many": 0.0,
    "when": 0.3,
    "where": 0.3,
    "subject": 1.0,
    "more": 1.2,
}
ADJUNCT = re.compile(
    r"(?P<kept>.*\S)(?:,| (?:in|on|at|by|for|from|until|since|before|after|over|about|within|with|during|to|than|as|and"
    r"|against)) "
)


def in_scope(document: str, count: int, chance) -> list[str]:
    """Up to `count` questions whose answers the document gives, as far as its words tell, no two for the same
    thing.
    """
    found, asked, reading = [], set(), read(document)
    told = list(statements(document))
    chance.shuffle(told)
    for _ in range(3):  # a second question about the same statement only when every one has had one
        for one in told:
            if len(found) == count:
                return found
            one = one._replace(taken=reworded(one.taken, chance))
            taken = one.taken
            possible = [*drafts(taken, one.reason), *who_said(taken, one.speaker)]
            possible = [draft for draft in possible if draft.hidden and draft.hidden not in asked]
            for draft in sorted(possible, key=lambda _: chance.random()):
                text = _written(draft, one, document, chance)
                if text and score(text, reading) < 0:
                    asked.add(draft.hidden)
                    found.append(text)
                    break
    return found


def _written(draft: Draft, one: Statement, document, chance) -> str | None:
    """The draft with 13 to 18 words, or None."""
    texts = openings(draft.text, draft.hidden)
    if one.speaker and draft.hidden != one.speaker:
        texts += [f"{text}, according to {lowered(one.speaker)}" for text in texts]
    if one.after and not set(tokens(draft.hidden)) & set(tokens(one.after)):
        texts += [f"{text}{one.after}" for text in texts]
    texts += [longer for text in texts for longer in _described(text, draft.hidden, document)]
    fitting = [text for text in map(fit, texts) if text]
    wanted = chance.randint(SHORTEST, LONGEST)
    return _asked(min(fitting, key=lambda text: off_length(text, wanted) + chance.random())) if fitting else None


def _described(text, hidden, document):
    """The question with what the document tells of somebody or something that it names."""
    have = {stem(word) for word in content(f"{text} {hidden}")}
    for name, tails in told_of(document):
        place = re.search(rf"(?<![\w-])(?<![A-Z\d][\w.] )(?<!the ){re.escape(name)}(?![\w'\u2019-]| [A-Z])", text)
        for tail in tails if place else ():
            if not {stem(word) for word in content(tail)} & have:
                end = "," if tail.startswith(",") and text[place.end() :] else ""
                longer = f"{text[: place.end()]}{tail}{end}{text[place.end() :]}"
                if SHORTEST <= len(longer.split()) <= LONGEST:
                    yield longer


@lru_cache(maxsize=64)
def told_of(document: str) -> tuple[tuple[str, tuple[str, ...]], ...]:
    """(name as it stands inside a sentence, descriptions) of persons and of all that the statements are about."""
    persons = (name for name in facts(document, inner_capitals(document)).names if " " in name and is_person(name))
    names = dict.fromkeys((*(one.taken.subject for one in statements(document)), *persons))
    kinds = [("person" if is_person(name) else "organisation" if acts(name) else "structure", name) for name in names]
    found = [(lowered(name), descriptions(name[:1].upper() + name[1:], kind, document)) for kind, name in kinds]
    return tuple((name, tuple(tails)) for name, tails in found if tails)


def out_of_scope(claim: str, reading: Reading, chance) -> str | None:
    """A question that, without what it asks for, still says something that no passage says; None if there is none."""
    if invented := recognised(claim):
        return unknown_detail(invented, reading, chance)
    if OF_A_YEAR.fullmatch(claim):
        text = year_question(claim, chance)
        return text if text and evidence(text, reading).numbers else None
    taken = clause(claim)
    if not taken:
        return None
    new = {word for word in content(claim) if coverage(stem(word), reading.spread) < 1}
    taken = taken if " that " in f" {taken.rest}" else taken._replace(rest=first_part(taken.rest))
    fitted = []
    for draft in drafts(taken, because(claim)):
        if _open(draft.text, reading):
            shown = new & set(tokens(draft.text))
            texts = [
                text for opening in openings(draft.text, draft.hidden) if (text := fit(opening, shown)) and _whole(text)
            ]
            cost = WEIGHTS[draft.asks] + 3 * evidence(draft.text, reading).foreign
            fitted += [(cost + 0.6 * chance.random(), text) for text in texts]
    return _asked(min(fitted)[1]) if fitted else None


def _open(question, reading):
    """Whether the document leaves it open: it says something new, or nothing near is of the kind that it asks for."""
    found = evidence(question, reading)
    return unsupported(question, reading) >= STILL_NEW or found.unanswered or found.reported >= 0.5


def _whole(question):
    """Whether what follows "that" has kept its verb."""
    _, that, told = question.partition(" that ")
    return not that or question.startswith("who was it that ") or clause(told) is not None


def fit(text: str, needed=frozenset()) -> str | None:
    """The question with 13 to 18 words, or None if it is shorter or cannot be cut without losing needed words."""
    text = text.replace(" ,", ",")
    while len(text.split()) > LONGEST:
        shorter = ADJUNCT.match(text)
        if not shorter or " that " in text or not needed & set(tokens(text)) <= set(tokens(shorter["kept"])):
            return None
        text = shorter["kept"]
        if text.split()[-1] in HANGING:
            return None
    return text if len(text.split()) >= SHORTEST else None


def _asked(text):
    return f"{text[:1].upper()}{text[1:].rstrip(',')}?"
