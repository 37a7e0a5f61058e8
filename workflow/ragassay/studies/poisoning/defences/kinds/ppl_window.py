"""Removes passages with a window of neighbouring tokens that is surprising."""

from ragassay.studies.poisoning.defences import surprise, thresholds

SETTINGS = thresholds.SETTINGS | surprise.SETTINGS
NEEDS = ("scores",)
CRITERIA = {"window": "sample"}


def scores(passages, settings):
    return {"window": surprise.column(passages, "window", settings)}
