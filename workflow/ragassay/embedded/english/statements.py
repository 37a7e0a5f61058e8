"""The plain statements of a document: clauses that can stand in a question as they are, each with whoever said so.

Taken are main clauses, what somebody "said that", and what stands behind "who" and "which" between commas; what a
sentence begins with goes behind its clause. Left out is what is quoted, refers to something before it, or cannot be
taken apart.
"""

import re
from functools import lru_cache
from typing import NamedTuple

from ragassay.embedded.english.clauses import LONGEST, Clause, clause
from ragassay.embedded.english.descriptions import LEANING, first_part, plain
from ragassay.embedded.english.entities import is_person
from ragassay.embedded.english.facts import NAME, facts, inner_capitals
from ragassay.embedded.tasks.claims import QUOTED, named, standalone
from ragassay.embedded.tasks.question_drafts import because
from ragassay.text.sentences import sentences

MOST = 200  # statements of a document
SAYING = (
    "said|says|told|warned|warns|expects|thinks|believes|reckons|announced|explained|promised|pointed out|replied|added"
)
WHO = rf"(?P<speaker>(?:The [a-z]+(?: [a-z]+)?|{NAME.pattern})(?: of [^,]+?)?)(?:, [^,]+,)?"
HE_SAID = re.compile(
    rf"{WHO} (?:{SAYING})(?: (?:on [A-Z]\w+|reporters|the [a-z]+))?"
    r"(?: that)? (?P<said>(?!that|to|about|on|off|with)\S.+)"
)
SAID_HE = re.compile(
    rf"(?P<said>[^,]{{25,}}), (?:according to|said|says) (?P<role>the [a-z ]+, )?"
    rf"(?P<speaker>(?:the )?{NAME.pattern}|the [a-z]+)(?:, [^,]+)?\W*"
)
BETWEEN = re.compile(
    rf"(?P<subject>(?:[Tt]he [a-z]+ )?{NAME.pattern}|[Tt]he [a-z]+), (?:who|which) (?P<told>[^,]{{15,}}),"
)
AT = "In|At|On|By|From|For|After|Before|During|Under|Since|Until|With"
FRONTED = re.compile(
    rf"(?P<front>(?:{AT}) [^,]{{3,45}}), (?P<rest>(?:the|an?|[A-Z]).+)"
    rf"|(?P<at>(?:{AT}) (?:(?:[A-Z]\w+|autumn|spring|summer|winter|next|last) ){{1,2}}(?:\d{{4}} )?)"
    r"(?P<then>(?:the|an?|some|up to|(?!(?:19|20)\d\d )\d+) .+)"
    rf"|(?P<with>(?:{AT}) [^,]{{3,40}}?) (?P<so>the [a-z-]+ (?:will|would|is|was|has|had) .+)"
)
PASSING = re.compile(r"^(?:now|also|then|therefore|still|already|just|even|again|since|soon|once) ")


class Statement(NamedTuple):
    taken: Clause
    speaker: str  # who said so, "" if the document says it itself
    reason: str  # what stands behind "because"
    after: str = ""  # what follows behind a comma


@lru_cache(maxsize=64)
def statements(document: str) -> tuple[Statement, ...]:
    known, found, before, persons = inner_capitals(document), {}, None, []
    for sentence in sentences(document):
        sentence = " ".join(sentence[: LONGEST + 1].split())
        if len(sentence) > LONGEST or len(found) == MOST:
            continue
        own = None
        if not QUOTED.search(sentence) and not sentence.endswith("?"):
            own = standalone(sentence, before, known) or _about(sentence, persons)
        before = clause(own) if own else None
        persons = [*persons, *_persons(own or sentence, known)][-2:]
        for said, speaker in _said(own) if own else ():
            if taken := _clear(said, document, known):
                found.setdefault(taken, Statement(taken, speaker, because(said), _after(said)))
    return tuple(found.values())


def _persons(sentence, known):
    return [name for name in facts(sentence, known).names if is_person(name)]


def _about(sentence, persons):
    """The sentence with the person whom its "he" or "she" can only mean: the one that was named last, twice over."""
    leading = re.match(r"(He|She|His|Her)\b", sentence)
    if not leading or not persons or len(set(persons)) > 1:
        return None
    return f"{persons[-1]}{chr(39) + 's' if leading[1] in ('His', 'Her') else ''}{sentence[leading.end() :]}"


def _said(sentence):
    """(statement, speaker) for all that a sentence says."""
    for between in BETWEEN.finditer(sentence):
        yield f"{between['subject']} {between['told']}", ""
    reported = HE_SAID.fullmatch(sentence) or SAID_HE.fullmatch(sentence)
    if reported and clause(said := reported["said"][:1].upper() + reported["said"][1:]):
        yield said, reported["speaker"]
        return
    if fronted := FRONTED.fullmatch(sentence.rstrip(".")):
        front, rest = (part.strip() for part in fronted.groups() if part)
        yield f"{rest[:1].upper()}{rest[1:]} {front[:1].lower()}{front[1:]}.", ""
    yield sentence, ""


def _after(said):
    """What stands behind the first comma of a main clause, if it tells something by itself."""
    taken = clause(said)
    after = taken.rest[len(first_part(taken.rest)) :] if taken else ""
    whole = re.fullmatch(r", [a-z\d](?:[^,;:()]|(?<=\d),(?=\d))*", after)
    return after if whole and AFTER.match(after) and not LEANING.search(after) else ""


def _clear(said, document, known) -> Clause | None:
    """The main clause with the full name of its subject, if it can be asked about without what stands around it."""
    taken = clause(said)
    if taken and PASSING.match(f"{taken.verb} {taken.rest}".strip()):
        taken = clause(f"{taken.subject} {taken.auxiliary} {PASSING.sub('', f'{taken.verb} {taken.rest}'.strip())}")
    if not taken:
        return None
    taken = taken._replace(subject=named(taken.subject, document), rest=first_part(taken.rest))
    first, _, second = taken.rest.partition(" and ")
    if second and clause(second[:1].upper() + second[1:]):
        taken = taken._replace(rest=first)
    words = taken.subject.split()
    common = len(words) == 1 and words[0] not in known and not words[0].endswith("s")
    if (
        " whether " in taken.subject
        or common
        or not plain(taken)
        or VAGUE.match(taken.subject)
        or UNSAID.search(f" {taken.predicate} ")
    ):
        return None
    first = words[0] if known & {words[0], words[0][:-2]} or not " ".join(words[1:]).islower() else words[0].lower()
    return taken._replace(subject=" ".join([first, *words[1:]]))


AFTER = re.compile(
    r", (?:against|about|an?|the|at|in|on|for|from|to|with|after|before|by|including|half|most|one|two|three|\d"
    r"|roughly|some|nearly)\b"
)
VAGUE = re.compile(
    r"(?:Each|One|Others|Both|Another|Such|Next|Last|Today|Tonight|Once|Half|Work|Most|Some|What|There|Not|Only|Of|With|By"
    r"|The (?:last|first|second|other|rest|next)$)\b(?! [A-Z])"
)
UNSAID = re.compile(r" (?:between|this|that|shows?|decides?|said|says|than|instead|so) ")
