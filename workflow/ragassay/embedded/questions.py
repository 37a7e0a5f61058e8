"""Write questions: templates over the parts of a claim, each asking for one aspect, 13 to 18 words long.

From a claim "S built 12 boats in 2019" come "Who built 12 boats in 2019", "How many boats did S build in 2019", "When
did S build 12 boats", "Why did S build 12 boats in 2019". In-scope questions ask for something that the claim tells.
A question about a claim that the document does not support keeps what is new in it and asks for something else; so it
cannot be answered. Too long ones lose what stands behind the last comma or preposition, too short ones say where
they come from. The grammar is that of `clauses`: about one question in four is stiff or wrong English, and more of
those about recovered claims, which may make little sense themselves.
"""

import re
from typing import NamedTuple

from ragassay.embedded.clauses import Clause, clause, inverted
from ragassay.embedded.facts import DATE, NUMBER, dates, numbers, person
from ragassay.embedded.support import Reading, coverage, unsupported
from ragassay.embedded.words import content, stem, tokens

SHORTEST, LONGEST = 13, 18  # words
STILL_NEW = 0.15  # share of the question's words that every passage lacks
PADDING = {
    2: ("as reported",),
    3: ("in this report", "in this article"),
    4: ("according to the document", "according to the article", "as the report tells"),
    5: ("as described in the document", "as told by this report", "as reported in this article"),
    6: ("in what is described by the document", "according to what this document reports"),
    7: ("in the story that this document tells", "according to the report in this document"),
}
PREPOSITION = (
    r"(?P<prep>in|on|at|by|for|of|to|from|until|since|before|after|over|about|within|with|during|late in|early in)"
)
DATED = re.compile(
    rf"(?:(?:^|\s){PREPOSITION})?\s*(?:the )?(?:(?:spring|summer|autumn|winter|end|middle) (?:of )?)?"
    rf"(?P<date>{DATE.pattern})(?: (?:morning|afternoon|evening|night))?"
)
COUNTED = re.compile(
    rf"(?:(?:^|\s){PREPOSITION})?\s*(?:(?:some|about|nearly|almost|only) )?(?P<number>{NUMBER.pattern})"
)
ADJUNCT = re.compile(
    r"(?P<kept>.*\S)(?:,| (?:in|on|at|by|for|from|until|since|before|after|over|about|within|with|during|to|than|as|and"
    r"|against)) "
)
LATER = re.compile(r"(?<=\w), (?!\d|[A-Z]|and |or )[a-z].*$")
UNITS = re.compile(r"(?:million|billion|thousand|hundred|dozen)\s*")
NO_UNIT = frozenset("of in on at to by for from and or the a an per with than against is was were are who that".split())


class Draft(NamedTuple):
    text: str  # without question mark
    asks: str  # who, what, when, how many, or more: what the claim does not tell
    hidden: str  # the words of the claim that the question leaves out


def in_scope(claims: list[str], count: int, chance) -> list[str]:
    """Up to `count` questions whose answers the claims give, no two for the same thing."""
    found, asked = [], set()
    for _ in range(3):  # a second question about the same claim only when every claim has had one
        for claim in claims:
            drafts = [draft for draft in _drafts(claim) if draft.hidden and draft.hidden not in asked]
            drafts.sort(key=lambda draft: chance.random() + 0.7 * (draft.asks == "what"))
            fitted = next(((draft, text) for draft in drafts if (text := fit(draft.text, chance))), None)
            if fitted and len(found) < count:
                asked.add(fitted[0].hidden)
                found.append(fitted[1])
    return found


def out_of_scope(claim: str, reading: Reading, chance) -> str | None:
    """A question that, without what it asks for, still says something that no passage says; None if there is none."""
    new = {word for word in content(claim) if coverage(stem(word), reading.spread) < 1}
    fitted = []
    for draft in _drafts(claim):
        shown = new & set(tokens(draft.text))
        if unsupported(draft.text, reading) >= STILL_NEW and (text := fit(draft.text, chance, shown)):
            fitted.append((chance.random() + 0.5 * (draft.asks in ("more", "who", "what")), text))
    return min(fitted)[1] if fitted else None


def fit(text: str, chance, needed=frozenset()) -> str | None:
    """The question with 13 to 18 words, or None if it cannot be brought there without losing needed words."""
    while len(text.split()) > LONGEST:
        shorter = ADJUNCT.match(text)
        if not shorter or not needed & set(tokens(text)) <= set(tokens(shorter["kept"])):
            return None
        text = shorter["kept"]
    length = len(text.split())
    if length < 6:
        return None
    if length < SHORTEST:
        least = SHORTEST - length
        fitting = [pad for pads in PADDING.values() for pad in pads if least <= len(pad.split()) <= LONGEST - length]
        if not fitting:
            return None
        text = f"{text} {chance.choice(fitting[:6])}"
    text = text.replace(" ,", ",")
    return f"{text[:1].upper()}{text[1:].rstrip(',')}?"


def _drafts(claim: str) -> list[Draft]:
    taken = clause(claim)
    if not taken:
        return []
    taken = taken._replace(rest=_first_part(taken.rest))
    whole = inverted(taken, taken.rest)
    drafts = [_subject(taken), *_counts(taken), *_whens(taken)]
    openings = ["For what reason", "Why", "How", "In what way"]
    openings += [] if dates(claim) else ["When", "In which year", "In which month", "On what day"]
    openings += [] if re.search(r"\b(?:in|at|on|near|from|to) ", taken.rest) else ["Where", "At which place"]
    return [draft for draft in drafts if draft] + [Draft(f"{opening} {whole}", "more", "") for opening in openings]


def _first_part(rest):
    """Without what follows a comma, where enough stands before it."""
    shorter = LATER.sub("", rest)
    return shorter if len(shorter.split()) > 3 else rest


def _subject(taken: Clause):
    if taken.plural or taken.subject.split()[0].lower() in ("his", "her", "its", "their"):
        return None
    asks = "who" if person(taken.subject) else "what"
    return Draft(f"{asks.capitalize()} {taken.predicate}", asks, taken.subject)


def _counts(taken: Clause):
    for match in COUNTED.finditer(taken.rest):
        number, prep = match["number"], match["prep"] or ""
        if number not in numbers(taken.rest):
            continue
        unit = re.sub(r"^(?:[$€£]\s?)?(?:\d[\d,.]*\d|\d|[A-Za-z-]+)\s*", "", number)
        unit = UNITS.sub("", unit).strip()
        front = prep if prep in ("in", "by", "for", "at", "to", "from", "of", "over", "after", "within", "with") else ""
        if unit in ("%", "per cent", "percent"):
            asked = "what percentage"
        elif unit and unit.split()[0] not in NO_UNIT and unit.endswith("s"):
            asked = f"how many {unit}"
        else:
            continue
        rest = taken.rest[: match.start()] + (f" {prep}" if prep and not front else "") + taken.rest[match.end() :]
        rest = " ".join(rest.split())
        yield Draft(f"{front} {asked} {inverted(taken, rest)}".strip(), "how many", number)


def _whens(taken: Clause):
    match = DATED.search(taken.rest)
    if not match:
        return
    prep = match["prep"] or ""
    front = {"until": "until when", "since": "since when", "by": "by when", "from": "from when"}.get(prep, "when")
    if prep in ("of", "for", "to", "about", "over", "with"):
        return
    rest = " ".join((taken.rest[: match.start()] + taken.rest[match.end() :]).split())
    yield Draft(f"{front} {inverted(taken, rest.strip(' ,'))}", "when", match["date"])
