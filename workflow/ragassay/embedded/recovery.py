"""Fill the gaps in a list of claims by guided recombination: the shapes of the given claims with their parts exchanged.

A gap gets a claim in which one thing differs from a given claim: another claim's subject, another name, a changed
amount or date, or a new circumstance from a short list of what news often tells (who proposed something, what it
replaces, when it is reviewed). So it is near to the given claims and plausible in form; whether it makes sense is not
checked, and by chance it may even be true. The document is not known here.
"""

import random
import re

from ragassay.embedded.asking import MISSING
from ragassay.embedded.claims import alike
from ragassay.embedded.clauses import Clause, clause
from ragassay.embedded.facts import NAME, dates, facts, inner_capitals, numbers, person
from ragassay.embedded.vocabulary import MONTHS, WEEKDAYS

SAME = 0.9  # share of common words from which a candidate repeats a given claim
INVENTED = 0.05  # share of gaps that get a circumstance from the list below
FACTORS = (0.4, 0.5, 0.6, 0.75, 1.25, 1.5, 1.75, 2, 3)
CIRCUMSTANCES = (
    "{subject} was first proposed by {other} in {month} {year}",
    "{subject} will be inspected by {other} in {month} {year}",
    "{subject} won a national prize in {month} {year}",
    "{subject} drew {amount} complaints in the first weeks",
    "{subject} had to wait {years} months for a permit",
    "{subject} received {amount},000 from private donors",
    "{subject} was insured by {other} for {years} years",
    "{subject} replaced an older one that had served for {years} years",
    "{subject} was shown to {amount} guests before the opening in {month}",
    "{subject} was named after a friend of {other}",
    "{subject} will be copied by {other} within {years} months",
    "{subject} lost {amount} supporters after a dispute with {other}",
)
PERSONAL = (
    "{subject} learned the trade from {other} at the age of {years}",
    "{subject} turned down an offer from {other} in {month} {year}",
    "{subject} wrote a book about {other} in {year}",
    "{subject} was advised by {other} for {years} months",
    "{subject} will meet {other} in {month} {year}",
    "{subject} had worked with {other} for {years} years",
    "{subject} gave {amount},000 to {other} in {month}",
    "{subject} first heard of {other} in {year}",
    "{subject} quarrelled with {other} in {month} {year}",
    "{subject} expects {amount} visitors at {other} in {month}",
)
TAIL = re.compile(r"(?:^| )(?:in|on|at|by|for|from|since|before|after|with|against|near|above|behind|until) .*$")
AMOUNT = re.compile(r"(?<![\w.,-])\d(?:[\d,]*\d)?(?:\.\d+)?(?![\w-])")


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
    """Of a dozen candidates the one whose subject and predicate the list has least of."""
    turns = [_turn(claim) for claim in taken]
    if chance.random() < INVENTED:
        return _circumstance(given, turns, chance)
    found = []
    for _ in range(60):
        candidate = chance.choices([maker for maker, _ in MAKERS], [often for _, often in MAKERS])[0](given, chance)
        closest = max((alike(candidate, claim) for claim in taken), default=0.0) if candidate else 1.0
        if candidate and (closest < SAME or _differs_in_number(candidate, taken)):
            repeated = turns.count(_turn(candidate))
            if repeated < 3:
                subjects = sum(_opening(candidate) == _opening(claim) for claim in taken)
                found.append((repeated + subjects, len(found), candidate))
        if len(found) == 12:
            break
    return min(found)[2] if found else _circumstance(given, turns, chance)


def _opening(claim):
    return claim.split()[:2]


def _turn(claim):
    taken = clause(claim)
    words = taken.predicate.split() if taken else claim.split()
    return [word for word in words if not re.search(r"\d", word)][:2]


def _differs_in_number(candidate, taken):
    """A changed amount leaves all other words alike and is a new claim all the same."""
    found = set(numbers(candidate) + dates(candidate))
    return all(found - set(numbers(claim) + dates(claim)) for claim in taken if alike(candidate, claim) >= SAME)


def _clauses(given) -> list[Clause]:
    return [taken for taken in map(clause, given) if taken]


def _other_subject(given, chance):
    pool = _clauses(given)
    if len(pool) < 2:
        return None
    one, other = chance.sample(pool, 2)
    if person(one.subject) != person(other.subject) and chance.random() < 0.8:
        return None
    if one.subject == other.subject or (None not in (one.plural, other.plural) and one.plural != other.plural):
        return None
    if _head(one.subject) & _head(other.predicate) or (other.auxiliary and not other.verb):
        return None  # "the price is 9 marks" says too much about its subject to suit another
    return _sentence(f"{one.subject} {other.predicate}")


