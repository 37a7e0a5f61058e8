"""Removes passages that are surprising as a whole: perplexity, as published, with a threshold from clean text."""

from ragassay.studies.poisoning.defences import surprise, thresholds

SETTINGS = thresholds.SETTINGS | surprise.SETTINGS
NEEDS = ("scores",)
CRITERIA = {"ppl": "sample"}


def scores(passages, settings):
    return {"ppl": surprise.column(passages, "whole", settings)}
