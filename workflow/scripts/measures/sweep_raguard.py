"""Measure RAGuard, and other defences, under other settings: the rows of the table of sweeps. Reads stored scores, like
a defence itself, and asks no model: what it leaves to answer from is a table that others read.

There is no job for each: how deep it looks, how many texts are planted for a question, which criteria it uses, at which
alpha, and how much poison the clean text holds that it is fitted on.
"""

import json
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field

import numpy as np

from ragassay.base import tables
from ragassay.base.stage import log, run
from ragassay.grading.matches import contains
from ragassay.metrics.panel import Panel
from ragassay.schemas.attacks import POISONED_PASSAGES, RETRIEVED, TARGETS
from ragassay.schemas.corpora import NEIGHBOURS
from ragassay.schemas.defences import PASSAGE_SCORES, RAGUARD_SWEEPS, SWEEP_SHOWN
from ragassay.studies.poisoning.defences.defence import kind_of
from ragassay.studies.poisoning.defences.evidence import Evidence, sample, with_texts
from ragassay.studies.poisoning.defences.thresholds import FOLDS, LITERAL, Null, fold_of
from ragassay.studies.poisoning.measures.detection import SECTION, judged

CONTAMINATION = "contamination"
METRICS = ("fpr", "fnr", "accuracy")
FOUND = ("target_id", "rank", "passage_id", "poisoned", "aimed_at")  # what is known of a passage
DONE = ("target_id", "rank", "passage_id", "removed", "shown")  # and what a defence does to it


def sweep_raguard(
    targets, neighbours, passages, poisoned_passages, passage_scores, retrieved, raguard_sweeps, sweep_shown,
    rows, keys, related, similarity, encoder, embeddings, resamples, seed,
):  # fmt: skip
    """`poisoned_passages` and `retrieved` are files of the attacks in `rows`, in one order. Of `passages` the last are
    those that samples are drawn from.
    """
    found = {tables.keys(RETRIEVED, path)["attack"]: tables.read(RETRIEVED, path).to_pylist() for path in retrieved}
    planted = tables.read_all(POISONED_PASSAGES, poisoned_passages, ["passage_id", "number"])
    numbers = dict(zip(planted["passage_id"].to_pylist(), planted["number"].to_pylist(), strict=True))
    made, shown = [], []
    for name in dict.fromkeys(row["scorer"] for row in rows):
        scores = [path for path in passage_scores if tables.keys(PASSAGE_SCORES, path)["scorer"] == name]
        evidence = Evidence(targets, passages, poisoned_passages, scores, encoder, embeddings)
        clean = evidence.by_target(_clean(neighbours))
        attacked = {attack: evidence.by_target(rows) for attack, rows in found.items()}
        own = [row for row in rows if row["scorer"] == name]
        for draw in dict.fromkeys(map(_draw, own)):
            alike = [row for row in own if _draw(row) == draw]
            drawn = evidence.rows(sample(passages[-1:], [], *draw))
            literal = any(row["settings"].get("similarity_null") == LITERAL for row in alike)
            similarities = evidence.similarities(drawn, similarity) if literal else None
            sweep = Sweep(evidence.questions, drawn, clean, attacked, numbers, similarities)
            for row in alike:
                looked = sweep.judged(row)
                made += sweep.rows(keys, row, looked, resamples, seed)
                shown += sweep.shown(row, looked)
    made += related_rows(keys, tables.read(TARGETS, targets).to_pylist(), clean, related)
    tables.write(RAGUARD_SWEEPS, raguard_sweeps, made)
    tables.write(SWEEP_SHOWN, sweep_shown, shown)
    log.info("%d rows of sweeps, %d numbers", len(rows), len(made))


def _draw(row):
    return row["sample"], row["seed"]


