"""Take a plain sentence apart into subject, verb and rest, and put the parts together again as a question.

No parser: the subject ends at the first word that looks like a finite verb (an auxiliary, a known irregular past, a
word in -ed or a common verb in -s), and only sentences that begin with their subject are taken apart. About half of
the sentences of a news text are; the others give None. Subordinate clauses behind the main one are cut off, so that
what remains is said by the sentence, if with less detail.
"""

import re
from typing import NamedTuple

from ragassay.embedded.english.vocabulary import NUMBER_WORDS

AUXILIARIES = frozenset(
    "is are was were will would has have had can could may might must shall should does do did".split()
)
MODAL = frozenset("will would can could may might must should did does do".split())
IRREGULAR = dict(
    pair.split(":")
    for pair in (
        "used:use became:become began:begin bore:bear beat:beat bought:buy broke:break brought:bring built:build"
        " burnt:burn came:come caught:catch chose:choose cost:cost cut:cut dealt:deal drew:draw drank:drink"
        " drove:drive ate:eat fell:fall fed:feed felt:feel fought:fight found:find flew:fly forbade:forbid"
        " froze:freeze gave:give got:get grew:grow heard:hear held:hold hid:hide hit:hit hung:hang kept:keep knew:know"
        " laid:lay learnt:learn led:lead left:leave lent:lend let:let lost:lose made:make meant:mean met:meet paid:pay"
        " put:put ran:run rang:ring read:read rode:ride rose:rise said:say sang:sing sank:sink sat:sit saw:see"
        " sent:send set:set shone:shine shot:shoot showed:show shut:shut slept:sleep slid:slide sold:sell"
        " sought:seek spent:spend split:split spoke:speak spread:spread stole:steal stood:stand struck:strike"
        " stuck:stick swam:swim swept:sweep swore:swear taught:teach thought:think threw:throw told:tell took:take"
        " tore:tear understood:understand went:go woke:wake won:win wore:wear wrote:write withdrew:withdraw"
        " overtook:overtake"
    ).split()
)
PRESENT = frozenset(
    "adds agrees aims asks begins brings buys calls carries closes comes connects contains costs covers cuts"
    " employs ends expects faces falls gathers gets gives goes grows has helps holds hopes includes keeps lasts"
    " leads leaves lends lies lives makes meets moves needs offers opens owns pays plans plays puts puts reaches"
    " remains replaces rises runs says seeks sells serves shows sings speaks stands starts stays stops takes tells"
    " turns uses visits wants wins works writes follows produces joins links marks measures supplies wears warns"
    " promises weighs hangs stays feeds enters earns finds knows sees spends teaches sails travels".split()
)
NO_SUBJECT = frozenset(
    "a about above across after against also although amid among and as at because before behind below between both"
    " but by despite down during either even ever every except few first for from here how if in inside instead into"
    " it its last later like meanwhile more most near nearly neither no nobody none nor not now of off on once only or"
    " others our out outside over per rather read since so some soon still such than that then there these this those"
    " though through to together under unlike until up we what when where whether which while who why with within"
    " without yet you he she they his her their another one nothing much many several whatever whoever".split()
) - {"a", "some", "several", "every", "many", "few", "first"}
PRONOUNS = frozenset("i he she it they we you him her them this that these those there who which what".split())
ADVERBS = frozenset("first also still now again once often only never always soon already then later".split())
ARTICLES = frozenset("all a an the its his her their our this that these those some every each no".split())
CUT = re.compile(
    r"\s*(?:[;:—\u2013]|\s-\s|, (?:and|but|which|who|whose|where|while|although|though|because|so|as|since|when"
    r"|until|after|before|with|he|she|they|it|said|says)\b| (?:while|although|though|because|which|whose|but)\b"
    r"| and (?:is|are|was|were|will|would|has|have|had|can|could)\b).*$"
    r"|\([^)]*\)",
    re.DOTALL,
)
PARTICIPLE = re.compile(
    r"(?:for|in|at|on|to|from|with|near|since) (?:(?!(?:that|who|which|and|what|how|when|where)\b)[\w\u2019'-]+ ){1,4}?"
    r"(?:went|was|were|is|are|has|had|will|would|rose|fell|came|gave|took|grew|began|became)\b"
)
SPEAKER = re.compile(r",? (?:[A-Z][\w\u2019'-]+ )+(?:said|says|added|told)\b.*$|,? (?:he|she|they) (?:said|added)\b.*$")
COMMA = re.compile(r",(?= |$)")  # not that of a number
HANGING = frozenset(
    "according a an the of to in on at by for with from and or than as that after before except".split()
)
PLURAL_AUXILIARIES = frozenset("are were have do".split())
SILENT_E = re.compile(r"(?:[cgsuvz]|[^aeo]at|[^aeiou][iu]r|ar|or|[^aeiou]l|[^aeiou][aeiou][lnkdtpmb])$")
WITH_E = frozenset("declin combin defin examin determin imagin refin confin outlin undermin".split())
NO_E = re.compile(
    r"(?:open|happen|visit|limit|develop|offer|enter|order|cover|gather|listen|reckon|abandon|question|mention|ss|x|w|y"
    r"|er|en|on|it|ll|el|al|il|ol|ul|in|ick|ock|ish|ow|ck|sh|ch|rd|nd|st|rt|nt|ld|lp|rk|lk|ct|pt|ft|rm|ng)$"
)


