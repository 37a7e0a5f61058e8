"""Texts that a model writes from question and wrong answer alone, each in its own way: no template to find, and nothing
that makes the retriever find it."""

from ragassay.studies.poisoning.attacks.attack import WRITER
from ragassay.studies.poisoning.attacks.kinds import table


class Kind(table.Kind):
    SETTINGS = {"texts": 5, "words": 30, "prompt": "write_supporting_texts"}
    NEEDS = (WRITER,)
