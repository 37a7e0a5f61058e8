"""The samples of a cell: its prompts with answers and activations, as rows and as arrays."""

import itertools
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import numpy as np

from ragassay.base import tables
from ragassay.schemas.attacks import TARGETS
from ragassay.schemas.defences import BASELINE_SCORES
from ragassay.schemas.probes import ACTIVATIONS, PROMPT_ANSWERS, PROMPT_PAIRS
from ragassay.studies.poisoning.probes.labels import MATCHED, POISONED, UNDECIDED, UNPOISONED, hedged

KEY = ("target_id", "condition", "side")
FACTS = ALL, KNOWN, UNKNOWN = "all", "known", "unknown"
CERTAINTIES = ("surprise", "entropy", "likelihood")  # what log-probabilities say; see the table activations
OFTEN = 30  # one answer in so many begins with a word that counts
LEAST = 1e-6  # nats, of which there is still a logarithm
RULERS = ("tokens", "words", "passages", "question_words", "similarity")  # what tells prompts apart without a model


class Rows:
    """All samples of a cell in the order of their keys; the three tables have one row for each prompt, and those that
    were too long for the model are no samples.
    """

    def __init__(self, prompt_pairs, prompt_answers, activations):
        stored = tables.read(ACTIVATIONS, activations, ["key", "tokens", *CERTAINTIES])
        samples = stored["key"].is_valid()
        stored = stored.filter(samples).to_pydict()
        self.pairs = tables.read(PROMPT_PAIRS, prompt_pairs).filter(samples).to_pydict()
        answers = tables.read(PROMPT_ANSWERS, prompt_answers, ["label", "known", "text"])
        self.answers = answers.filter(samples).to_pydict()
        self.keys, self.labels = stored["key"], np.array(self.answers["label"], str)
        self.conditions, self.clusters = (np.array(self.pairs[name], str) for name in ("condition", "cluster"))
        self.known = np.array([FACTS[2 - known] if known is not None else "" for known in self.answers["known"]], str)
        counts = self.pairs | {"tokens": stored["tokens"], "passages": list(map(len, self.pairs["passages"]))}
        self.rulers = np.array([counts[name] for name in RULERS], np.float32).T[:, None]  # samples x 1 x rulers
        certainties = np.array([stored[name] for name in CERTAINTIES], float).T[:, None]
        self.surprises = certainties[:, :, :1]  # samples x 1 x 1
        self.certainties = np.log(np.maximum(certainties, LEAST)).astype(np.float32)  # samples x 1 x 3; they are skewed
        self.first_words = first_words([text or "" for text in self.answers["text"]])[:, None]

    def of(self, condition: str, facts: str) -> np.ndarray:
        """Which samples these are."""
        return (self.conditions == condition) & ((self.known == facts) | (facts == ALL))

    @property
    def paired(self) -> list[str]:
        """The conditions that have poison on one side."""
        return [name for name in dict.fromkeys(self.pairs["condition"]) if name not in UNPOISONED]

    def groups(self) -> Iterator[tuple[str, str, np.ndarray, np.ndarray]]:
        """Condition, facts, the samples to learn from, and those to test. What was fitted on all facts of a condition
        is tested on every condition; where nothing but the answer differs, known and unknown facts are apart, too.
        """
        every = np.ones(len(self.labels), bool)
        for condition in self.paired:
            yield condition, ALL, self.of(condition, ALL), every
            for facts in (KNOWN, UNKNOWN) if condition == MATCHED else ():
                samples = self.of(condition, facts)
                yield condition, facts, samples, samples

    def row(self, number: int) -> dict:
        """What the table probe_scores says of a sample."""
        names = ("target_id", "condition", "side", "cluster", "kind", "group", "planted")
        pair = {name: self.pairs[name][number] for name in names}
        answer = {name: self.answers[name][number] for name in ("label", "known")}
        return pair | answer | {"hedged": hedged(self.answers["text"][number] or "")}

    def counts(self) -> str:
        undecided = int((self.labels == UNDECIDED).sum())
        return f"{len(self.labels)} answers, {(self.labels == POISONED).sum()} poisoned, {undecided} undecided"


def first_words(answers: list[str], count: int = 2) -> np.ndarray:
    """Which of the words that many answers begin with each begins with, too: answers x words, 0 or 1. Rarer words would
    only be learned by heart.
    """
    begun = [answer.lower().split()[:count] for answer in answers]
    times = Counter(itertools.chain(*map(set, begun)))
    words = sorted(word for word in times if times[word] > max(1, len(answers) / OFTEN)) or [""]
    return np.array([[word in beginning for word in words] for beginning in begun], np.float32).reshape(
        len(answers), -1
    )


class AnsweredPrompt(NamedTuple):
    target_id: str
    question: str
    passages: tuple[str, ...]
    answer: str  # empty if there is none


def asked_once(targets, prompt_pairs, prompt_answers) -> tuple[list[tuple[dict, AnsweredPrompt]], list[AnsweredPrompt]]:
    """The answered prompts of a study: the key of each row of both tables with its prompt, and each prompt once."""
    questions = {
        row["target_id"]: row["question"]
        for row in tables.read(TARGETS, targets, ["target_id", "question"]).to_pylist()
    }
    pairs = tables.read(PROMPT_PAIRS, prompt_pairs, ["target_id", "condition", "side", "passages"]).to_pylist()
    answers = tables.read(PROMPT_ANSWERS, prompt_answers, ["text"])["text"].to_pylist()
    prompts = []
    for row, answer in zip(pairs, answers, strict=True):  # tables have one order
        name, passages = row["target_id"], tuple(row.pop("passages"))
        prompts.append((row, AnsweredPrompt(name, questions[name], passages, answer or "")))
    return prompts, list(dict.fromkeys(prompt for _, prompt in prompts))


def baselines_of(files, pairs: dict) -> dict[str, np.ndarray]:
    """Scores of other methods, by their names, which are those of files: samples x 1 x 1, NaN where one has none.
    `pairs` are columns.
    """
    keys, scores = list(zip(*(pairs[name] for name in KEY), strict=True)), {}
    for path in map(Path, files):
        rows = tables.read(BASELINE_SCORES, path).to_pylist()
        by_key = {tuple(row[name] for name in KEY): row["score"] for row in rows}
        scores[path.stem] = np.array([by_key.get(key) for key in keys], float)[:, None, None]
    return scores