BASES: frozenset[str] = frozenset()  # infinitives of PRESENT, filled at the end
LONGEST = 1000  # letters of a sentence that is taken apart


class Clause(NamedTuple):
    subject: str
    auxiliary: str  # "" where the verb carries the tense itself
    verb: str  # as it stands in the sentence; "" where the auxiliary is the only verb
    base: str  # for "did ... <base>"
    rest: str

    @property
    def plural(self) -> bool | None:
        """Whether the subject is plural, None where the verb does not tell."""
        if self.auxiliary:
            if self.auxiliary in PLURAL_AUXILIARIES:
                return True
            if self.auxiliary in ("is", "was", "has", "does"):
                return False
        if self.verb in PRESENT:
            return False
        head = re.split(r" (?:of|on|in|from|at|for|who|that) ", self.subject)[0].split()[-1]
        return True if (head.islower() or head == self.subject) and re.search(r"(?:[^s]s|men|people)$", head) else None

    @property
    def predicate(self) -> str:
        return " ".join(part for part in (self.auxiliary, self.verb, self.rest) if part)


def clause(sentence: str) -> Clause | None:
    """The main clause of a sentence that begins with its subject."""
    if len(sentence) > LONGEST:
        return None
    words = CUT.sub("", SPEAKER.sub("", sentence.strip().rstrip(".!"))).strip().rstrip(",").split()
    if words and words[-1].lower() in HANGING:
        words = words[: next((i for i in range(len(words) - 1, 0, -1) if words[i - 1].endswith(",")), 0)]
    words[-1:] = [word.rstrip(",") for word in words[-1:]]
    first = words[0].lower().strip(",") if words else ""
    if len(words) < 4 or first in NO_SUBJECT or first in AUXILIARIES or not first[:1].isalnum() or first in ADVERBS:
        return None
    if re.search("(?:ed|ing|ly)$", first) and not words[1][0].isupper():
        return None
    for place, word in enumerate(words[1:11], 1):
        if word.endswith("ed") and PARTICIPLE.match(" ".join(words[place + 1 :])):
            continue  # the verb comes later: "the rent asked for new flats went up"
        before = words[place - 1]
        if any(word.endswith(",") for word in words[:place]) and not _closes_apposition(words[:place]):
            continue
        if word in AUXILIARIES or _verb(word, before, words[place + 1 : place + 2]):
            return _taken_apart(words, place)
    return None


def _closes_apposition(words):
    return sum(word.endswith(",") for word in words) >= 2


