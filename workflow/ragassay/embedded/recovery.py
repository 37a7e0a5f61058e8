"""Fill the gaps in a list of claims with what the same text might well have told.

A gap gets an invention about somebody or something that the list names, or what was counted in another year; where
there is nothing to invent, a given claim with one circumstance more or in somebody's mouth. So it is near to the given
claims, plausible in form and good English where the given ones are; whether it makes sense is not checked, and by
chance it may even be true. The document is not known here.
"""

import random
import re

from ragassay.embedded.asking import MISSING
from ragassay.embedded.circumstances import (
    ADDED,
    ADDITIONS,
    FRAMED,
    FRAMES,
    STATES,
    STRANGERS,
    Cast,
    cast,
)
from ragassay.embedded.clauses import IRREGULAR, Clause, clause, lowered, past
from ragassay.embedded.descriptions import plain
from ragassay.embedded.details import COUNTED
from ragassay.embedded.facts import DATE, facts
from ragassay.embedded.inventions import INVENTIONS, OF_DEEDS, recognised
from ragassay.embedded.vocabulary import MONTHS
from ragassay.embedded.words import content, stem

REPEATED = frozenset(
    "employs costs cost covers has have holds pays pay carries carry produces supplies uses use sells sell serves"
    " offers charges owns contains plays runs buys gives visits expects needs employ catches cut covered held"
    " carried produced supplied served offered owned contained played bought gave visited needed paid cost sold"
    " caught had employed attracted used received drew recorded spent".split()
)
LAST = "The plan was discussed for several hours."
# Inventions come first, other makers where they give too little.
COST = {"_told": 0, "_other_year": 0, "_added": 9, "_other_name": 12, "_framed": 14}
FAR = 6  # what a claim about a place costs, since it is about little that the text tells
SAME = 0.9  # share of common words from which a candidate repeats a given claim
FEW = 3  # inventions, from which on only those of which the list says nothing are used
YEARS = 0.25  # how often a gap is filled with what was counted in another year
DEEDS = 0.6  # how often it is about what somebody did, where that is known
ACTING = 0.8  # how often it is about somebody who can act
CANDIDATES, TRIES, PATIENCE = 24, 120, 90  # for each gap
LONGEST, LONGEST_FRAMED = 16, 10  # words of a claim that still gets a circumstance more, or a frame
LONGEST_WHOLE = 17  # words of it with its frame
LAST_PART = re.compile(r"(?P<kept>.*\S)(?:, | (?:in|on|at|until|since|before|after|over|during) (?=[A-Z\d]))")
LATER = re.compile(r"(?<=\w), (?!\d|[A-Z]|and |or )[a-z].*$")
LEANING = re.compile(
    r"\b(?:it|this|that|these|those|there|them|his|her|hers|him|its|their|such|so|each)\b", re.IGNORECASE
)
UNNAMED = re.compile(
    r"(?:An?|Work|One|Others|Some) |The (?:last|first|other|rest|remaining|next)$|[\w-]+ (?:days|weeks|hours)$"
)
VAGUE = frozenset("each it they one others some such that there this those work he she who".split())


def recover(claims: dict[int, str], chance: random.Random) -> dict[int, str]:
    """The whole list with every gap filled; without any given claim the new ones are about "the plan"."""
    given = [text for text in claims.values() if MISSING not in text]
    filled = dict(claims)
    for number, text in claims.items():
        if MISSING in text:
            others = [claim for claim in filled.values() if MISSING not in claim]
            filled[number] = _new(given, others, chance) or text
    return filled


def _new(given, taken, chance):
    """Of a dozen candidates the one whose subject and turn of phrase the list has least of."""
    turns, cores = [_turn(claim) for claim in taken], [_core(claim) for claim in taken]
    people, given = cast(given), list(dict.fromkeys(map(_core, given)))
    given = [claim for claim in given if not recognised(claim)]
    found = []
    for attempt in range(TRIES):
        maker = (
            (_other_year if chance.random() < YEARS else _told)
            if attempt < PATIENCE or len(found) > 2
            else chance.choice(MAKERS)
        )
        candidate = maker(given, people, chance)
        if candidate and max((likeness(candidate, claim) for claim in taken), default=0.0) < SAME:
            cost = COST[maker.__name__] + 4 * sum(name in candidate.lower() for name in STRANGERS)
            cost += 2 * turns.count(_turn(candidate)) + 2 * cores.count(_core(candidate))
            cost += 2 * sum(_opening(candidate) == _opening(claim) for claim in taken)
            if FRAMED.match(candidate) and any(FRAMED.match(claim) for claim in taken):
                continue
            cost += FAR * any(kind == "place" for _, _, kind, _ in recognised(candidate))
            found.append((cost, len(found), candidate))
        if len(found) == CANDIDATES:
            break
    if found:
        return min(found)[2]
    named = [name for claim in given for name in facts(claim, people.known).names if " " in name]
    subjects = tuple((name, "other") for name in named) or (("The plan", "plan"),)
    return _told([], people._replace(subjects=subjects), chance) or LAST


