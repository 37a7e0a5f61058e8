"""Removes exactly what is poisoned, which no real defence knows: the most that any filter of passages could reach."""

from ragassay.studies.poisoning.defences.defence import KEPT, Defence, Judgement

POISONED = Judgement(True, reason="poisoned")


class Kind(Defence):
    def judge(self, passages):
        return [POISONED if passage["poisoned"] else KEPT for passage in passages]