def _verb(word, before, after):
    if before[-1:].isdigit() or before in ("million", "billion", "hundred", "thousand"):
        return False
    if (
        word in BASES
        and re.search(r"[^s\u2019']s$", before)
        and before.islower() | (before.istitle() and " " not in before)
    ):
        return True
    if word in IRREGULAR or word in PRESENT:
        return before.lower() not in ARTICLES and before.lower() not in ("to", "of", "and", "by")
    participle = bool(after) and after[0] == "by"
    return (
        word.endswith("ed")
        and len(word) > 4
        and before.lower() not in ARTICLES | {"of", "and", "by", "newly"}
        and not participle
    )


def _taken_apart(words, place):
    named = words[:place]
    while len(named) > 1 and (named[-1] in ADVERBS or (named[-1].endswith("ly") and named[-1].islower())):
        named.pop()
    subject = " ".join(named)
    head, *apposition = COMMA.split(subject)
    if apposition:
        if words[0].lower() not in ARTICLES and len(apposition) != 2:
            return None
        subject = head
    rest = words[place + 1 :]
    if PRONOUNS & {word.lower() for word in subject.split()}:
        return None
    if words[place] in AUXILIARIES:
        verb = ""
        if rest and (rest[0].endswith(("ed", "ing", "en")) or rest[0] in IRREGULAR or rest[0] in ("be", "have", "not")):
            verb, rest = rest[0], rest[1:]
        elif rest and words[place] in MODAL:
            verb, rest = rest[0], rest[1:]
        return Clause(subject, words[place], verb, verb, " ".join(rest))
    return Clause(subject, "", words[place], base(words[place]), " ".join(rest))


def base(verb: str) -> str:
    """The infinitive of a past or present form; a guess for regular verbs, right for most."""
    if verb in IRREGULAR or verb in BASES:
        return IRREGULAR.get(verb, verb)
    if verb in PRESENT:
        if verb == "has":
            return "have"
        if verb.endswith("ies"):
            return verb[:-3] + ("ie" if len(verb) < 5 else "y")
        return verb[:-2] if re.search(r"(?:ch|sh|ss|x|o)es$", verb) else verb[:-1]
    if verb.endswith("ied"):
        return verb[:-3] + "y"
    bare = verb.removesuffix("ed")
    if len(bare) > 3 and bare[-1] == bare[-2] and bare[-1] not in "lsfz":
        return bare[:-1]
    if bare.endswith("ell") and len(bare) > 5:
        return bare[:-1]
    if bare in WITH_E:
        return bare + "e"
    short = re.fullmatch(r"[^aeiou]*[aeiou][^aeiouwxy]", bare)
    return bare + "e" if short or (SILENT_E.search(bare) and not NO_E.search(bare)) else bare


def inverted(taken: Clause, rest: str) -> str:
    """Auxiliary, subject, verb and this rest, as they follow "when", "why" or "how many ..."."""
    subject = lowered(taken.subject)
    if taken.auxiliary:
        parts = (taken.auxiliary, subject, taken.verb, rest)
    else:
        tense = "does" if taken.verb in PRESENT else "do" if taken.verb in BASES - IRREGULAR.keys() else "did"
        parts = (tense, subject, taken.base, rest)
    return " ".join(part for part in parts if part)


def lowered(text: str) -> str:
    """A subject as it stands inside a sentence: its article with a small letter."""
    first, _, others = text.partition(" ")
    plain = first.lower() in ARTICLES | {"several", "many", "few", "first"} or first.lower() in NUMBER_WORDS
    common = plain or (not others[:1].isupper() and re.search(r"[a-z](?:[^s\u2019']s|ing)$", first))
    return f"{first.lower()} {others}".strip() if common else text


def past(taken: Clause) -> str:
    """The verb of a clause without an auxiliary, in the past."""
    if taken.verb not in PRESENT | BASES:
        return taken.verb
    if taken.base == "have":
        return "had"
    return past_of(taken.base)


def past_of(infinitive: str) -> str:
    """The past of an infinitive; nearly always the participle too."""
    irregular = next((form for form, known in IRREGULAR.items() if known == infinitive), None)
    regular = re.sub(r"eed$", "ed", f"{infinitive}ed").replace("stoped", "stopped")
    return irregular or re.sub(r"(?<=[^aeiou])yed$", "ied", regular)


BASES = frozenset(base(verb) for verb in PRESENT)
