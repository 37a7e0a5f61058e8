"""Write questions: templates over the parts of a claim, each asking for one aspect, 13 to 18 words long.

From a claim "S built 12 boats in 2019" come "Who built 12 boats in 2019", "How many boats did S build in 2019", "When
did S build 12 boats"; "at the request of", "was designed by" and "because" give "at whose request", "who" and "why";
of "P denied in May that S built boats" only the part before "that" is asked about. In-scope questions ask for something
that the claim tells. A question about a claim that the document does not support keeps what is new in it and asks for
something else, or asks for a detail of which the nearest sentences hold nothing; so it cannot be answered. Too long
ones lose what stands behind the last comma or preposition, too short ones say where they come from. The grammar is that
of `clauses`: some questions are stiff or wrong English, mostly where a claim was taken apart wrongly.
"""

import re
from typing import NamedTuple

from ragassay.embedded.circumstances import IMPERSONAL, PEOPLE, STATES, is_group, is_person, organisation
from ragassay.embedded.clauses import HANGING, Clause, clause, inverted, lowered
from ragassay.embedded.descriptions import first_part, plain
from ragassay.embedded.details import OF_A_YEAR, unknown_detail, year_question
from ragassay.embedded.facts import DATE, NAME, NUMBER, inner_capitals, numbers, person
from ragassay.embedded.inventions import recognised
from ragassay.embedded.support import Reading, coverage, evidence, unsupported
from ragassay.embedded.words import content, stem, tokens

SHORTEST, LONGEST = 13, 18  # words
STILL_NEW = 0.15  # share of the question's words that every passage lacks
PADDING = (
    "according to the article",
    "according to the report",
    "according to this document",
    "as described in the article",
    "as told in this report",
    "as far as this article tells",
    "according to what the article says",
    "according to what this report tells us",
)
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
BECAUSE = re.compile(r",? because (?:of )?(?P<reason>.+?)\.?$")
FRONTED = re.compile(r"(?:Next|Last|Today|Tonight|Once|Half|Work|Most|Some|What|There|Not|Only|Of|With|By)\b(?! [A-Z])")
UNSAID = re.compile(r" (?:between|this|that|shows?|decides?|about|said|says|could|might|than|up to|instead) ")
LINKS = "in|on|at|about|for|to|after|with|during|before|against|from|because|shortly"
BY = re.compile(
    rf"^by (?P<agent>(?:the|a) [a-z]+(?: (?!(?:{LINKS})\b)[a-z]+)?|(?:the )?{NAME.pattern})(?= (?:{LINKS})\b|$)"
)
DONE = frozenset(
    "bought built found held led lent made paid put sent set sold taught told won".split()
)  # as in "was made"
OWNER = rf"(?P<owner>(?:the )?{NAME.pattern}|(?:the|a) [a-z]+(?: [a-z]+)?)(?P<when> in [A-Z][a-z]+)?$"
WHOSE = re.compile(rf"(?:^| )(?P<prep>at|on|with|in|against|under|in spite of) (?:the )?(?P<noun>[a-z]+) of {OWNER}")
TOGETHER = re.compile(rf"(?:^| )(?P<prep>together with|from|to) {OWNER}")
PLACE = re.compile(
    rf"(?:^| )(?:in|at|near|on) (?P<place>(?:the )?{NAME.pattern}|the capital)"
    r"(?=$| (?:in|on|for|before|after|with|by|from|as)\b)"
)
WEIGHTS = {
    "who": 0.0,
    "whose": 0.0,
    "why": 0.0,
    "how many": 0.0,
    "when": 0.3,
    "where": 0.3,
    "subject": 1.0,
    "more": 1.2,
}
UNITS = re.compile(r"(?:million|billion|thousand|hundred|dozen)\s*")
NO_UNIT = frozenset("of in on at to by for from and or the a an per with than against is was were are who that".split())


class Draft(NamedTuple):
    text: str  # without question mark
    asks: str  # who, whose, why, how many, when, where, the subject, or more: what the claim does not tell
    hidden: str  # the words of the claim that the question leaves out


def in_scope(claims: list[str], count: int, chance) -> list[str]:
    """Up to `count` questions whose answers the claims give, no two for the same thing."""
    found, asked = [], set()
    known = inner_capitals("\n".join(claims))
    claims = [clear for claim in claims if (clear := _clear(claim, known))]
    for _ in range(3):  # a second question about the same claim only when every claim has had one
        for claim in claims:
            drafts = [draft for draft in _drafts(claim) if draft.hidden and draft.hidden not in asked]
            drafts.sort(key=lambda draft: chance.random() + 0.7 * draft.text.startswith("what "))
            fitted = next(((draft, text) for draft in drafts if (text := fit(draft.text, chance))), None)
            if fitted and len(found) < count:
                asked.add(fitted[0].hidden)
                found.append(fitted[1])
    return found


def _clear(claim, known):
    """The claim's first statement, if it can be asked about without what stands around it."""
    taken = clause(claim)
    if not taken:
        return None
    taken = taken._replace(rest=first_part(taken.rest))
    words = taken.subject.split()
    common = len(words) == 1 and words[0] not in known and not words[0].endswith("s")
    if common or not plain(taken) or FRONTED.match(taken.subject) or UNSAID.search(f" {taken.predicate} "):
        return None
    return f"{taken.subject} {taken.predicate}."


