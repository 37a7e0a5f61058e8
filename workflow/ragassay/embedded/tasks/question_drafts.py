"""Ask for one part of a clause: who, whose, how many, when, where, why.

From "S built 12 boats in 2019" come "who built 12 boats in 2019", "how many boats did S build in 2019", "when did S
build 12 boats"; "at the request of", "was designed by" and "because" give "at whose request", "who" and "why". The
grammar is that of `clauses`: where a clause was taken apart wrongly, the question is wrong English.
"""

import re
from typing import NamedTuple

from ragassay.embedded.english.actions import DEALS, DECISIONS, SUCCESS, WORK, deed, verb, willed
from ragassay.embedded.english.clauses import HANGING, Clause, inverted, lowered
from ragassay.embedded.english.entities import PEOPLE, acts, is_group, is_person, organisation
from ragassay.embedded.english.facts import DATE, NAME, NUMBER, numbers, person
from ragassay.embedded.tasks.question_openings import FRONTS

PREPOSITION = (
    r"(?P<prep>in|on|at|by|for|of|to|from|until|since|before|after|over|about|within|with|during|late in|early in)"
)
DATED = re.compile(
    rf"(?:(?:^|\s){PREPOSITION})?\s*(?:the )?(?:(?:spring|summer|autumn|winter|end|middle) (?:of )?)?"
    rf"(?:late |early |mid-)?(?P<date>{DATE.pattern})(?: (?:morning|afternoon|evening|night))?"
)
COUNTED = re.compile(
    rf"(?:(?:^|\s){PREPOSITION})?\s*(?:(?:some|about|nearly|almost|only) )?(?P<number>{NUMBER.pattern})"
)
BECAUSE = re.compile(r",? because (?:of )?(?P<reason>.+?)\.?$")
PAST = ("", "has", "have", "had")
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
UNITS = re.compile(r"(?:million|billion|thousand|hundred|dozen)\s*")
NO_UNIT = frozenset("of in on at to by for from and or the a an per with than against is was were are who that".split())

MOVING = ("rise", "risen", "fall", "fallen", "increase", "drop", "grow", "go", "climb", "sink")
HAPPENING = frozenset(
    "announce bake begin build celebrate find finish hold introduce live meet open perform play present record"
    " sell show sign sing stage stand start stay train work".split()
)
KINDS = re.compile(
    r" of (?:[\w\u2019'-]+ ){0,2}?[\w\u2019'-]+(?=$| (?:in|on|at|for|from|to|by|with|out|over|before|after)\b)"
)
OBJECT = re.compile(
    r"(?P<what>(?:the|an?|its|their|his|her|two|three|four) (?:[\w\u2019'-]+ ){0,3}?[a-z-]+)"
    r" (?P<rest>(?:in|on|at|from|for|to|with|against|after|before|during|among)\b .+)"
)
PURPOSE = re.compile(r"(?P<kept>\S+ \S+ .+?) to (?P<purpose>(?!the |an? |[A-Z\d])[a-z]+ .+)")
LEADING = frozenset(
    "agree ask be begin come decide go have hope intend learn need plan refuse tell try want wish".split()
)
RANGE = re.compile(
    r"\bfrom (?P<start>\d[\d.]*(?: [ap]\.m\.| [A-Z]\w+)?) to (?P<end>\d[\d.]*(?: [ap]\.m\.| [A-Z]\w+)?)(?![\w.])"
)
PLACES = frozenset("hospital museum office restaurant school service station theatre".split())
BOUND = re.compile(r"\b(?:the|a|an|its|his|her|their|all|every|each|these|those|between|than|least|most|to|and|or)$")
LOOSE = re.compile(
    r" (?:off|ahead|more|less|fewer|each|apart|later|earlier|ago|old|and|or|to|than|of (?:the|its|his|her|their))\b"
    r"| [a-z]+ by\b|.* and (?:\d|[a-z]+ly )"
)


class Draft(NamedTuple):
    text: str  # without question mark
    asks: str  # who, whose, why, how many, when, where, the subject, or more: what the claim does not tell
    hidden: str  # the words of the claim that the question leaves out


