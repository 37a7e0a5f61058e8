"""Words, names and numbers of an English text, for measures of how much two texts share. Stems are the Snowball
stemmer's; function words carry no content. Nothing here is shared with the provider `rules`, whose judgements are
compared with these measures. A name is a run of capitalised words; the first of a sentence counts only if another
follows."""

import re
from functools import cache, lru_cache

from ragassay.text.sentences import sentences

WORD = re.compile(r"\d+(?:[.,]\d+)*|[^\W\d_]+(?:['\u2019-][^\W\d_]+)*")
POSSESSIVE = re.compile(r"['\u2019]s?$")
FUNCTION_WORDS = frozenset(
    "a an the this that these those such some any no every each either neither both all other another same own much"
    " i me my mine myself you your yours yourself he him his himself she her hers herself it its itself we us our ours"
    " ourselves they them their theirs themselves one ones someone anyone everyone something anything everything"
    " nothing many who whom whose which what when where why how there here then"
    " of in on at by for from to into onto out off up down over under with within without about above below across"
    " after against along among around as before behind beneath beside between beyond despite during except inside near"
    " outside per since than through throughout till toward towards until upon via"
    " and or but nor so yet if because although though while whereas whether unless once"
    " am is are was were be been being do does did doing done have has had having can could may might must shall should"
    " will would ought let not only also too very just even still again ever never".split()
)
CAPITALS = "".join(filter(str.isupper, map(chr, range(0x250))))  # of the Latin scripts
CAPITALISED = rf"[{CAPITALS}][\w.&'\u2019-]*"
JOINED = r"(?: (?:of|of the|de|van|von|der|and|&))?"
NAME = re.compile(rf"(?<![\w'\u2019-]){CAPITALISED}(?:{JOINED} {CAPITALISED})*")
DIGITS = re.compile(r"(?<![\w.,-])\d+(?:[.,]\d+)*")


def tokens(text: str) -> list[str]:
    """Words and numbers as they stand in the text, without a possessive ending."""
    words = WORD.findall(text)
    return [POSSESSIVE.sub("", word) for word in words] if "'" in text or "\u2019" in text else words


@lru_cache(maxsize=50_000)
def stem(word: str) -> str:
    return _stemmer().stemWord(word.lower().replace("\u2019", "'"))


@cache
def _stemmer():
    import snowballstemmer  # only measures of shared words need it; names and numbers are looked for everywhere

    return snowballstemmer.stemmer("english")


def content(text: str) -> list[str]:
    """The words that are not function words, in order."""
    return [word for word in tokens(text) if word.lower() not in FUNCTION_WORDS]


def stems(text: str) -> frozenset[str]:
    """Those of its content words."""
    return frozenset(map(_content_stem, tokens(text))) - {""}


@lru_cache(maxsize=50_000)
def _content_stem(word):
    return "" if word.lower() in FUNCTION_WORDS else stem(word)


def names(text: str) -> list[str]:
    """Runs of capitalised words, in order."""
    in_order = []
    for sentence in sentences(text):
        for match in NAME.finditer(sentence):
            words = match[0].rstrip(".'\u2019-&").split(" ")
            begins = not any(map(str.isalnum, sentence[: match.start()]))
            if begins and (len(words) == 1 or words[0].lower() in FUNCTION_WORDS):
                words = words[1:]
            if words:
                in_order.append(POSSESSIVE.sub("", " ".join(words)))
    return in_order


def numbers(text: str) -> list[str]:
    """What is written in digits, in order."""
    return DIGITS.findall(text)
