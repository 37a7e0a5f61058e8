"""RAGuard under other settings, without a job for each: how deep it looks, how many texts are planted for a
question, which criteria it uses, at which alpha, and how much poison the clean text holds that it is fitted on.
"""

import json
from collections.abc import Iterator
from dataclasses import dataclass, field

import numpy as np

from ragassay.metrics.panel import Panel
from ragassay.studies.poisoning.defences import defence
from ragassay.studies.poisoning.defences.null import FOLDS, Null, fold_of
from ragassay.studies.poisoning.measures.detection import SECTION, judged

KIND, CONTAMINATION = "raguard", "contamination"
METRICS = ("fpr", "fnr", "accuracy")
FOUND = ("target_id", "rank", "passage_id", "poisoned", "aimed_at")  # what is known of a passage
DONE = ("target_id", "rank", "passage_id", "removed", "shown")  # and what a defence does to it


@dataclass
class Sweep:
    """`clean` and `attacked` are rows of retrieval by target as defences look at them, the latter by attack; `numbers`
    are those of poisoned passages among the texts for their target.
    """

    questions: dict[str, str]
    sample: list[dict]
    clean: dict[str, list[dict]]
    attacked: dict[str, dict[str, list[dict]]]
    numbers: dict[str, int]
    literal: dict[str, np.ndarray] | None = None
    _kept: dict[str, object] = field(default_factory=dict)  # several tables have rows of the same settings

    def rows(self, keys: dict, row: dict, looked, resamples: int, seed: int) -> Iterator[dict]:
        """The numbers of one row of the table of sweeps, from what it judges."""
        removed, poison, clean = (looked[name].to_numpy(bool) for name in ("removed", "poison", "clean"))
        panel = Panel(looked["target_id"], resamples, seed)
        wrong = {"fpr": (removed, clean), "fnr": (~removed, poison), "accuracy": (removed == poison, poison | clean)}
        own = keys | {"attack": row["attack"], "at": row["at"]}
        for name in METRICS:
            values, mask = wrong[name]
            if mask.any():
                yield SECTION.row(row["table"], own, name, **panel.mean(values.astype(float), mask).row())
        left = looked[~removed].groupby("target_id").size().reindex(list(self.questions)).fillna(0)
        yield SECTION.row(row["table"], own, "clean_left", *self._left(looked, left))

    def _left(self, looked, left):
        """Of the passages that are left, how many are clean, and of how many."""
        kept = looked[~looked["removed"].astype(bool)]
        return (kept["clean"].mean() if len(kept) else None), int(left.sum())

    def shown(self, row: dict, looked) -> Iterator[dict]:
        """What is answered from: rows of the table sweep_shown."""
        left = looked[looked["shown"].notna()].sort_values("shown").groupby("target_id")["passage_id"].agg(list)
        for name in self.attacked[row["attack"]]:
            own = {"sweep": row["table"], "at": row["at"], "attack": row["attack"], "target_id": name}
            yield own | {"passages": left.get(name, [])}

    def judged(self, row: dict):
        """The passages that are looked at under a row of the table of sweeps, with what is done to each."""
        return self._once(self._judged, row, "attack", "k", "depth", "texts", "contamination", "settings")

    def _judged(self, row):
        import pandas as pd  # only when something is judged: half a second

        settings, depth = self._settings(row), row["depth"]
        poisoned = ("attack",) if row["contamination"] else ()
        fitted = self._once(self._fitted, row, "depth", "contamination", "settings", *poisoned)
        filtered, retrieved = [], []
        for name, found in self.attacked[row["attack"]].items():
            own, fold = self._with_texts(found, row["texts"]), fold_of(self.questions[name])
            retrieved += own
            filtered += defence.filtered(KIND, own, row["k"], depth, settings | {"fitted": fitted[fold]})
        return judged(
            pd.DataFrame({name: [one[name] for one in filtered] for name in DONE}),
            pd.DataFrame({name: [one[name] for one in retrieved] for name in FOUND}),
            depth,
        )

    def _fitted(self, row):
        """fold of queries -> what is learned from the others"""
        folds = {name: fold_of(question) for name, question in self.questions.items()} | {CONTAMINATION: ""}
        null, settings = self._null(row, row["depth"]), self._settings(row)
        return {fold: defence.fit(KIND, null.without(fold, folds), settings) for fold in map(str, range(FOLDS))}

    def _settings(self, row):
        return defence.module(KIND).SETTINGS | row["settings"]

    def _once(self, make, row, *names):
        """What depends on these cells of a row alone."""
        whole = row | {"settings": self._settings(row), "contamination": row["contamination"] or 0}
        key = json.dumps([make.__name__, {name: whole[name] for name in names}], sort_keys=True)
        if key not in self._kept:
            self._kept[key] = make(row)
        return self._kept[key]

    def _with_texts(self, found, texts):
        """What would be found with so many texts for each target; all of them without a number."""
        if not texts:
            return found
        kept = [one for one in found if not one["poisoned"] or self.numbers[one["passage_id"]] <= texts]
        return [one | {"rank": rank} for rank, one in enumerate(kept, 1)]

    def _null(self, row, depth):
        clean = {name: rows[:depth] for name, rows in self.clean.items()}
        share = row["contamination"]
        if not share:
            return Null(self.sample, clean, self.literal)
        poison = [one for rows in self.attacked[row["attack"]].values() for one in rows[:depth] if _is_own(one)]
        random, count = np.random.default_rng(0), share / (1 - share)
        added = [
            [poison[at] for at in random.integers(0, len(poison), round(count * size))]
            for size in (len(self.sample), sum(map(len, clean.values())))
        ]
        return Null(self.sample + added[0], clean | {CONTAMINATION: added[1]}, self.literal)


def _is_own(row):
    return row["poisoned"] and row["aimed_at"] in (None, row["target_id"])
