"""Who and what a list of claims names, and of which kind each is: a person, an organisation, a building, a device, a
work, an event, a plan, a place.

Kinds are told by looks: the last word of a subject, the words that stand before a name. A subject of no known kind
gets nothing, and neither do plural and vague ones.
"""

import re
from typing import NamedTuple

from ragassay.embedded.english.clauses import clause, lowered
from ragassay.embedded.english.facts import NAME, NOT_PERSONAL, facts, inner_capitals, person
from ragassay.embedded.english.vocabulary import MONTHS, NUMBER_WORDS, WEEKDAYS

ORGANISATION = frozenset(
    "academy agency airline alliance assembly association athletic authority bank board brewery broadcaster business"
    " chamber charity choir church clinic club college cycling committee company cooperative co-operative council"
    " energy federation ferries firm force foundation fuels fund government group holdings hospital industries"
    " institute league maker ministry motors office operator orchestra organisation parliament party philharmonic"
    " police press rangers records school service society studio studios team theatre trust union united"
    " university".split()
)
KINDS = {
    "structure": "airport arena bakery barn bridge building cafe canal cannery castle cave cellar centre dam depot dome"
    " factory farm garden gallery hall harbour hotel house hut laboratory library lighthouse line lock market mill mine"
    " monument museum observatory park path pier plant pool port prison quay railway reserve restaurant road route shed"
    " shop site stadium station street tower track tunnel way wharf",
    "device": "app aircraft battery boat bus camera car charger chip computer device drone engine ferry instrument"
    " lorry machine organ plane radar robot satellite scanner sensor ship software system telescope train tram truck"
    " turbine vaccine vessel drug medicine",
    "work": "album ballet book comedy drama exhibition film guide magazine menu musical novel opera painting play poem"
    " programme record report serial series show single song story symphony",
    "event": "auction blaze celebration ceremony census concert conference congress contest count course demonstration"
    " election event excavation experiment expedition festival fire flood game harvest hearing inspection investigation"
    " match meeting parade premiere race recording rehearsal rescue restoration search storm strike study summit survey"
    " test tour tournament trial trip vote voyage wedding work",
    "plan": "agreement award bid bill budget campaign charge charter contract deal decision draft duty grant law lease"
    " loan offer order permit petition plan policy prize project proposal quota rule scheme strategy subsidy tax"
    " toll treaty",
}
KIND_OF = {word: kind for kind, words in KINDS.items() for word in words.split()}
THING = re.compile(
    r"\b[Tt]he (?P<thing>(?:[a-z]+(?:-[a-z]+)* |[A-Z][\w\u2019'-]+ ){0,2}?(?:[a-z]+(?:-[a-z]+)*|[A-Z][a-z]+))"
    r"(?= (?:of|in|at|on|to|for|from|with|by|will|was|is|has|had|and|or|between|above|near|after|before|until|over"
    r"|that|which|who)\b|[.,:;]|$| [a-z]+(?:ed|s)\b)"
)
VAGUE_WORDS = NUMBER_WORDS.keys() | frozenset(
    "first second third last next other same whole only of and best worst largest smallest greater rest most more in at"
    " on to for from with by is was".split()
)
TOWN_WORDS = frozenset("New North South East West Port Saint Upper Lower San".split())
STRANGERS = ("the mayor", "the minister", "the county council", "a local newspaper")  # where a list names nobody
PEOPLE = re.compile(
    r"(?<!')\b(?:\w+(?:men|women|ists|ants|tects|eers|teers|itors|ectors|authors|actors|iners|armers|eaders|orkers|akers"
    r"|elpers|ellers|agers|oners|ayers|umers|urers|icians|ians|itics|upils|udents|urses|ouncillors|embers|ighbours)"
    r"|farmers|owners|people|members|critics|pupils|nurses|players|crew|family|staff|residents|families|fans)$",
    re.IGNORECASE,
)
PLACE = re.compile(rf"\b(?:in|at|near|off|on) (?:the )?(?P<place>{NAME.pattern})(?<!['\u2019]s)(?!['\u2019]s)")
ACTING = frozenset("city government museum parish port region state town village".split())


class Cast(NamedTuple):
    """Who and what a list of claims names."""

    actors: tuple[str, ...]  # persons, organisations, and people by what they do: "the architects"
    places: tuple[str, ...]
    kinds: dict[str, str]  # subject -> kind, those of some kind
    years: tuple[str, ...]
    months: tuple[str, ...]


