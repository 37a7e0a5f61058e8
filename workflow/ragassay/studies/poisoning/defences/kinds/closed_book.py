"""Removes every passage: no poison is read, nor anything else. A defence that does worse had better not search."""

from ragassay.studies.poisoning.defences.defence import Defence, Judgement


class Kind(Defence):
    def judge(self, passages):
        return [Judgement(True, reason="closed book")] * len(passages)