def likeness(one: str, other: str) -> float:
    """The share of words that two texts have in common, of the one that has more."""
    a, b = ({stem(word) for word in content(text)} for text in (one, other))
    return len(a & b) / (max(len(a), len(b)) or 1)


def _core(claim):
    """The claim without what was put around it before, so that nothing is piled up."""
    inner = FRAMED.sub("", claim)
    return _sentence(ADDED.sub("", inner.rstrip(".")))


def _opening(claim):
    return claim.split()[:2]


def _turn(claim):
    taken = clause(claim)
    words = taken.predicate.split() if taken else claim.split()[2:]
    return [word for word in words if not re.search(r"\d", word)][:2]


def _told(given, people: Cast, chance):
    """Something new about somebody or something in the list, of which the list says nothing."""
    if not people.subjects:
        return None
    text = " ".join(given)
    acting = [one for one in people.subjects if one[1] in ("person", "organisation") and one[0] in people.doing]
    subject, kind = chance.choice(acting if acting and chance.random() < ACTING else people.subjects)
    possible = [one for one in INVENTIONS.get(kind, ()) if subject in people.doing or one.claim not in OF_DEEDS]
    shapes = [one.claim for one in possible if one.fits(subject, "") or one.needs]
    fitting = [one.claim for one in possible if one.fits(subject, text)]
    shapes = fitting if len(fitting) > FEW else shapes
    acts = [shape for shape in shapes if shape in OF_DEEDS]
    shapes = acts if acts and chance.random() < DEEDS else shapes
    known = {"{p}": people.persons, "{c}": people.places}
    lacking = [part for part, found in known.items() if all(_head(one) & _head(subject) for one in found)]
    shapes = [shape for shape in shapes if not any(part in shape for part in lacking)]
    return _sentence(_filled(chance.choice(shapes), subject, people, chance)) if shapes else None


def _other_year(given, people: Cast, chance):
    """What is counted or paid now, as it was in another year."""
    given = [re.sub(r" in (?:19|20)\d\d\.?$", "", claim) for claim in given]
    pool = [taken for taken in _clauses(given) if taken.verb in REPEATED and not taken.auxiliary]
    pool = [taken for taken in pool if plain(taken) and COUNTED.search(taken.rest) and not DATE.search(taken.rest)]
    if not pool:
        return None
    taken = chance.choice(pool)
    years = [str(year) for year in range(1991, 2023) if str(year) not in people.years]
    number = chance.choice((3, 6, 11, 14, 17, 23, 31, 38, 46, 52, 64, 77, 85, 93, 120, 260, 410, 730, 1900))
    rest = re.sub(r"\d[\d,.]*\d|\d", str(number), taken.rest, count=1)
    return _sentence(f"{taken.subject} {past(taken)} {rest} in {chance.choice(years)}")


def _framed(given, people: Cast, chance):
    """Somebody learned, denied or doubted a given claim."""
    if not given:
        return None
    taken = clause(chance.choice(given))
    if not taken or LEANING.search(f"{taken.subject} {taken.rest}") or UNNAMED.match(taken.subject):
        return None
    subject = lowered(taken.subject)
    first, second = [*taken.subject.split(), ""][:2]
    named = first in people.known or first.split("'")[0] in people.known or "'" in first
    if not named and (second[:1].islower() or (not second and first.endswith("s"))):
        subject = subject[:1].lower() + subject[1:]  # a capital that only began the sentence
    claim = _shortened(f"{subject} {taken.predicate}")
    if not claim:
        return None
    actors = [name for name in people.actors if not _head(name) & _head(claim)]
    actors = chance.sample(actors, len(actors)) + chance.sample(STRANGERS, 2)
    values = {"p": actors[0], "o": actors[1], "claim": claim}
    if actors[1] in STRANGERS and chance.random() < 0.5:
        values |= {"p": actors[1], "o": actors[0]}
    future = re.search(r" (?:will|would|is to|are to) ", claim)
    shapes = [shape for shape in FRAMES if future or "predicted" not in shape]
    framed = _sentence(_filled(chance.choice(shapes), claim, people, chance, **values))
    return framed if len(framed.split()) <= LONGEST_WHOLE else None


def _shortened(claim):
    """Without its last circumstances, as far as it has more words than a frame can hold; None if it stays too long."""
    claim = LATER.sub("", claim)
    while len(claim.split()) > LONGEST_FRAMED:
        shorter = LAST_PART.match(claim)
        if not shorter or len(shorter["kept"].split()) < 5:
            return None
        claim = shorter["kept"]
    return claim