def out_of_scope(claim: str, reading: Reading, chance) -> str | None:
    """A question that, without what it asks for, still says something that no passage says; None if there is none."""
    if invented := recognised(claim):
        return unknown_detail(invented, reading, chance)
    if OF_A_YEAR.fullmatch(claim):
        text = year_question(claim, chance)
        return text if text and evidence(text, reading).numbers else None
    new = {word for word in content(claim) if coverage(stem(word), reading.spread) < 1}
    fitted = []
    for draft in _drafts(claim):
        if draft.text.startswith("what "):
            continue
        shown = new & set(tokens(draft.text))
        text = fit(draft.text, chance, shown) if _open(draft.text, reading) else None
        if text and _whole(text):
            fitted.append(
                (
                    0.6 * chance.random()
                    + WEIGHTS[draft.asks]
                    + 3 * evidence(draft.text, reading).foreign
                    + 0.4 * any(pad in text for pad in PADDING),
                    text,
                )
            )
    return min(fitted)[1] if fitted else None


def _open(question, reading):
    """Whether the document leaves it open: it says something new, or nothing near is of the kind that it asks for."""
    found = evidence(question, reading)
    return unsupported(question, reading) >= STILL_NEW or found.unanswered or found.reported >= 0.5


def _whole(question):
    """Whether what follows "that" has kept its verb."""
    _, that, told = question.partition(" that ")
    return not that or clause(told.rstrip("?").split(" according ")[0]) is not None


def fit(text: str, chance, needed=frozenset()) -> str | None:
    """The question with 13 to 18 words, or None if it cannot be brought there without losing needed words."""
    text = text.replace(" ,", ",")
    while len(text.split()) > LONGEST:
        shorter = ADJUNCT.match(text)
        if not shorter or " that " in text or not needed & set(tokens(text)) <= set(tokens(shorter["kept"])):
            return None
        text = shorter["kept"]
        if text.split()[-1] in HANGING:
            return None
    length = len(text.split())
    if length < 6:
        return None
    if length < SHORTEST:
        least = SHORTEST - length
        fitting = [pad for pad in PADDING if least <= len(pad.split()) <= LONGEST - length]
        if not fitting:
            return None
        text = f"{text} {chance.choice(fitting[:3])}"
    return f"{text[:1].upper()}{text[1:].rstrip(',')}?"


def _drafts(claim: str) -> list[Draft]:
    if told := IMPERSONAL.match(claim.rstrip(".")):
        front = f"{told['prep']} how many {told['unit']}" if told["number"] else "when"
        asks = "how many" if told["number"] else "when"
        return [Draft(f"{front} was it {told['verb']} that {told['claim']}", asks, told["number"] or told["unit"])]
    taken = clause(claim)
    if not taken:
        return []
    reason = BECAUSE.search(claim)
    told, that, content_clause = taken.rest.partition("that ")
    if that and (not told or told.endswith(" ")):  # asked is who told, not what
        taken, behind = taken._replace(rest=told.strip()), f" that {content_clause}"
    else:
        taken, behind = taken._replace(rest=_first_part(taken.rest)), ""
    drafts = [_agent(taken), _whose(taken), *_counts(taken), *_whens(taken), _where(taken)]
    whole = inverted(taken, taken.rest)
    if not behind:
        drafts.append(_subject(taken))
        if reason:
            drafts.append(Draft(f"why {whole}", "why", reason["reason"]))
        elif _is_deed(taken):
            drafts += [Draft(f"{opening} {whole}", "more", "") for opening in ("why", "for what reason")]
    elif taken.verb in ("denied", "doubted", "kept"):
        drafts.append(Draft(f"why {whole}", "more", ""))
    drafts = [draft for draft in drafts if draft and draft.text.split()[-1] not in HANGING]
    return [draft._replace(text=draft.text + behind) for draft in drafts]


def _is_deed(taken: Clause):
    """Whether one can ask why: not of sizes, prices and other ways in which things are."""
    if taken.auxiliary in ("is", "are", "was", "were"):
        return bool(taken.verb) and taken.verb.endswith("ed")
    return taken.verb not in STATES and taken.base not in ("be", "have", "cost", "cover", "take", "come", "last", "")


def _agent(taken: Clause):
    """ "was designed by Norrell & Pike in 2019" asks who designed it in 2019."""
    by = BY.match(taken.rest)
    if not by or taken.auxiliary not in ("was", "were") or not (taken.verb.endswith("ed") or taken.verb in DONE):
        return None
    words = ("who", taken.verb, lowered(taken.subject), taken.rest[by.end() :].strip())
    return Draft(" ".join(word for word in words if word), "who", by["agent"])


def _whose(taken: Clause):
    """ "... at the request of Orlo Bray" asks at whose request; "... together with Orlo Bray", together with whom."""
    for pattern, front in ((WHOSE, "{prep} whose {noun}"), (TOGETHER, "{prep} whom")):
        found = pattern.search(taken.rest)
        if found and (is_person(found["owner"]) or organisation(found["owner"]) or PEOPLE.search(found["owner"])):
            front = front.format(**found.groupdict())
            rest = taken.rest[: found.start()].strip() + (found["when"] or "")
            return Draft(f"{front} {inverted(taken, rest.strip())}", "whose", found["owner"])
    return None


def _where(taken: Clause):
    found = PLACE.search(taken.rest)
    if not found or DATE.search(found["place"]) or not (_is_deed(taken) or taken.verb in ("met", "opened", "held")):
        return None
    rest = f"{taken.rest[: found.start()]} {taken.rest[found.end() :]}"
    return Draft(f"where {inverted(taken, ' '.join(rest.split()))}", "where", found["place"])


def _first_part(rest):
    """Without what follows a comma, where enough stands before it."""
    shorter = LATER.sub("", rest)
    return shorter if len(shorter.split()) > 3 else rest


def _subject(taken: Clause):
    if taken.plural or taken.subject.split()[0].lower() in ("his", "her", "its", "their"):
        return None
    asks = "who" if person(taken.subject) or is_group(taken.subject) or organisation(taken.subject) else "what"
    return Draft(f"{asks} {taken.predicate}", "subject", taken.subject)


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
