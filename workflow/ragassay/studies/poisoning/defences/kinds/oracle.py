"""Removes exactly what is poisoned, which no real defence knows: the most that any filter of passages could reach."""

from ragassay.studies.poisoning.defences.judgement import KEPT, Judgement

SETTINGS = {}
POISONED = Judgement(True, reason="poisoned")


def judge(passages, settings):
    return [POISONED if passage["poisoned"] else KEPT for passage in passages]
