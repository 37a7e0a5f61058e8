"""Removes every passage: no poison is read, nor anything else. A defence that does worse had better not search."""

from ragassay.studies.poisoning.defences.judgement import Judgement

SETTINGS = {}
UNREAD = Judgement(True, reason="closed book")


def judge(passages, settings):
    return [UNREAD] * len(passages)
