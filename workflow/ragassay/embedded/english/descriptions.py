"""What a document tells of somebody or something, as a part of a question: ", the transport minister", ", who led the
work for two years", "that the council bought in May", ", where the old boats lie".

Only what plain sentences of the document say is used, in their words, and if need be without their last parts. A
sentence that is quoted, refers to something before it or cannot be taken apart gives nothing.
"""

import re
from functools import lru_cache

from ragassay.embedded.english.clauses import AUXILIARIES, HANGING, IRREGULAR, PRESENT, Clause, clause, lowered
from ragassay.embedded.english.facts import inner_capitals
from ragassay.embedded.tasks.claims import QUOTED, candidates, named, standalone
from ragassay.text.sentences import sentences

LEANING = re.compile(
    r"\b(?:her(?= (?:by|to|in|on|at|for|with|from|and|an?|the|\d)\b|$)"
    r"|it|they|them|he|she|him|this|that|these|those|there|here|I|we|you|my|our|us|who|which|what|not|nor|never"
    r"|nobody|such|also|too|then|so|as|if|how|when|where|alone|said|says|told|added|same|instead|still|again|yet|now"
    r"|today|just|even)\b",
    re.IGNORECASE,
)
SHORTER = re.compile(
    r"(?P<kept>.*\S) (?:in|on|at|by|for|from|until|since|before|after|over|about|within|with|during|between|along"
    r"|against|under|near|and) "
)
WHOLE = re.compile(r"(?P<kept>.*\S) (?:in|on|at|for|from|until|since|before|after|during|against|with) ")
AS_IF_ASKING = re.compile(r", (?:who|which|where) (?:is|are|was|were|do|does|did|has|have|had|will|would|can|could)\b")
FEWEST = 3  # words of what is told behind "who"
LISTING = re.compile(r" and (?:[\w\u2019'-]+ )?[\w\u2019'-]+$")  # the second half of a list needs what is behind it
OPEN_ENDED = HANGING | AUXILIARIES | {"late", "early", "only", "about", "some", "nearly", "almost", "up", "between"}
SECOND_VERB = re.compile(
    r" and (?:then |(?:in|at|on) (?:\w+ ){1,3})?"
    rf"(?:is|was|[a-z]+ed|being|{'|'.join(sorted(PRESENT | IRREGULAR.keys()))}) .*"
)
FEWEST_LEFT = 4
UNFINISHED = re.compile(r"(?:ed|ing|due|to \w+|is|was|are|were|been|be|able|ready|open)$")
ROLE = r"(?:the|an?) [a-z][\w\u2019'-]*(?: [\w\u2019'&-]+){0,7}"


@lru_cache(maxsize=256)
def clauses_of(document: str) -> tuple[Clause, ...]:
    """The plain clauses of a document, in order; their subjects have their full names."""
    known, found, before = inner_capitals(document), [], None
    for sentence in sentences(document):
        own = None if QUOTED.search(sentence) or re.match(r"Its?\b", sentence) else standalone(sentence, before, known)
        before = clause(own) if own else None
        if before:
            taken = before._replace(subject=named(before.subject, document), rest=first_part(before.rest))
            if plain(taken):
                found.append(taken)
    found += [one.taken for one in candidates(document) if one.taken and one.taken not in found and plain(one.taken)]
    return tuple(found)


def first_part(rest):
    """What stands before a comma, if no list is torn."""
    rest = SECOND_VERB.sub("", rest)
    first, comma, others = rest.partition(", ")
    return (
        rest
        if comma and re.match(r"(?:[\w\u2019'-]+ ){0,3}[\w\u2019'-]*,? (?:and|or) |[A-Z\d].* (?:and|or) ", f"{others} ")
        else first
    )


def plain(taken: Clause) -> bool:
    """Whether a clause can stand in a question as it is: nothing in it refers to what was said before it."""
    rest = f"{taken.verb} {taken.rest}"
    if LEANING.search(rest) or LEANING.search(taken.subject) or re.search(r"[\"“”:;()]|\u2018", rest):
        return False
    if "," in re.sub(r"(?<=\d),(?=\d)", "", rest):
        return False
    words = rest.split()
    if not taken.verb and taken.rest.split()[:1] and taken.rest.split()[0].endswith("ly"):
        return False
    return len(words) >= FEWEST and words[-1] not in OPEN_ENDED