def _other_tail(given, chance):
    """One claim's subject and verb, another's circumstances: what stands behind the first preposition."""
    pool = [(taken, tail) for taken in _clauses(given) if (tail := TAIL.search(taken.rest))]
    if len(pool) < 2:
        return None
    (one, old), (_, new) = chance.sample(pool, 2)
    if old[0].split()[0] != new[0].split()[0]:
        return None
    words = [one.subject, one.auxiliary, one.verb, one.rest[: old.start()].strip(), new[0].strip()]
    return _sentence(" ".join(word for word in words if word)) if old[0] != new[0] else None


def _head(text):
    return {word.lower().strip(",.") for word in text.split() if len(word) > 3}


def _other_name(given, chance):
    target = chance.choice(given) if given else ""
    known = frozenset().union(*map(inner_capitals, given))
    inner = [name for name in facts(target, known).names if name in target.split(" ", 1)[-1]]
    foreign = [name for claim in given for name in facts(claim, known).names if name not in target]
    foreign = [name for name in foreign if NAME.fullmatch(name)]
    if not inner or not foreign:
        return None
    old = chance.choice(inner)
    new = [name for name in foreign if person(name) == person(old)] or foreign
    new = chance.choice(new)
    article = r"(?:[Tt]he )?" if person(new) else ""
    return re.sub(rf"{article}(?<!\w){re.escape(old)}(?!\w)", new, target)


def _changed_number(given, chance):
    target = chance.choice(given) if given else ""
    amounts = [
        match for match in AMOUNT.finditer(target) if len(match[0]) < 16 and match[0] not in " ".join(dates(target))
    ]
    if not amounts:
        return None
    match = chance.choice(amounts)
    others = {found for claim in given if claim != target for found in AMOUNT.findall(claim)} - {match[0]}
    others = {found for found in others if not re.fullmatch(r"(?:1[5-9]|20)\d\d", found)}
    others = sorted(found for found in others if abs(len(found) - len(match[0])) < 2 and found not in target)
    shown = chance.choice(others) if others and chance.random() < 0.85 else _scaled(match[0], chance.choice(FACTORS))
    return None if shown == match[0] else target[: match.start()] + shown + target[match.end() :]


def _scaled(amount, factor):
    changed, decimals = float(amount.replace(",", "")) * factor, len(amount.partition(".")[2])
    if decimals:
        return f"{changed:,.{decimals}f}"
    digits = max(0, len(str(int(changed))) - 2)
    shown = f"{max(2, round(changed, -digits)):,.0f}"
    return shown if "," in amount or changed >= 10_000 else shown.replace(",", "")


def _changed_date(given, chance):
    target = chance.choice(given) if given else ""
    for pool in (MONTHS - {"May"}, WEEKDAYS):
        found = [word for word in re.findall(r"\w+", target) if word in pool]
        if found:
            old = chance.choice(found)
            seen = {word for claim in given for word in re.findall(r"\w+", claim) if word in pool} - {old}
            new = sorted(seen) if seen and chance.random() < 0.75 else sorted(pool - {old})
            return re.sub(rf"\b{old}\b", chance.choice(new), target)
    years = re.findall(r"(?<![\w.,])(?:1[5-9]|20)\d\d(?![\w.,-]\d|\w)", target)
    if not years:
        return None
    old = chance.choice(years)
    return target.replace(old, str(int(old) + chance.choice((-7, -4, -3, -2, 2, 3))))


def _circumstance(given, turns, chance):
    """A shape that the list does not have yet, about a subject or a name from it."""
    known = frozenset().union(*map(inner_capitals, given))
    pool = {taken.subject for taken in _clauses(given) if not taken.plural}
    pool |= {name for claim in given for name in facts(claim, known).names if person(name)}
    pool = sorted(pool) or ["The plan"]
    subject = chance.choice(pool)
    others = [name for claim in given for name in facts(claim, known).names if not _head(name) & _head(subject)]
    others = [name for name in others if not re.search(r"^[^ ]+(?:an|ish|ese)$", name)]
    years = [year for claim in given for year in re.findall(r"\b20\d\d\b", claim)] or ["2025"]
    months = sorted({word for claim in given for word in re.findall(r"\w+", claim) if word in MONTHS - {"May"}})
    values = {"years": chance.randint(6, 19), "month": chance.choice(months or sorted(MONTHS - {"May"}))}
    values["year"] = chance.choice(years)
    values |= {"subject": subject, "other": chance.choice(others or ["the council"]), "amount": chance.randint(12, 380)}
    shapes = PERSONAL if person(subject) else CIRCUMSTANCES
    made = [_sentence(shape.format(**values)) for shape in shapes]
    return chance.choice([claim for claim in made if _turn(claim) not in turns] or made)


MAKERS = (
    (_other_subject, 7),
    (_other_tail, 5),
    (_other_name, 4),
    (_changed_number, 2),
    (_changed_date, 2),
)


def _sentence(text):
    return text[:1].upper() + text[1:].rstrip(".") + "."
