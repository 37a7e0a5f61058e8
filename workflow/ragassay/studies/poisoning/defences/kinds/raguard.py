"""RAGuard, after its paper: removes a passage if both of its chunks differ in how surprising they are (PD), if one is
very surprising (PM), or if it resembles the question more than passages do (TS). `similarity_null`: what other
questions find (`retrieved`), or a sample and this very question (`literal`, the paper's words, which removes nearly
all). PD and PM come from what other questions find, too (`surprise_null: found`), or, as in the paper, from a sample,
which is the default of the literal reading; `criteria` are those used."""

import numpy as np

from ragassay.base.terminal import shown
from ragassay.studies.poisoning.defences.defence import SCORES
from ragassay.studies.poisoning.defences.thresholds import (
    FOUND,
    LITERAL,
    RETRIEVED,
    SAMPLE,
    SURPRISE,
    CriteriaDefence,
    check,
    is_rough,
    surprise,
)

PARTS = {"pd": ("pd_high", "pd_low")}  # one that looks in both directions


class Kind(CriteriaDefence):
    SETTINGS = (
        CriteriaDefence.SETTINGS
        | SURPRISE
        | {"criteria": ["pd", "pm", "ts"], "similarity_null": RETRIEVED, "second_chunk": "post", "doublings": 2}
        | {"surprise_null": None}
    )
    CHOICES = CriteriaDefence.CHOICES | {
        "second_chunk": ("post", "post_given_pre"),
        "surprise_null": (None, SAMPLE, FOUND),
    }
    CHOICES |= {"similarity_null": (RETRIEVED, LITERAL)}
    CRITERIA = {"pd_high": SAMPLE, "pd_low": SAMPLE, "pm": SAMPLE, "ppl": SAMPLE, "ts": FOUND}

    def damage(self):
        names = self.settings["criteria"]
        if not isinstance(names, list) or not names or not {*map(str, names)} <= {*PARTS, *self.CRITERIA}:
            return f"found the setting criteria {shown(names)}, expected some of {', '.join([*PARTS, *self.CRITERIA])}"
        return super().damage()

    @property
    def needs(self):
        return (SCORES,) if set(self.settings["criteria"]) - {"ts"} else ()

    @property
    def sources(self):
        usual = SAMPLE if self.settings["similarity_null"] == LITERAL else FOUND
        null = self.settings["surprise_null"] or usual
        return self.CRITERIA if null == SAMPLE else dict.fromkeys(self.CRITERIA, null)

    @property
    def criteria(self):
        return [part for name in self.settings["criteria"] for part in PARTS.get(name, (name,))]

    def readings(self, passages):
        values = {"ts": np.array([passage.get("score", np.nan) for passage in passages], float)}
        if self.needs:
            pre = surprise(passages, "pre", self.settings)
            post = surprise(passages, self.settings["second_chunk"], self.settings)
            values |= {"pd_high": pre - post, "pd_low": post - pre, "pm": np.maximum(pre, post)}
            values["ppl"] = surprise(passages, "whole", self.settings)
        return values

    def adjusted(self, criteria, null):
        """With the literal null, TS has a threshold for each question."""
        if self.settings["similarity_null"] != LITERAL or "ts" not in criteria:
            return criteria
        limits = {}
        for name, similarities in null.literal.items():
            check("ts", np.sort(similarities), self.settings["alpha"])
            limits[name] = self.limit(similarities)
        size = min(map(len, null.literal.values()))
        rough = is_rough(size, self.settings["alpha"])
        return criteria | {"ts": criteria["ts"] | {"threshold": limits, "texts": size, "rough": rough}}
