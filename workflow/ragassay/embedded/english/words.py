"""Cut a text into words and bring each to a rough stem, so that forms of one word and near synonyms can be compared.

No grammar: a word is a run of letters or digits, its stem what is left without the usual English endings. Different
words may share a stem ("organ", "organise"); synonyms are those of the vocabulary and no others.
"""

import re
from functools import lru_cache

from ragassay.embedded.english.vocabulary import COMMON, FRAME, GLUE, NUMBER_WORDS, STOP, SYNONYMS

TOKEN = re.compile(r"\d[\d,.]*\d|\d|[^\W\d_]+(?:['\u2019.-](?!s\b)[^\W\d_]+)*|%")
ENDINGS = (
    "isations izations ational ization isation ations ation ments ment ances ance ences ence ings iveness ively"
    " ness ing ity ive ers ors ions ion est er or ed es ly al en ic s e y"
).split()
SHORTEST_STEM = 4
GLUE_WEIGHT, COMMON_WEIGHT = 0.2, 0.5


def tokens(text: str) -> list[str]:
    """Words and numbers as they stand in the text."""
    return TOKEN.findall(text)


@lru_cache(maxsize=50_000)
def stem(word: str) -> str:
    word = word.lower().replace("\u2019", "'").replace(",", "")
    if word in NUMBER_WORDS:
        return str(NUMBER_WORDS[word])
    if not word.isalpha() or len(word) <= SHORTEST_STEM:
        return word[:-1] if word.isalpha() and len(word) == SHORTEST_STEM and word.endswith("s") else word
    if word.endswith(("ies", "ied")):
        word = word[:-3] + "y"
    for _ in range(2):
        for ending in ENDINGS:
            if word.endswith(ending) and len(word) - len(ending) >= SHORTEST_STEM - (len(ending) > 1):
                word = word[: -len(ending)]
                break
        if len(word) > SHORTEST_STEM and word[-1] == word[-2] and word[-1] not in "sl":
            word = word[:-1]
    return word[:-1] + "y" if word.endswith("i") else word


@lru_cache(maxsize=50_000)
def weight(word: str) -> float:
    """How much a word tells: nothing for function words and talk about the text, less for common words."""
    low = word.lower()
    if low in STOP or low in FRAME or (len(low) == 1 and not low.isdigit()):
        return 0.0
    if stem(low) in GLUE_STEMS:
        return GLUE_WEIGHT
    return COMMON_WEIGHT if stem(low) in COMMON_STEMS else 1.0


def content(text: str) -> list[str]:
    """The words of a text that tell something, in order."""
    return [word for word in tokens(text) if weight(word)]


def synonyms(stemmed: str) -> frozenset[str]:
    """The stems that mean much the same, without the stem itself."""
    return SYNONYM_STEMS.get(stemmed, frozenset())


GLUE_STEMS = frozenset(stem(word) for word in GLUE)
COMMON_STEMS = frozenset(stem(word) for word in COMMON)
SYNONYM_STEMS: dict[str, frozenset[str]] = {}
for _group in SYNONYMS:
    _stems = frozenset(stem(word) for word in _group)
    for _stem in _stems:
        SYNONYM_STEMS[_stem] = (SYNONYM_STEMS.get(_stem, frozenset()) | _stems) - {_stem}
