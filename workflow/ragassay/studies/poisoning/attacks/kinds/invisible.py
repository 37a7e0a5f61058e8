"""The texts of PoisonedRAG with what an encoder's tokenizer drops, so that they are found as before, and what counts
words finds none of the question's: with `characters` hidden a character that nobody sees in each word, with accents an
accent on each vowel."""

import re
import unicodedata

from ragassay.studies.poisoning.attacks.attack import BLIND_SPOTS
from ragassay.studies.poisoning.attacks.kinds import poisonedrag_black

HIDDEN = "\u200b"  # zero width space
ACCENT = "\u0301"
WORD = re.compile(r"\b(\w)(?=\w)")
VOWEL = re.compile(r"([aeiou])", re.IGNORECASE)


class Kind(poisonedrag_black.Kind):
    SETTINGS = {"texts": 5, "characters": "hidden"}
    KNOWS = BLIND_SPOTS

    def texts(self, target):
        disguise = {"hidden": hidden, "accents": accented}[self.settings["characters"]]
        return [disguise(text) for text in super().texts(target)]


def hidden(text: str) -> str:
    return WORD.sub(rf"\1{HIDDEN}", text)


def accented(text: str) -> str:
    return unicodedata.normalize("NFC", VOWEL.sub(rf"\1{ACCENT}", text))
