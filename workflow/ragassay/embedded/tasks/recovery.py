"""Fill the gaps in a list of claims with what the same text might well have told.

A gap gets an invention about what a given claim tells that somebody did or arranged, about a thing that a claim names,
or what a claim counts, as it was in another year; the claim behind the gap comes first, so that what the list tells
dies out slowly. So it is near to the given claims and plausible in form, and good English where the given ones are;
whether it makes sense is not checked, and by chance it may even be true. The document is not known here.
"""

import random
import re
from typing import NamedTuple

from ragassay.embedded.english.actions import PRICED, deed
from ragassay.embedded.english.clauses import lowered, past
from ragassay.embedded.english.entities import STRANGERS, Cast, acts, cast, is_person
from ragassay.embedded.english.facts import DATE
from ragassay.embedded.english.statements import statements
from ragassay.embedded.english.vocabulary import MONTHS
from ragassay.embedded.english.words import content, stem
from ragassay.embedded.tasks.detail_questions import COUNTED, OF_A_YEAR
from ragassay.embedded.tasks.inventions import DEEDS, NEWS, THINGS, recognised
from ragassay.embedded.tasks.task import MISSING

REPEATED = frozenset(
    "employs costs cost covers has have holds pays pay carries carry produces supplies uses use sells sell serves"
    " offers charges owns contains plays runs buys gives visits expects needs employ catches covered held carried"
    " produced supplied served offered owned contained played bought gave visited needed paid sold caught had employed"
    " attracted used received drew recorded spent".split()
)
LAST = "The plan was discussed for {n} hours"
SAME = 0.95  # share of common words from which a candidate repeats a given claim
# What makes a candidate worse, in steps away from the gap: a fact or a kind of invention that the list has already, an
# invention about a thing rather than about a deed, what was counted in another year.
AGAIN, ALIKE, AS_NEWS, FOR_A_THING, FOR_A_YEAR = 4.0, 3.0, 2.0, 20.0, 3.0


class Fact(NamedTuple):
    """What a claim tells, as far as more can be invented about it."""

    subject: str
    to: str  # what the subject did or is to do, behind "to"; "" if nothing
    said: str  # the whole of it, as it stands behind "that"; "" if it is not known whether it is so
    verbs: str = ""  # auxiliary and infinitive
    counted: tuple[str, str] = ("", "")  # what stands before and behind a number


def recover(claims: dict[int, str], chance: random.Random) -> dict[int, str]:
    """The whole list with every gap filled; without any given claim the new ones are about "the plan"."""
    filled = dict(claims)
    for number, text in claims.items():
        if MISSING in text:
            behind = sorted(filled, key=lambda other: (other < number, other))
            filled[number] = _new([filled[other] for other in behind if MISSING not in filled[other]], chance)
    return filled


def _new(taken, chance):
    """The best of all candidates; `taken` begins with the claim behind the gap."""
    given = [claim for claim in taken if not claim.startswith(LAST.split("{")[0])]
    people, told = cast(given), [_facts(claim) for claim in given]
    used = [one for claim in given for one, _ in recognised(claim)[:1]]
    best, least = "", 0.0
    for fact in dict.fromkeys(fact for facts in told for fact in facts):
        place, times = next(at for at, facts in enumerate(told) if fact in facts), sum(fact in facts for facts in told)
        for cost, claim in _inventions(fact, people, used, chance):
            cost += place + AGAIN * (times - 1) + 2 * chance.random()
            if (not best or cost < least) and all(similarity(claim, other) < SAME for other in given):
                best, least = claim, cost
    for cost, claim in _of_things(people, used, chance):
        cost += len(told) * chance.random()
        if (not best or cost < least) and all(similarity(claim, other) < SAME for other in given):
            best, least = claim, cost
    return best or next(last for n in range(2, 99) if (last := _sentence(LAST.format(n=n))) not in taken)


def similarity(one: str, other: str) -> float:
    """The share of words that two texts have in common, of the one that has more."""
    a, b = ({stem(word) for word in content(text)} for text in (one, other))
    return len(a & b) / (max(len(a), len(b)) or 1)


