"""What news might tell of somebody or something, but need not: a person's first job, a firm's founders, a bridge's
architect. Each invention is a claim with an unknown detail, the questions that ask for this detail, and the words by
which a text that tells it, or something near it, would betray that.

The inventions stand in `invented_lives`, `invented_bodies` and `invented_things`, each as a claim, lines with its
questions, and what restricts it. {s} is whom or what it is about, {d} what the document tells of it, {to}, {ing} and
{once} what it did there (`descriptions`), {c} another place and {p} another person of the text. Whether an invention
makes sense for its subject is known only as far as the last word of the subject tells.
"""

import re
from functools import cache
from typing import NamedTuple

from ragassay.embedded import invented_bodies, invented_lives, invented_things


class Invention(NamedTuple):
    claim: str
    questions: tuple[str, ...]
    told: str  # words in a text that may tell it
    heads: frozenset[str]  # last words of the subjects that it fits; any if empty
    needs: str  # words that the text has to have
    later: bool  # whether it can only be said of what is there already

    def fits(self, subject: str, text: str, near: str | None = None) -> bool:
        """Whether it fits the subject, and the part of the text near the subject does not tell it."""
        head = re.split(r" (?:of|on|in|from|at|for|to|near|that|by) ", subject)[0].split()[-1].lower()
        if self.heads and head not in self.heads:
            return False
        told = re.search(rf"(?<!\w)(?:{self.told})", near or text, re.IGNORECASE)
        return bool(re.search(self.needs, text, re.IGNORECASE)) and not told


HEADS = {
    "FIRM": "ferries bank brewery works motors fuels energy airline company firm group holdings studio yard"
    " maker lumenfold co-operative cooperative operator publisher dairy broadcaster industries"
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
NEEDS = {
    "SPORT": r"\b(?:league|cup|match|race|goals?|coach|cyclist|medal|championship)\b",
    "POLITICS": r"\b(?:assembly|minister|party|council|mayor|votes?)\b",
    "STAGE": r"\b(?:songs?|album|orchestra|band|concert|choir|theatre|film|play|actor|actress|festival)\b",
}


def _parsed(table: str) -> tuple[Invention, ...]:
    """A table of claims, each with its lines behind it."""
    found = []
    for block in re.split(r"\n(?=\{s\})", table.strip()):
        claim, *lines = block.split("\n")
        marked = dict(line.strip().partition(": ")[::2] for line in lines if not line.startswith("  ? "))
        heads = [word for name in marked.get("of", "").split() for word in HEADS.get(name, name).split()]
        needs = re.sub(r"\b[A-Z]+\b", lambda name: NEEDS[name[0]], marked.get("needs", ""))
        questions = tuple(line.removeprefix("  ? ") for line in lines if line.startswith("  ? "))
        found.append(Invention(claim, questions, marked["told"], frozenset(heads), needs, "later" in marked))
    return tuple(found)


DEEDS, ADVICE, AGES = _parsed(invented_lives.DEED), _parsed(invented_lives.ADVICE), _parsed(invented_lives.AGE)
OF_DEEDS = frozenset(one.claim for one in (*DEEDS, *ADVICE, *AGES))
INVENTIONS = {
    "person": (*_parsed(invented_lives.LIFE), *DEEDS, *AGES),
    "organisation": (*DEEDS, *ADVICE, *_parsed(invented_bodies.ORGANISATION)),
    "structure": _parsed(invented_things.STRUCTURE),
    "device": _parsed(invented_things.DEVICE),
    "work": _parsed(invented_things.WORK),
    "event": _parsed(invented_bodies.EVENT),
    "plan": _parsed(invented_bodies.PLAN),
    "place": _parsed(invented_bodies.PLACE),
}
# What nobody is advised, warned or encouraged to do.
UNWILLING = frozenset(
    "add agree be beat believe blame break call can catch come cost count die doubt draw drop earn employ"
    " expect face fall feel find finish follow gain get grow have head hear hit hold hope know last lead learn"
    " lie like live lose love miss must need outlast own pass play put reach receive reckon remain rise rule"
    " say score see seem sit speak stand stay suffer tell thank think wait want wear win".split()
)


def gerund(deed: str) -> str:
    """ "make a model" as "making a model"."""
    verb, _, others = deed.partition(" ")
    if verb.endswith("ie"):
        verb = verb[:-2] + "y"
    elif re.search(r"[^eoy]e$", verb):
        verb = verb[:-1]
    elif re.fullmatch(r"[^aeiou]*[aeiou][bdgklmnprt]|begin|forget|admit|permit|refer|prefer|commit|submit", verb):
        verb += verb[-1]
    return f"{verb}ing {others}".strip()


@cache
def patterns() -> tuple[tuple[re.Pattern, Invention, str], ...]:
    """What recognises a claim as an invention, with the invention and its kind."""
    found = []
    for kind, inventions in INVENTIONS.items():
        for one in inventions:
            escaped = re.sub(r"\\{(\w+)\\}", lambda slot: f"(?P<{slot[1]}>.+)", re.escape(one.claim))
            found.append((re.compile(escaped), one, kind))
    return tuple(found)


def recognised(claim: str) -> list[tuple[str, Invention, str, dict[str, str]]]:
    """(subject, invention, kind, the claim's details) for each invention that a claim can be."""
    matches = [(pattern.fullmatch(claim.rstrip(".")), one, kind) for pattern, one, kind in patterns()]
    return [(match["s"], one, kind, match.groupdict()) for match, one, kind in matches if match]
