"""RAGuard, after its paper: removes a passage if both of its chunks differ in how surprising they are (PD, in either
direction), if one of them is very surprising (PM), or if it resembles the question more than passages do (TS).

`similarity_null` says what the threshold of TS comes from. `retrieved`: what other questions find and how similar that
is to them. `literal`, as the paper words it: how similar a sample of the corpus is to this very question. Nearly all
that is retrieved is more similar than that, so that nearly all is removed: it is here to show this.

`surprise_null` says the same for the others: a `sample` of the corpus, as in the paper, or what calibration queries
have `found`. Where passages that a question finds are less surprising than most, a sample removes fewer of them than
alpha promises.

`criteria` are those that are used, so that the paper's variants are settings; `ppl` is the passage as a whole.
"""

import numpy as np

from ragassay.studies.poisoning.defences import surprise, thresholds
from ragassay.studies.poisoning.defences.null import LITERAL, RETRIEVED, SAMPLE, is_rough

SETTINGS = thresholds.SETTINGS | surprise.SETTINGS
SETTINGS |= {"criteria": ["pd", "pm", "ts"], "similarity_null": RETRIEVED, "second_chunk": "post", "doublings": 2}
SETTINGS |= {"surprise_null": SAMPLE}
CRITERIA = {"pd_high": "sample", "pd_low": "sample", "pm": "sample", "ppl": "sample", "ts": "found"}
PARTS = {"pd": ("pd_high", "pd_low")}  # one that looks in both directions


def needs(settings):
    return ("scores",) if set(settings["criteria"]) - {"ts"} else ()


def sources(settings):
    """What the threshold of each criterion comes from."""
    return CRITERIA if settings["surprise_null"] == SAMPLE else dict.fromkeys(CRITERIA, settings["surprise_null"])


def criteria(settings):
    return [part for name in settings["criteria"] for part in PARTS.get(name, (name,))]


def scores(passages, settings):
    found = {"ts": np.array([passage.get("score", np.nan) for passage in passages], float)}
    if needs(settings):
        pre, post = (surprise.column(passages, name, settings) for name in ("pre", settings["second_chunk"]))
        found |= {"pd_high": pre - post, "pd_low": post - pre, "pm": np.maximum(pre, post)}
        found["ppl"] = surprise.column(passages, "whole", settings)
    return found


def adjusted(fitted, null, settings):
    """With the literal null, TS has a threshold for each question."""
    if settings["similarity_null"] == LITERAL and "ts" in fitted:
        level = (1 - settings["alpha"]) * (1 - settings["trim"])
        limits = {}
        for name, own in null.literal.items():
            thresholds.check("ts", np.sort(own), settings["alpha"])
            limits[name] = float(np.quantile(own, level, method=settings["quantile"]))
        size = min(map(len, null.literal.values()))
        fitted["ts"] |= {"threshold": limits, "texts": size, "rough": is_rough(size, settings["alpha"])}
    return fitted