def drafts(taken: Clause, reason: str = "") -> list[Draft]:
    """All questions for parts of a clause; `reason` is what stands behind its "because"."""
    told, that, content_clause = taken.rest.partition("that ")
    behind = ""
    if that and (not told or told.endswith(" ")):  # asked is who told, not what
        taken, behind = taken._replace(rest=told.strip()), f" that {content_clause}"
    found = [
        _agent(taken),
        _whose(taken),
        *_counts(taken),
        *_whens(taken),
        _where(taken),
        *_how_many(taken),
        _owner(taken),
        *_object(taken),
        _purpose(taken),
        _range(taken),
    ]
    whole = inverted(taken, taken.rest)
    if not behind:
        found += [_subject(taken), *_decider(taken)]
        if reason:
            found.append(Draft(f"why {whole}", "why", reason))
        elif _is_deed(taken):
            found += [Draft(f"{opening} {whole}", "more", "") for opening in ("why", "for what reason")]
    found = [draft for draft in found if draft and draft.text.split()[-1] not in HANGING]
    return [draft._replace(text=draft.text + behind) for draft in found]


def who_said(taken: Clause, speaker: str) -> list[Draft]:
    """Who said so."""
    said = f"{lowered(taken.subject)} {taken.predicate}"
    fronts = ("who said", "whose statement is it", "who was quoted as saying")
    return [Draft(f"{front} that {said}", "who", speaker) for front in fronts if speaker]


def because(claim: str) -> str:
    found = BECAUSE.search(claim)
    return found["reason"] if found else ""


def _is_deed(taken: Clause):
    """Whether one can ask why: not of sizes, prices and other ways in which things are."""
    if taken.auxiliary in ("is", "are", "was", "were"):
        return bool(taken.verb) and taken.verb.endswith("ed")
    return bool(deed(taken)) and willed(deed(taken))


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
    if not found or DATE.search(found["place"]) or taken.base not in HAPPENING:
        return None
    rest = f"{taken.rest[: found.start()]} {taken.rest[found.end() :]}"
    return Draft(f"where {inverted(taken, ' '.join(rest.split()))}", "where", found["place"])


def _subject(taken: Clause):
    """Who did it; "The oldest bridge in Dray" as "which bridge in Dray"."""
    core, link = re.match(r"(.+?)( (?:of|on|in|from|at|for|near) .+|$)", taken.subject).groups()
    head = core.split()[-1]
    if person(taken.subject[:1].upper() + taken.subject[1:]) or is_group(taken.subject) or organisation(core):
        if head.lower() in PLACES and core.split()[0].lower() == "the":
            return Draft(f"which {head.lower()}{link} {taken.predicate}", "subject", taken.subject)
        return Draft(f"who {taken.predicate}", "subject", taken.subject)
    if taken.plural or not head.isalpha():
        return None
    if len(core.split()) < 3 or core.split()[0].lower() != "the":
        return Draft(f"what {taken.predicate}", "subject", taken.subject) if taken.auxiliary != "is" else None
    return Draft(f"which {head.lower()}{link} {taken.predicate}", "subject", taken.subject)


def _decider(taken: Clause):
    """ "The council sold the ferry" asks whose decision that was, "Osk won the race" who managed to win it."""
    to = deed(taken)
    habit = taken.verb.endswith("s") and is_person(taken.subject)  # what an organisation does was decided once
    if not to or to.startswith("be ") or not acts(taken.subject) or taken.auxiliary not in PAST or habit:
        return
    if verb(to) in DECISIONS | DEALS:
        for front in ("who took the decision to", "whose decision was it to", "who in the end took the decision to"):
            yield Draft(f"{front} {to}", "subject", taken.subject)
    elif verb(to) in WORK | SUCCESS:
        yield Draft(f"who managed to {to}", "subject", taken.subject)
    elif willed(to):
        for front in ("who decided to", "who in the end decided to"):
            yield Draft(f"{front} {to}", "subject", taken.subject)


def _object(taken: Clause):
    """ "ordered a ferry from the yard" asks what was ordered from the yard."""
    found = OBJECT.match(taken.rest)
    if not found or not taken.verb or taken.verb == "been" or taken.auxiliary in ("is", "are", "was", "were", "be"):
        return
    told = " ".join(part for part in (lowered(taken.subject), taken.auxiliary, taken.verb, found["rest"]) if part)
    yield Draft(f"what {inverted(taken, found['rest'])}", "what", found["what"])
    yield Draft(f"what is it that {told}", "what", found["what"])


