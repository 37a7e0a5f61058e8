"""A method of our own: removes passages that echo the question more than passages do, in words that are unusual here.
Five readings (`similarity`, `relative`, `words`, `run`, `surprise`) are each ranked in clean text and become normal
scores. The score adds up the larger of both similarities, `words` and `run` where they are above the middle, since few
of the question's words are no sign of innocence, and `surprise`. None has a weight. A passage that was copied and
changed in one word echoes nothing."""

from functools import lru_cache
from statistics import NormalDist

import numpy as np

from ragassay.studies.poisoning.defences.defence import SCORES
from ragassay.studies.poisoning.defences.thresholds import FOUND, SURPRISE, CriteriaDefence, grid, rank, surprise
from ragassay.text.words import content, stem, tokens

NORMAL = NormalDist()


class Kind(CriteriaDefence):
    SETTINGS = CriteriaDefence.SETTINGS | SURPRISE
    NEEDS = (SCORES,)
    CRITERIA = {"echo": FOUND}
    UNITS = ("similarity", "relative", "words", "run", "surprise")
    COMPARES = True  # similarities of one question with each other

    def units(self, null):
        """What each reading is in clean text."""
        parts = [echoes(rows, self.settings) for rows in null.found.values() if rows]
        values = {name: np.concatenate([part[name] for part in parts]) for name in (parts[0] if parts else ())}
        return {name: grid(np.sort(column[~np.isnan(column)])) for name, column in values.items()}

    def readings(self, passages):
        """A passage without any token is judged by the other readings."""
        values = echoes(passages, self.settings)
        ranked = {name: _normal(values[name], np.array(null)) for name, null in self.fitted["units"].items()}
        similar = np.maximum(ranked["similarity"], ranked["relative"])
        taken = np.maximum(ranked["words"], 0) + np.maximum(ranked["run"], 0)
        return {"echo": similar + taken + np.nan_to_num(ranked["surprise"])}


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
