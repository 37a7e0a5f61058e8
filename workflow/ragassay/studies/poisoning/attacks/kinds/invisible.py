"""The texts of PoisonedRAG with a character that nobody sees in each word: an encoder's tokenizer drops it, so that
they are found as before, and what counts words finds none of the question's.
"""

import re

from ragassay.studies.poisoning.attacks.kinds import poisonedrag_black
from ragassay.studies.poisoning.attacks.poison import ANSWER

SETTINGS, NEEDS, WANTS = poisonedrag_black.SETTINGS, (), ANSWER
HIDDEN = "\u200b"  # zero width space
WORD = re.compile(r"\b(\w)(?=\w)")


def poison(targets, tools, settings):
    for one in poisonedrag_black.poison(targets, tools, settings):
        yield one._replace(text=WORD.sub(rf"\1{HIDDEN}", one.text))