def _purpose(taken: Clause):
    """ "borrowed money to buy a boat" asks for what purpose."""
    found = PURPOSE.match(taken.rest)
    if not found or not taken.verb or taken.base in LEADING or taken.auxiliary in ("is", "are", "was", "were"):
        return None
    return Draft(f"for what purpose {inverted(taken, found['kept'])}", "why", found["purpose"])


def _range(taken: Clause):
    """ "opens from 7 a.m. to 6 p.m." asks between what hours."""
    found = RANGE.search(taken.rest)
    if not found:
        return None
    ends = found["start"] + found["end"]
    asked = (
        "hours" if "m." in ends else "years" if re.fullmatch(r"\d{8}", ends) else "dates" if DATE.search(ends) else ""
    )
    rest = f"{taken.rest[: found.start()]} {taken.rest[found.end() :]}"
    return Draft(f"between what {asked} {inverted(taken, ' '.join(rest.split()))}", "when", found[0]) if asked else None


def _how_many(taken: Clause):
    """ "Sixteen witnesses will be heard" asks how many."""
    first, _, others = taken.subject.partition(" ")
    number = numbers(taken.subject)
    if number and number[0].startswith(first) and re.match(r"[a-z-]+( [a-z-]+)*s\b", others):
        yield Draft(f"how many {others} {taken.predicate}", "how many", first)
        yield Draft(f"what is the exact number of {others} that {taken.predicate}", "how many", first)


def _owner(taken: Clause):
    """ "Tess Hollin's accordion suffered" asks whose."""
    found = re.fullmatch(rf"(?P<owner>{NAME.pattern})['\u2019]s (?P<thing>[a-z].*)", taken.subject)
    return Draft(f"whose {found['thing']} {taken.predicate}", "whose", found["owner"]) if found else None


def _counts(taken: Clause):
    for match in COUNTED.finditer(taken.rest):
        number, prep = match["number"], match["prep"] or ""
        before, after = taken.rest[: match.start()], taken.rest[match.end() :]
        if number not in numbers(taken.rest) or BOUND.search(before) or LOOSE.match(after):
            continue
        if more := re.match(r"(?: [\w\u2019'-]+){0,2}? [a-z-]+s\b", after) if not number.endswith("s") else None:
            number, after = number + more[0], after[more.end() :]
        unit = UNITS.sub("", re.sub(r"^(?:[$€£]\s?)?(?:\d[\d,.]*\d|\d|[A-Za-z-]+)\s*", "", number)).strip()
        if unit in ("%", "per cent", "percent"):
            asked = "what percentage" if prep or taken.base not in MOVING else "by what percentage"
        elif unit and not NO_UNIT & set(unit.split()) and unit.endswith("s"):
            asked = f"how many {unit}"
        else:
            continue
        if kinds := KINDS.match(after):
            asked, after = asked + kinds[0], after[kinds.end() :]
        if prep and prep not in FRONTS:
            continue
        rest = " ".join(f"{before} {after}".split())
        yield Draft(f"{prep} {asked} {inverted(taken, rest)}".strip(), "how many", number)
        if not prep and taken.base == "cost" and taken.auxiliary not in ("has", "have", "had"):
            now = {"costs": "have", "cost": "had"}.get(taken.verb) if not taken.auxiliary else "will have"
            yield Draft(f"{asked} {now} to be paid for {lowered(taken.subject)} {rest}".strip(), "how many", number)
        if not prep and not before and asked.startswith("how many "):
            told = " ".join(part for part in (lowered(taken.subject), taken.auxiliary, taken.verb, rest) if part)
            yield Draft(f"what is the exact number of {asked[9:]} that {told}", "how many", number)


def _whens(taken: Clause):
    match = DATED.search(taken.rest)
    if not match:
        return
    prep = match["prep"] or ""
    front = {"until": "until when", "since": "since when", "by": "by when", "from": "from when"}.get(prep, "when")
    if prep in ("of", "for", "to", "about", "over", "with") or re.match(
        r" (?:to|and|or|until) |['\u2019]", taken.rest[match.end() :]
    ):
        return
    rest = " ".join((taken.rest[: match.start()] + taken.rest[match.end() :]).split())
    yield Draft(f"{front} {inverted(taken, rest.strip(' ,'))}", "when", match["date"])
