"""Removes passages that are surprising as a whole: perplexity, as published, with a threshold from clean text."""

from ragassay.studies.poisoning.defences.defence import SCORES
from ragassay.studies.poisoning.defences.thresholds import SAMPLE, SURPRISE, CriteriaDefence, surprise


class Kind(CriteriaDefence):
    SETTINGS = CriteriaDefence.SETTINGS | SURPRISE
    NEEDS = (SCORES,)
    CRITERIA = {"ppl": SAMPLE}

    def readings(self, passages):
        return {"ppl": surprise(passages, "whole", self.settings)}
