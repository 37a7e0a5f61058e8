"""Texts that a model writes from question and wrong answer alone, each in its own way: no template to find, and nothing
that makes the retriever find it.
"""

from ragassay.studies.poisoning.attacks.kinds import adaptive_manual
from ragassay.studies.poisoning.attacks.poison import ANSWER, WRITER

SETTINGS, NEEDS, WANTS = {"texts": 5, "words": 30}, (WRITER,), ANSWER
poison = adaptive_manual.poison