def _filled(shape, subject, people: Cast, chance, **given):
    def other(names, otherwise):
        fitting = [name for name in names if not _head(name) & _head(subject)]
        return chance.choice(fitting) if fitting else otherwise

    years = people.years or tuple(map(str, range(2012, 2025)))
    year = int(chance.choice(years)) - chance.choice((0, 0, 1, 2, 3))
    somebody = other(people.persons, chance.choice(STRANGERS))
    whereabouts = [at for at in people.whereabouts if not _head(at) & _head(subject)]
    values = {
        "s": subject,
        "p": somebody,
        "o": other((*people.organisations, *people.persons), chance.choice(STRANGERS)),
        "c": other(people.places, "the capital"),
        "t": other(people.topics, "the decision"),
        "at": chance.choice(whereabouts) if whereabouts else "in the capital",
        "n": chance.choice((2, 3, 4, 5, 6, 7, 8, 9, 11, 12, 14)),
        "many": chance.choice((40, 60, 70, 90, 120, 150, 180, 230, 350)),
        "age": chance.randrange(24, 62),
        "month": chance.choice(people.months or sorted(MONTHS - {"May"})),
        "year": year,
    }
    return shape.format(**values | given)


def _added(given, people: Cast, chance):
    """A given claim with one circumstance more; only what somebody did can have one."""
    pool = [taken for taken in _clauses(given) if _is_deed(taken) and len(_said(taken).split()) <= LONGEST]
    if not pool:
        return None
    taken = chance.choice(pool)
    actors = [name for name in people.actors if not _head(name) & _head(_said(taken))]
    known = {"{p}": actors, "{at}": people.whereabouts, "{t}": people.topics}
    lacking = [part for part, found in known.items() if all(_head(one) & _head(_said(taken)) for one in found)]
    lacking += ["{month}", "{at}"] if re.search(r"\d|[A-Z]\w+$", taken.rest) else []
    lacking += ["{month}", "because"] if taken.auxiliary in ("will", "would") else []
    lacking += ["{month}"] if taken.auxiliary in ("has", "have", "had") else []
    lacking += ["{p}"] if lowered(taken.subject) not in people.actors else []
    shapes = [shape for shape in ADDITIONS if not any(part in shape for part in lacking)]
    if not shapes:
        return None
    addition = _filled(chance.choice(shapes), _said(taken), people, chance, p=chance.choice(actors or STRANGERS))
    return _sentence(f"{_said(taken)} {addition}")


def _said(taken: Clause):
    return f"{taken.subject} {taken.predicate}"


def _is_deed(taken: Clause):
    """Whether somebody did something, or something was done: not how things are."""
    if taken.subject.split()[0].lower() in VAGUE or re.search(
        r" (?:because|request|advice|help|presence) ", taken.rest
    ):
        return False
    if taken.auxiliary in ("was", "were", "has been", "have been"):
        return taken.verb.endswith("ed")
    if taken.auxiliary in ("has", "had", "will", "would", "have"):
        return bool(taken.verb) and taken.verb not in ("be", "been", "have", "had", "not") and taken.verb not in STATES
    past = taken.verb.endswith("ed") or taken.verb in IRREGULAR
    return not taken.auxiliary and past and taken.verb not in STATES


def _clauses(given) -> list[Clause]:
    return [taken for taken in map(clause, given) if taken]


def _other_name(given, people: Cast, chance):
    """A given claim with one name exchanged for another of its kind."""
    target = chance.choice(given) if given else ""
    for kind in chance.sample((people.persons, people.organisations, people.places), 3):
        own = [name for name in kind if re.search(rf"(?<!\w){re.escape(name)}(?!\w)", target)]
        foreign = [name for name in kind if not _head(name) & _head(target)]
        if own and foreign:
            old = chance.choice(own)
            if _is_part_of_a_name(old, target):
                continue
            new = chance.choice(foreign)
            return re.sub(rf"(?<!\w){re.escape(old)}(?!\w)", lambda _, new=new: new, target)
    return None


def _is_part_of_a_name(name, claim):
    """ "Brackwater" in "Brackwater Sound" is not the town."""
    escaped = re.escape(name)
    return bool(re.search(rf"[A-Z][\w\u2019'-]* {escaped}|{escaped}(?:['\u2019]s|,? [A-Z0-9&])", claim))


def _head(text):
    return {word.lower().strip(",.") for word in text.split() if len(word) > 3}


MAKERS = (_added, _other_name, _framed)


def _sentence(text):
    return text[:1].upper() + text[1:].rstrip(".") + "."
