"""What news might tell of somebody or something, but need not: on whose advice it was done, when it was decided, a
firm's founders, a bridge's architect. Each invention is a claim with an unknown detail, the questions that ask for this
detail, and the words by which a text that tells it, or something near it, would betray that.

The inventions stand in `invented_deeds` and `invented_things`, each as a claim, lines with its questions, and what
restricts it. {s} is whom or what it is about, {to} and {ing} what was done or arranged, {fact} what is said to be so,
{d} what the document tells of the subject besides (`descriptions`), {c} another place and {p} another person. Whether
an invention makes sense is known only as far as the last word of its subject and the verb tell.
"""

import re
from functools import cache
from typing import NamedTuple

from ragassay.embedded.english.actions import KINDS_OF_DEEDS, arranged, verb, willed
from ragassay.embedded.tasks import invented_actions, invented_things

POSSIBLE = {"can", "could", "may", "might"}
NO_NEWS = {"come", "have", "lie", "look", "put", "say", "stand", "write"}  # verbs of what surprises nobody


class Invention(NamedTuple):
    claim: str
    questions: tuple[str, ...]
    told: str  # words in a text that may tell it
    heads: frozenset[str]  # last words of the subjects, or verbs of the deeds, that it fits; any if empty
    by: str  # "person", "actor" for whoever can decide, "" for anything
    later: bool  # whether it can only be said of what is there already
    unwilled: bool  # whether it can be said of deeds that nobody decides to do

    def fits(self, subject: str) -> bool:
        """Whether it fits a thing."""
        head = re.split(r" (?:of|on|in|from|at|for|to|near|that|by) ", subject)[0].split()[-1].lower()
        return not self.heads or head in self.heads

    def suits(self, subject: str, to: str, acting: bool, person: bool) -> bool:
        """Whether it suits what this subject did."""
        if self.heads and verb(to) not in self.heads:
            return False
        if not self.by:
            return arranged(subject, to) and (not person or to.startswith("be "))
        able = person if self.by == "person" else acting
        return able and not to.startswith("be ") and (willed(to) or self.unwilled)

    def is_news(self, verbs: str) -> bool:
        """Whether it suits what is said with this verb and its auxiliary."""
        said = set(verbs.split())
        return bool(self.heads & said if self.heads else not NO_NEWS & said) and not POSSIBLE & said

    def is_told(self, text: str) -> bool:
        return re.search(rf"(?<!\w)(?:{self.told})", text, re.IGNORECASE) is not None


HEADS = {
    "FIRM": "ferries bank brewery works motors fuels energy airline company firm group holdings studio yard"
    " maker co-operative cooperative operator publisher dairy broadcaster industries"
    " business",
    "CLUB": "rangers united athletic club scholars ladies team union league choir orchestra philharmonic"
    " party federation",
    "BODY": "council assembly committee board parliament",
    "BUILDING": "arena bakery barn castle cave cellar centre dairy factory farm gallery hall hospital hotel"
    " house hut laboratory library lighthouse mill museum observatory plant restaurant school shop"
    " stadium station theatre warehouse cannery inn",
    "ROUTE": "bridge canal dam line path pier railway road route tower track tunnel way street quay harbour"
    " port mast lock",
    "VEHICLE": "boat bus car ferry lorry plane ship train tram truck vessel aircraft tube helicopter snowplough",
    "MACHINE": "camera charger chip computer drone engine machine organ radar robot satellite scanner sensor"
    " siren telescope turbine battery instrument clock bell",
    "PROGRAM": "app software system",
    "PRINTED": "book novel guide magazine report poem",
    "STAGED": "ballet comedy drama film musical opera play serial series show",
    "SUNG": "album single song record symphony",
    "CONTEST": "match game race final semi-final quarter-final tournament contest tour championship cup",
    "FEAST": "festival concert fair parade premiere ceremony celebration harvest auction exhibition night",
    "STUDY": "study experiment survey trial excavation expedition census investigation count restoration search",
    "HARM": "fire blaze storm flood strike",
    "PAPER": "agreement bill budget contract deal draft law lease loan policy report strategy treaty permit",
    "CHANGE": "bill budget ban duty law levy limit plan policy project proposal quota reform rule scheme"
    " strategy subsidy tax toll amendment",
    "HONOUR": "award prize medal trophy star",
    "SEEN": "museum gallery castle theatre garden path railway hotel lighthouse park reserve observatory exhibition",
}


def _parsed(table: str) -> tuple[Invention, ...]:
    """A table of claims, each with its lines behind it."""
    found, known = [], HEADS | {name: " ".join(verbs) for name, verbs in KINDS_OF_DEEDS.items()}
    for block in re.split(r"\n(?=\S)", table.strip()):
        claim, *lines = block.split("\n")
        marked = dict(line.strip().partition(": ")[::2] for line in lines if not line.startswith("  ? "))
        names = [name for line in lines if line.startswith("  of: ") for name in line.split()[1:]]
        heads = frozenset(word for name in names for word in known.get(name, name).split())
        questions = tuple(line.removeprefix("  ? ") for line in lines if line.startswith("  ? "))
        by = marked.get("by", "")
        found.append(Invention(claim, questions, marked["told"], heads, by, "later" in marked, "any" in marked))
    return tuple(found)


DEEDS = (*_parsed(invented_actions.ARRANGEMENT), *_parsed(invented_actions.DEED))
NEWS = _parsed(invented_actions.NEWS)
THINGS = {
    "organisation": _parsed(invented_things.ORGANISATION),
    "structure": _parsed(invented_things.STRUCTURE),
    "device": _parsed(invented_things.DEVICE),
    "work": _parsed(invented_things.WORK),
    "event": _parsed(invented_things.EVENT),
    "plan": _parsed(invented_things.PLAN),
}


@cache
def patterns() -> tuple[tuple[re.Pattern, Invention], ...]:
    """What recognises a claim as an invention, with the invention."""
    found = []
    for one in dict.fromkeys((*DEEDS, *NEWS, *(one for kind in THINGS.values() for one in kind))):
        escaped = re.escape(one.claim).replace(r"\{was\}", "(?:was|were)")
        escaped = re.sub(r"\\{(\w+)\\}", lambda slot: f"(?P<{slot[1]}>.+?)", escaped)
        found.append((re.compile(escaped), one))
    return tuple(found)


def recognised(claim: str) -> list[tuple[Invention, dict[str, str]]]:
    """(invention, the claim's details) for each invention that a claim can be."""
    matches = [(pattern.fullmatch(claim.rstrip(".")), one) for pattern, one in patterns()]
    found = [(one, match.groupdict()) for match, one in matches if match]
    return [(one, details) for one, details in found if not details.get("s", "").startswith("It was")]