def descriptions(name: str, kind: str, document: str) -> list[str]:
    """Parts of questions that can stand behind a name; each begins with a space or a comma."""
    found = [f", {role}" for role in _roles(name, document)] if kind in ("person", "organisation", "place") else []
    link = "who" if kind == "person" else "which"
    for taken in clauses_of(document):
        found += _told(name, kind, link, taken)
    return [one for one in dict.fromkeys(found) if not AS_IF_ASKING.match(one)]


def _told(name, kind, link, taken: Clause):
    if taken.subject.lower() == name.lower():
        yield from (f", {link} {part}" for part in _shorter(taken.predicate))
        return
    if kind == "person" or _key(name) in taken.subject.lower():
        return
    subject = lowered(taken.subject)
    said = " ".join(part for part in (subject, taken.auxiliary, taken.verb) if part)
    inner = re.match(rf"(?P<before>.*?)(?P<name>\b{re.escape(lowered(name))})(?![\w\u2019'-])(?P<after>.*)", taken.rest)
    if not inner:
        return
    before, after = inner["before"].strip(), inner["after"].strip()
    if not before and taken.verb and taken.auxiliary not in ("is", "are", "was", "were", "has been", "have been"):
        if not re.match(r"[A-Z\d]|of |that |'s", after):
            yield from (f" that {said} {part}".rstrip() for part in _parts(after))
    elif (
        re.fullmatch(r"(?:.* )?(?:in|at)", before)
        and kind in ("place", "structure")
        and not re.match(r"[A-Z\d]|of ", after)
    ):
        kept = " ".join(before.split()[:-1])
        yield from (f", where {said} {kept} {part}".rstrip() for part in _parts(after) if kept)


def _key(name):
    return name.lower().removeprefix("the ")


def parts_of(text: str, fewest: int = 1):
    """The text and its openings, as far as they have so many words and seem whole."""
    while text and len(text.split()) >= fewest:
        if text.split()[-1] not in OPEN_ENDED:
            yield text
        cut = WHOLE.match(text) if not re.search(r"\d and \d", text) else None
        text = cut["kept"] if cut and not LISTING.search(cut["kept"]) else ""


def _parts(text):
    """The text, its openings, and nothing."""
    yield from parts_of(text)
    yield ""


def _shorter(text):
    """The text, and what is left of it without its last circumstances."""
    text, fewest = " ".join(text.split()), FEWEST
    while text and len(text.split()) >= fewest:
        if text.split()[-1] not in OPEN_ENDED:
            yield text
        cut = SHORTER.match(text) if not re.search(r"\d and \d", text) else None
        text, fewest = (cut["kept"] if cut and not UNFINISHED.search(cut["kept"]) else ""), FEWEST_LEFT


def _roles(name, document):
    """ "the transport minister" in "Odile Farrant, the transport minister, told" and "the transport minister, Odile
    Farrant"; "who speaks for the town" in "Walter Pym, who speaks for the town, stood up".
    """
    escaped = re.escape(name)
    for pattern in (
        rf"(?<![\w-] ){escaped}, (?P<role>{ROLE})(?=[,.])",
        rf"(?<![\w-] ){escaped}, (?P<role>[a-z]+ (?:of|at) [\w\u2019' ]+)(?=[,.])",
        rf"(?<![\w-] ){escaped}, (?P<role>(?:who|which) [\w ]+)(?=[,.])",
        rf"\b(?P<role>[Tt]he (?!(?:[a-z-]+ )*(?:at|in|on|of|near|from|to|for|with|by) {escaped})"
        rf"[a-z][a-z-]*(?: [a-z][a-z-]*){{0,3}}),? {escaped}(?=[,.]| [a-z])",
    ):
        for match in re.finditer(pattern, document):
            role = match["role"]
            core = role.removeprefix("who ").removeprefix("which ")
            if not LEANING.search(core) and not re.search(
                r"^(?:[Tt]he|an?) .*\b(?:said|was|is|were|are|by|that|of)$", role
            ):
                yield lowered(role)
