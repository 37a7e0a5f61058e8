"""A method of our own: removes passages that echo the question more than passages do, in words that are unusual here.
Five readings (`similarity`, `relative`, `words`, `run`, `surprise`) are each ranked in clean text and become normal
scores. The score adds up the larger of both similarities, `words` and `run` where they are above the middle, since few
of the question's words are no sign of innocence, and `surprise`. None has a weight. A passage that was copied and
changed in one word echoes nothing."""

from functools import lru_cache
from statistics import NormalDist

import numpy as np

from ragassay.base.card import is_number
from ragassay.base.terminal import shown
from ragassay.studies.poisoning.defences.defence import SCORES
from ragassay.studies.poisoning.defences.thresholds import (
    FOUND,
    SURPRISE,
    CriteriaDefence,
    check,
    grid,
    is_rough,
    rank,
    surprise,
)
from ragassay.text.words import content, stem, tokens

NORMAL = NormalDist()


class Kind(CriteriaDefence):
    SETTINGS = CriteriaDefence.SETTINGS | SURPRISE | {"rank_weights": None}
    NEEDS = (SCORES,)
    CRITERIA = {"echo": FOUND}
    UNITS = ("similarity", "relative", "words", "run", "surprise")
    COMPARES = True  # similarities of one question with each other

    def units(self, null):
        """What each reading is in clean text."""
        parts = [echoes(rows, self.settings) for rows in null.found.values() if rows]
        values = {name: np.concatenate([part[name] for part in parts]) for name in (parts[0] if parts else ())}
        return {name: grid(np.sort(column[~np.isnan(column)])) for name, column in values.items()}

    def damage(self):
        weights = self.settings["rank_weights"]
        if weights is not None and not _are_weights(weights):
            return (
                f"found the setting rank_weights {shown(weights)}, expected pairs of a rank and a weight, from rank 1"
            )
        if wrong := super().damage():
            return wrong
        limits = self.fitted["criteria"]["echo"]["threshold"]
        if weights and (not isinstance(limits, dict) or {*limits} != {str(first) for first, _ in weights}):
            return f"found the threshold {shown(limits)} of echo, expected one for each rank in {shown(weights)}"
        return ""

    def adjusted(self, criteria, null):
        """With `rank_weights`, pairs of a rank and the weight of it and those below, each of these stretches has a
        threshold. Their shares of false alarms are as their weights, and all of them together keep alpha.
        """
        if not self.settings["rank_weights"]:
            return criteria
        questions = [rows for rows in null.found.values() if rows]
        scores = np.concatenate([self.readings(rows)["echo"] for rows in questions])
        firsts, weights = map(np.array, zip(*sorted(self.settings["rank_weights"]), strict=True))
        stretches = _stretches(firsts, [row for rows in questions for row in rows])
        shares = np.minimum(self.settings["alpha"] * weights / weights[stretches].mean(), 1)
        limits, rough = {}, False
        for at, (first, share) in enumerate(zip(firsts.tolist(), shares.tolist(), strict=True)):
            values = np.sort(scores[stretches == at])
            check(f"echo from rank {first} on", values, share)
            limits[str(first)], rough = self.limit(values, share), rough or is_rough(len(values), share)
        return {"echo": criteria["echo"] | {"threshold": limits, "rough": rough}}

    def limits(self, threshold, passages):
        if not self.settings["rank_weights"]:
            return super().limits(threshold, passages)
        firsts = sorted(map(int, threshold))
        return [threshold[str(firsts[at])] for at in _stretches(firsts, passages)]

    def readings(self, passages):
        """A passage without any token is judged by the other readings."""
        values = echoes(passages, self.settings)
        ranked = {name: _normal(values[name], np.array(null)) for name, null in self.fitted["units"].items()}
        similar = np.maximum(ranked["similarity"], ranked["relative"])
        taken = np.maximum(ranked["words"], 0) + np.maximum(ranked["run"], 0)
        return {"echo": similar + taken + np.nan_to_num(ranked["surprise"])}


def _are_weights(weights) -> bool:
    pairs = isinstance(weights, list) and all(isinstance(pair, list) and len(pair) == 2 for pair in weights)
    return pairs and all(is_number(part) and part > 0 for pair in weights for part in pair) and 1 in dict(weights)


def _stretches(firsts, passages):
    """In which stretch of ranks each passage is; `firsts` are the first ranks of these, ascending."""
    return np.searchsorted(firsts, [row["rank"] for row in passages], side="right") - 1


def echoes(passages, settings) -> dict[str, np.ndarray]:
    """The readings of each passage: its similarity to the question, and how far that is above the less similar half of
    what the question finds, where planted texts, being similar, come last; the share and the longest run of the
    question's words in it, and how surprising its own words are.
    """
    similarity = np.array([passage["score"] for passage in passages], float)
    words, runs = zip(*(taken_up(passage["question"], passage["text"]) for passage in passages), strict=True)
    return {
        "similarity": similarity,
        "relative": similarity - np.sort(similarity)[: len(similarity) // 2 or 1].mean(),
        "words": np.array(words),
        "run": np.array(runs),
        "surprise": surprise(passages, "whole", settings),
    }


def _normal(values, null):
    """Normal scores: what a rank in the null would be in a normal distribution."""
    ranks = np.minimum(rank(values, null), 1)
    shares = (ranks * len(null) + 0.5) / (len(null) + 1)
    return np.array([NORMAL.inv_cdf(share) if share == share else np.nan for share in shares.tolist()])


@lru_cache(maxsize=100_000)  # each fold of queries is fitted on most of the texts of the others
def taken_up(question: str, text: str) -> tuple[float, float]:
    """The readings `words` and `run` of one text."""
    wanted = {stem(word) for word in content(question)}
    words = [stem(word) for word in content(text)]
    asked = [word.lower() for word in tokens(question)]
    written = [word.lower() for word in tokens(text)]
    share = len(wanted.intersection(words)) / max(1, len(words)) ** 0.5
    return share, longest_run(asked, written) / max(1, len(asked))


def longest_run(wanted: list[str], words: list[str]) -> int:
    """The most neighbouring words of the first list that are neighbours in the second, too."""
    best, before = 0, {}  # place in words -> length of the run that ends there
    places = {}
    for at, word in enumerate(words):
        places.setdefault(word, []).append(at)
    for word in wanted:
        before = {at: before.get(at - 1, 0) + 1 for at in places.get(word, ())}
        best = max([best, *before.values()])
    return best
