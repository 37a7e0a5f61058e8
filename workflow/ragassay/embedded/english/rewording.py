"""Say a clause in other words: its verb and some of the words behind it by near synonyms of the same form.

A word is changed without a look at its sense, so only words with one common sense in news are listed; names and numbers
stay. Where nothing on the list occurs, the clause stays as it is.
"""

import re

from ragassay.embedded.english.clauses import PRESENT, Clause, base, clause, lowered, past_of
from ragassay.embedded.english.vocabulary import STOP

# Infinitives; what may stand behind the one may stand behind the other.
VERBS = dict(
    pair.split(":")
    for pair in (
        "abandon:desert acquire:buy announce:declare appoint:name approve:endorse assist:help begin:start"
        " build:construct buy:purchase carry:transport cease:stop choose:select climb:ascend close:shut"
        " collect:gather complete:finish construct:build count:tally cross:traverse demand:request"
        " discover:find donate:present earn:receive employ:engage enlarge:extend examine:inspect expect:anticipate"
        " extend:lengthen fall:decline finish:complete found:establish gain:obtain gather:collect"
        " get:receive grow:increase guard:protect halt:stop happen:occur help:assist hire:engage improve:better"
        " inspect:examine launch:introduce lay:place measure:gauge mend:repair move:shift"
        " need:require obtain:receive permit:allow possess:own press:push print:publish produce:make"
        " promise:pledge propose:suggest protect:guard publish:release purchase:buy quarrel:argue"
        " receive:get reduce:lower refuse:reject remain:stay repair:mend require:need rescue:save restore:renew"
        " rise:climb save:rescue select:choose send:dispatch shift:move show:present shut:close sing:perform"
        " speak:talk start:begin stay:remain stop:halt suggest:propose supply:provide support:back"
        " suspend:interrupt swap:exchange teach:instruct test:examine thank:praise travel:journey visit:tour"
        " want:demand win:secure"
    ).split()
)
WORDS = dict(
    pair.split(":")
    for pair in (
        "aircraft:plane announcement:statement annual:yearly author:writer authors:writers bicycles:bikes"
        " bidders:competitors big:large biggest:largest boat:vessel boats:vessels boss:head"
        " cheap:inexpensive children:youngsters company:firm contract:agreement cook:chef"
        " cooks:chefs costly:expensive cottage:house crew:team device:machine dispute:quarrel doctor:physician"
        " entire:whole expensive:costly expert:specialist experts:specialists fans:supporters farmers:growers"
        " fast:quick fault:defect faults:defects film:picture firm:company flat:apartment flats:apartments"
        " guests:visitors hardly:scarcely households:families huge:enormous illness:disease"
        " inhabitants:residents island:isle islands:isles job:post jobs:posts journey:trip large:big"
        " largest:biggest licence:permit lorries:trucks lorry:truck machine:device money:funds nearly:almost"
        " neighbours:residents owners:proprietors passengers:travellers permit:licence"
        " prize:award pupils:schoolchildren quarrel:dispute quick:rapid region:area reserves:savings"
        " residents:inhabitants results:findings rule:regulation rules:regulations scientists:researchers"
        " ship:vessel ships:vessels shop:store shops:stores small:little song:tune songs:tunes speech:address"
        " staff:employees storm:gale story:tale supporters:fans task:job tourists:holidaymakers town:municipality"
        " trial:test trip:journey truck:lorry trucks:lorries vessel:ship visitors:guests wage:salary"
        " wages:salaries whole:entire workers:employees workshop:workroom yearly:annual"
    ).split()
)
BEFORE_NOUNS = frozenset(
    "annual big biggest cheap costly entire expensive fast hardly huge large largest nearly quick small whole".split()
) | {"yearly"}
HAVING = ("has", "have", "had", "is", "are", "was", "were")
WORD = re.compile(r"(?<![\w\u2019'-])[a-z]+(?![\w\u2019'-])")


def reworded(taken: Clause, chance, most: int = 3) -> Clause:
    """The clause with up to so many words exchanged, its verb among them if it can be."""
    changed, left = _verb(taken), most
    left -= changed.verb != taken.verb
    subject = exchanged(changed.subject, 1, chance)
    left -= subject != changed.subject
    return changed._replace(subject=subject, rest=exchanged(changed.rest, left, chance))


def reworded_deed(to: str, chance) -> str:
    """The same for what stands behind "to"."""
    infinitive, _, rest = to.partition(" ")
    changed = reworded(Clause("", "will", infinitive, infinitive, rest), chance)
    return f"{changed.verb} {changed.rest}".strip()


def reworded_fact(said: str, chance) -> str:
    """The same for what stands behind "that", if it is one clause."""
    taken = clause(f"{said[:1].upper()}{said[1:]}")
    if not taken or f"{lowered(taken.subject)} {taken.predicate}" != said:
        return said
    changed = reworded(taken, chance)
    return f"{lowered(changed.subject)} {changed.predicate}"


def exchanged(text: str, most: int, chance) -> str:
    """The text with up to so many of the listed nouns and adjectives exchanged; names stay."""
    places = [match for match in WORD.finditer(text) if match[0] in WORDS and not _in_compound(match, text)]
    places = [match for match in places if not re.search(r"(?!(?:The|An?) )\b[A-Z]\w* $", text[: match.start()])]
    for match in sorted(chance.sample(places, min(most, len(places))), key=lambda match: -match.start()):
        text = text[: match.start()] + WORDS[match[0]] + text[match.end() :]
    return _article(text)


def _in_compound(match, text):
    """Whether a noun tells the kind of the noun behind it, as in "boat shed"."""
    behind = re.match(r" ([a-z]+)", text[match.end() :])
    return (
        bool(behind)
        and behind[1] not in STOP
        and match[0] not in BEFORE_NOUNS
        and not re.fullmatch(r"\w{4,}ed", behind[1])
    )


def _article(text):
    text = re.sub(r"\b([Aa]) (?=[aeio](?!ne\b|ne-))", r"\1n ", text)
    return re.sub(r"\b([Aa])n (?=[bcdfgjklmnpqrstvwxyz])", r"\1 ", text)


def _verb(taken: Clause):
    infinitive = base(taken.verb) if taken.auxiliary in HAVING else taken.base
    other = VERBS.get(infinitive) if taken.verb else None
    if not other or re.match(
        r"(?:up|out|off|on|in|down|over|away|back|by|with|for|to|past|through|part|place)\b", taken.rest
    ):
        return taken
    if taken.auxiliary not in ("", *HAVING) or (taken.verb == taken.base and not taken.auxiliary):
        form = other
    elif taken.verb in PRESENT:
        form = f"{other}es" if re.search(r"(?:ch|sh|ss|x|o)$", other) else f"{other}s"
        form = re.sub(r"(?<=[^aeiou])ys$", "ies", form)
    elif taken.auxiliary and taken.verb.endswith("ing"):
        return taken
    else:
        form = past_of(other)
    return taken._replace(verb=form, base=form if taken.auxiliary in HAVING else other)