def cast(claims: list[str]) -> Cast:
    known, text = frozenset().union(*map(inner_capitals, claims)), "\n".join(claims)
    places = _places(text)
    names = dict.fromkeys(name for claim in claims for name in facts(claim, known).names if len(name) > 3)
    with_article = {name for name in names if re.search(rf"\b[Tt]he {re.escape(name)}\b", text)}
    persons = [name for name in names if " " in name and is_person(name) and name not in with_article | places.keys()]
    towns = [name for name in places if name not in with_article and not organisation(name)]
    organisations = [
        f"the {name}" if name in with_article else name
        for name in names
        if organisation(name) and (" " in name or name in with_article)
    ]
    clauses = [taken for taken in map(clause, claims) if taken and lowered(taken.subject) not in STRANGERS]
    kinds = _things(text)
    kinds |= {taken.subject: kind(taken.subject, persons, towns, known) for taken in clauses if not _is_many(taken)}
    kinds |= dict.fromkeys(map(_capital, organisations), "organisation") | dict.fromkeys(persons, "person")
    groups = [lowered(taken.subject) for taken in clauses if is_group(taken.subject)]
    words = re.findall(r"\w+", text)
    return Cast(
        tuple(actor for actor in dict.fromkeys((*persons, *organisations, *groups)) if actor not in STRANGERS),
        tuple(filter(_is_town, towns)),
        {subject: one for subject, one in kinds.items() if one},
        tuple(dict.fromkeys(word for word in words if re.fullmatch(r"(?:19[5-9]|20[0-4])\d", word))),
        tuple(dict.fromkeys(word for word in words if word in MONTHS - {"May"})),
    )


def _places(text):
    """Names that stand behind "in", "at" and the like, in order."""
    found = [match["place"] for match in PLACE.finditer(text)]
    return {
        place: True
        for place in found
        if place.split()[0] not in MONTHS | WEEKDAYS and len(place) > 3 and not re.search(r"\d", place)
    }


def _is_many(taken):
    return taken.plural or " and " in taken.subject


def acts(subject: str) -> bool:
    """Whether a subject can decide something: a person, an organisation, a group of people."""
    core = re.split(r" (?:of|on|in|from|at|for|to|near|with)\b", subject)[0]
    return is_person(core) or organisation(core) or is_group(core) or core.split()[-1].lower() in ACTING


def _things(text):
    """ "The new radar" and other things of a known kind, wherever a sentence has them."""
    found = {}
    for match in THING.finditer(text):
        words = match["thing"].split()
        head = words[-1].lower()
        if match[0].startswith("The") and not re.search(r"(?:^|[.\n] ?)$", text[: match.start()]):
            continue  # the title of a work
        if head in KIND_OF and not VAGUE_WORDS & {word.lower() for word in words}:
            found.setdefault(f"The {match['thing']}", KIND_OF[head])
    return found


def _is_town(place):
    return not NOT_PERSONAL & set(place.split()) - TOWN_WORDS and place.split()[-1].lower() not in KIND_OF


def _capital(text):
    return text[:1].upper() + text[1:]


def is_person(name: str) -> bool:
    if any(word.lower() in NUMBER_WORDS for word in name.split()):
        return False
    return person(name) and not NOT_PERSONAL & set(name.split()) and not organisation(name) and name.split()[0] != "The"


def is_group(subject: str) -> bool:
    """Whether a subject is people by what they do or are, or a body without a name."""
    words = subject.split()
    known = words[0] in ("The", "Its", "Some", "Many") or len(words) == 1 or re.search(r"['\u2019]s?$", words[-2])
    return bool(known) and len(words) < 5 and bool(PEOPLE.search(subject) or words[-1].lower() in ORGANISATION)


def organisation(name: str) -> bool:
    words = name.lower().replace("\u2019", "'").split()
    return "&" in words or words[-1] in ORGANISATION or words[0] in ("team", "bank", "university", "ministry")


def kind(subject: str, persons, places, known) -> str | None:
    """The kind of a subject, None for what is plural, vague or a quantity."""
    core = re.split(r" (?:of|on|in|from|at|for|to|near|that|called|with|by)\b", subject)[0].split()
    first, last = core[0], core[-1].lower().strip(",.")
    if subject in places:
        return "place"
    if " ".join(core) in persons:
        return "person"
    if re.search(r"\d", subject) or len(subject.split()) > 6 or first in ("A", "An"):
        return None
    article, proper = first == "The", all(word[0].isupper() for word in core)
    if organisation(" ".join(core)):
        return "organisation" if article or proper else None
    if last in KIND_OF:
        return KIND_OF[last] if article or proper or re.search(r"['\u2019]s\b", subject) else None
    named = proper and not article and len(subject) > 3 and not subject.endswith("s")
    return "other" if named and (len(core) > 1 or first in known) else None
