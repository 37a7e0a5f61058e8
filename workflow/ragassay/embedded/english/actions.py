"""What a clause says that somebody did, or that was arranged, as it stands behind "to": "order a ferry from the yard",
"be sold from 28 September"; and which verbs tell of decisions, of work, of deals, of gifts, of success.

The verb alone decides what kind of deed it is, so "make" is work whether a chair is made or a mistake. States and what
merely happens ("cost", "fall", "be hurt") are no deeds.
"""

import re

from ragassay.embedded.english.clauses import IRREGULAR, Clause, base

ARRANGED = frozenset(
    "be begin carry charge close cost cover employ end get give go have keep offer open pay receive replace restore run"
    " sell serve start stop supply switch use work".split()
)  # what can be decided of things: that the shop should close at six
PRICED = re.compile(
    r"(?:ticket|loaf|berth|seat|menu|meal|dish|bottle|glass|pint|cup|litre|kilo|night|room|place|compartment|return|fare"
    r"|entry|admission|fee|price|toll|copy|record|vinyl|album|book|subscription|pass|permit|lesson|course|hire|wine)s?$"
)
UNPLANNED = frozenset(
    "alarm animal applause average ball bird blaze blossom cloud comet crowd day ebb fire fish flame flood gap goal"
    " glacier gust hail harvest ice injury jump lead leak loss mood mountain night noise peak pollen porpoise puncture"
    " rain result river sea season shoot shortage silence smell smoke snow spring storm strike summer sun tide tree"
    " turnout water wave weather wind winter".split()
)  # last words of what nobody decides about
# What nobody is advised or persuaded to do, and has not decided to do.
UNWILLED = frozenset(
    "add agree announce be beat become believe belong blame break bruise catch can come confirm contain cost count"
    " cover decide deny die discover doubt draw drop earn employ enter equalise expect face fail fall fear feel find"
    " finish follow gain get grow guess happen have head hear hit hope include inherit know lack last lead learn lie"
    " like live lose love mean miss must need notice own owe pass point predict put reach realise receive reckon recall"
    " record recover remain remember reply reveal rise say score see seem shrink sink sit sleep slip speak stand stay"
    " succeed suffer suspect take tell thank think understand wait want wear weigh win wonder warn worry".split()
)
WORK = frozenset(
    "assemble bake build carve clean clear collect compose convert cook count dig draw film finish gather install knit"
    " lay make map mend mix move paint photograph plant prepare print produce rebuild record remove repair restore sew"
    " shoot sort translate try write".split()
)
DEALS = frozenset("borrow buy choose commission hire join leave lease move order rent sell sign".split())
GIFTS = frozenset("donate feed give hand help lend offer open pay raise save send serve sing teach".split())
SUCCESS = frozenset("beat equalise lead reach score win".split())
DECISIONS = frozenset(
    "abandon abolish accept adopt appoint approve ban base build buy cancel change charge close convert cut delay"
    " demand drop employ end extend give introduce keep launch leave lend lower make move name open order pay"
    " postpone present raise reject remove rename rent replace sell send shut sign stop support suspend switch"
    " test use vote withdraw".split()
)
KINDS_OF_DEEDS = {"WORK": WORK, "DEALS": DEALS, "GIFTS": GIFTS, "SUCCESS": SUCCESS, "DECISIONS": DECISIONS}
BEFALLEN = frozenset(
    "born broken burnt confirmed damaged destroyed drowned due expected felt flooded found heard hit hurt injured"
    " killed known left lost meant measured put recorded seen short shot struck surprised thought told worn".split()
)  # what is not arranged to be done
UNARRANGED = re.compile(r"(?:get|go) (?:past|away|through|into|out|in|up|down)\b|get to\b|.* from \d{4} to \d{4}")
PARTICIPLE = re.compile(r"[a-z]+(?:ed|wn|en)")
SEVERED = re.compile(
    r"(?:^| )(?:and to|ago|since|so far|until now|already|chiefly|alone|as)\b"
    r"|\d and the\b|^part\b|^place\b|^(?:out|up|it)\b"
)
LATELY = re.compile(
    r"\b(?:last|this|next) (?:week|month|year|summer|winter|spring|autumn|night|season|time|July|June)\b"
)


def deed(taken: Clause) -> str:
    """The infinitive of what is done, with what follows it; "" where nothing is."""
    verb, rest = taken.base, taken.rest
    if taken.auxiliary in ("will", "would", "should", "must") and taken.verb == "be":
        verb, rest = _participle(rest)
    elif taken.auxiliary in ("is", "are", "was", "were"):
        verb, rest = _participle(f"{taken.verb} {taken.rest}".strip())
    elif taken.auxiliary in ("has", "have", "had"):
        known = taken.verb.endswith("ed") or taken.verb in IRREGULAR
        verb, rest = _participle(rest) if taken.verb == "been" else (base(taken.verb) if known else "", rest)
    elif taken.auxiliary not in ("", "will", "would", "should", "must"):
        return ""
    if not verb or verb in ("be", "not", "last") or SEVERED.search(rest) or LATELY.search(rest):
        return ""
    return f"{verb} {rest}".strip()


def _participle(text):
    """("be sold", "from May") for "sold from May"; ("order", "a boat") for "to order a boat"."""
    first, _, rest = text.partition(" ")
    if first == "to" and rest.split()[:1] != ["be"]:
        verb, _, rest = rest.partition(" ")
        return verb, rest
    if first == "to":
        first, _, rest = rest.removeprefix("be ").partition(" ")
    done = (first in IRREGULAR or PARTICIPLE.fullmatch(first)) and first not in BEFALLEN
    return (f"be {first}", rest) if done else ("", "")


def verb(to: str) -> str:
    return to.split(" ", 1)[0]


def willed(to: str) -> bool:
    return verb(to) not in UNWILLED


def arranged(subject: str, to: str) -> bool:
    """Whether it can be somebody's decision that something is so."""
    head = re.split(r" (?:of|on|in|from|at|for|to|near|that|by|with) ", subject)[0].split()[-1].lower()
    if (verb(to) == "cost" and not PRICED.search(head)) or UNARRANGED.match(to):
        return False
    return verb(to) in ARRANGED and not {head, head.removesuffix("s")} & UNPLANNED


def gerund(to: str) -> str:
    """ "make a model" as "making a model"."""
    first, _, others = to.partition(" ")
    if first.endswith("ie"):
        first = first[:-2] + "y"
    elif re.search(r"[^eoy]e$", first) and first != "be":
        first = first[:-1]
    elif re.fullmatch(r"[^aeiou]*[aeiou][bdgklmnprt]|begin|forget|admit|permit|refer|prefer|commit|submit", first):
        first += first[-1]
    return f"{first}ing {others}".strip()