def _clean(path):
    for row in tables.read(NEIGHBOURS, path).to_pylist():
        yield row | {"target_id": row["query_id"], "poisoned": False, "aimed_at": None}


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
        row_keys = keys | {"attack": row["attack"], "at": row["at"], "defence": row["kind"]}
        for name in METRICS:
            values, mask = wrong[name]
            if mask.any():
                yield SECTION.row(row["table"], row_keys, name, **panel.mean(values.astype(float), mask).row())
        left = looked[~removed]
        yield SECTION.row(row["table"], row_keys, "clean_left", left["clean"].mean() if len(left) else None, len(left))

    def shown(self, row: dict, looked) -> Iterator[dict]:
        """What is answered from: rows of the table sweep_shown."""
        left = looked[looked["shown"].notna()].sort_values("shown").groupby("target_id")["passage_id"].agg(list)
        for name in self.attacked[row["attack"]]:
            sweep = {"sweep": row["table"], "at": row["at"], "kind": row["kind"], "attack": row["attack"]}
            yield sweep | {"target_id": name, "passages": left.get(name, [])}

    def judged(self, row: dict):
        """The passages that are looked at under a row of the table of sweeps, with what is done to each."""
        return self._once(self._judged, row, "kind", "attack", "k", "depth", "texts", "contamination", "settings")

    def _judged(self, row):
        import pandas as pd  # only when something is judged: half a second

        poisoned = ("attack",) if row["contamination"] else ()
        defences = self._once(self._fitted, row, "kind", "depth", "contamination", "settings", *poisoned)
        filtered, retrieved = [], []
        for name, rows in self.attacked[row["attack"]].items():
            passages = with_texts(rows, self.numbers, row["texts"]) if row["texts"] else rows
            retrieved += passages
            filtered += defences[fold_of(self.questions[name])].filtered(passages, row["k"], row["depth"])
        done = pd.DataFrame({name: [passage[name] for passage in filtered] for name in DONE})
        facts = pd.DataFrame({name: [passage[name] for passage in retrieved] for name in FOUND})
        return judged(done, facts, row["depth"])

    def _fitted(self, row):
        """fold of queries -> the defence that is fitted on the others"""
        folds = {name: fold_of(question) for name, question in self.questions.items()} | {CONTAMINATION: ""}
        null = self._null(row, row["depth"])
        defences = {fold: kind_of(row["kind"])(row["settings"]) for fold in map(str, range(FOLDS))}
        return {fold: defence.fit(null.without(fold, folds)) for fold, defence in defences.items()}

    def _once(self, make, row, *names):
        """What depends on these cells of a row alone."""
        settings = kind_of(row["kind"])(row["settings"]).settings
        whole = row | {"settings": settings, "contamination": row["contamination"] or 0}
        key = json.dumps([make.__name__, {name: whole[name] for name in names}], sort_keys=True)
        if key not in self._kept:
            self._kept[key] = make(row)
        return self._kept[key]

    def _null(self, row, depth):
        clean = {name: rows[:depth] for name, rows in self.clean.items()}
        share = row["contamination"]
        if not share:
            return Null(self.sample, clean, self.literal)
        looked = [passage for rows in self.attacked[row["attack"]].values() for passage in rows[:depth]]
        poison = [row for row in looked if row["poisoned"] and row["aimed_at"] in (None, row["target_id"])]
        random = np.random.default_rng(0)

        def drawn(size):
            return [poison[at] for at in random.integers(0, len(poison), round(share / (1 - share) * size))]

        sample = self.sample + drawn(len(self.sample))
        return Null(sample, clean | {CONTAMINATION: drawn(sum(map(len, clean.values())))}, self.literal)


def related_rows(keys: dict, targets: list[dict], clean: dict[str, list[dict]], first: int) -> Iterator[dict]:
    """Questions by how many of the first so many clean passages that they find give the right answer: what is left to
    answer from where poison is removed.
    """
    counts = Counter()
    for target in targets:
        texts = [row["text"] for row in clean.get(target["target_id"], [])[:first]]
        counts[sum(any(contains(text, answer) for answer in target["answers"]) for text in texts)] += 1
    for count in range(max(counts, default=-1) + 1):
        yield SECTION.row("figure_5", keys | {"at": count}, "questions", counts[count], len(targets))


if __name__ == "__main__":
    run(sweep_raguard, snakemake)
