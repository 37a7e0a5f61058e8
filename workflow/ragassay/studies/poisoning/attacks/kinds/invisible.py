"""The texts of PoisonedRAG with a character that nobody sees in each word: an encoder's tokenizer drops it, so that
they are found as before, and what counts words finds none of the question's."""

import re

from ragassay.studies.poisoning.attacks.kinds import poisonedrag_black

HIDDEN = "\u200b"  # zero width space
WORD = re.compile(r"\b(\w)(?=\w)")


class Kind(poisonedrag_black.Kind):
    def texts(self, target):
        return [WORD.sub(rf"\1{HIDDEN}", text) for text in super().texts(target)]
