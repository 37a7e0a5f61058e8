"""Removes passages with a window of neighbouring tokens that is surprising."""

from ragassay.studies.poisoning.defences.kinds import ppl
from ragassay.studies.poisoning.defences.thresholds import SAMPLE, surprise


class Kind(ppl.Kind):
    CRITERIA = {"window": SAMPLE}

    def readings(self, passages):
        return {"window": surprise(passages, "window", self.settings)}