def _facts(claim) -> list[Fact]:
    """What a claim tells, without what was invented about it."""
    if invented := recognised(claim):
        details = invented[0][1]
        if "fact" in details:
            return _facts(_sentence(details["fact"]))
        return [Fact(_sentence(details["s"])[:-1], details["to"], "")] if "to" in details else []
    earlier = OF_A_YEAR.fullmatch(claim)
    found = []
    for one in statements(earlier["said"] if earlier else claim):
        taken = one.taken._replace(subject=_capital(one.taken.subject))
        if earlier:
            found.append(Fact(taken.subject, "", "", "", _counted(taken)))
        elif not claim.startswith(LAST.split("{")[0]):
            said, verbs = f"{lowered(taken.subject)} {taken.predicate}", f"{taken.auxiliary} {taken.base or 'be'}"
            found.append(Fact(taken.subject, deed(taken), said, verbs, _counted(taken)))
    return found


def _inventions(fact, people: Cast, used, chance):
    """(cost, claim) of what can be invented about a fact."""
    acting, person = acts(fact.subject), is_person(fact.subject)
    for one in DEEDS:
        if fact.to and one.suits(fact.subject, fact.to, acting, person):
            yield ALIKE * used.count(one), _filled(one.claim, fact, people, chance)
    for one in NEWS:
        if fact.said and one.is_news(fact.verbs):
            yield (
                (AS_NEWS if one.heads else 3 * AS_NEWS) + ALIKE * used.count(one),
                _filled(one.claim, fact, people, chance),
            )
    yield from _of_years(fact, people, chance)


def _of_things(people: Cast, used, chance):
    for subject, kind in people.kinds.items():
        for one in THINGS.get(kind, ()):
            if one.fits(subject):
                yield FOR_A_THING + ALIKE * used.count(one), _filled(one.claim, Fact(subject, "", ""), people, chance)


def _counted(taken):
    """The verb in the past and what follows the number, if the claim counts what may be counted again."""
    made = taken.base == "cost" and not PRICED.search(taken.subject)
    if (
        made
        or taken.verb not in REPEATED
        or taken.auxiliary
        or DATE.search(taken.rest)
        or not COUNTED.search(taken.rest)
    ):
        return "", ""
    before, after = re.split(r"\d[\d,.]*\d|\d", taken.rest, maxsplit=1)
    return f"{past(taken)} {before}".strip(), after.strip()


def _of_years(fact, people: Cast, chance):
    """What is counted or paid now, as it was in another year."""
    before, after = fact.counted
    if before:
        year = chance.choice([str(year) for year in range(1991, 2023) if str(year) not in people.years])
        number = chance.choice((3, 6, 11, 14, 17, 23, 31, 38, 46, 52, 64, 77, 85, 93, 120, 260, 410, 730, 1900))
        yield FOR_A_YEAR, _sentence(f"{fact.subject} {before} {number} {after} in {year}")


def _filled(shape, fact, people: Cast, chance):
    said = f"{fact.subject} {fact.to}"
    years = people.years or tuple(map(str, range(2012, 2025)))
    return _sentence(
        shape.format(
            s=fact.subject if shape.startswith("{s}") else lowered(fact.subject),
            was="were"
            if re.search(r"[^s'\u2019]s$|(?:men|people)$", fact.subject) and fact.subject[:4] == "The "
            else "was",
            fact=fact.said,
            to=fact.to,
            p=_other(people.actors, said, chance, STRANGERS),
            c=_other(people.places, said, chance, ("the capital",)),
            n=chance.choice((2, 3, 4, 5, 6, 7, 8, 9, 11, 12, 14)),
            many=chance.choice((40, 60, 70, 90, 120, 150, 180, 230, 350)),
            month=chance.choice(people.months or sorted(MONTHS - {"May"})),
            year=int(chance.choice(years)) - chance.choice((0, 0, 1, 2, 3)),
        )
    )


def _other(names, said, chance, otherwise):
    """A name that shares no word with what is said."""
    words = _words(said)
    return chance.choice([name for name in names if not _words(name) & words] or otherwise)


def _words(text):
    return {stem(word) for word in content(text)}


def _sentence(text):
    return f"{_capital(' '.join(text.split())).rstrip(' .')}."


def _capital(text):
    return text[:1].upper() + text[1:]
