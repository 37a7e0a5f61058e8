"""An interpolated n-gram model of words (Witten and Bell), down to one order that is the same for all words: how
surprising each token of a text is, in nats. Documents are divided in two halves by a hash of their cluster, and each
is scored by the model of the other, so that no text is scored by what has read it; a text that stands in both halves
is read by none."""

import json
import re
from collections.abc import Callable, Iterable, Iterator
from itertools import islice
from pathlib import Path

import numpy as np
from safetensors.numpy import save

from ragassay.base import chance, fitted_files
from ragassay.base.atomic import replacing, write_text
from ragassay.models import files
from ragassay.studies.poisoning.defences.scorer import ScorerError, SurpriseScorer, TokenScores, half_of
from ragassay.text.characters import visible

CHUNK = 4096  # texts at once
TOKEN = re.compile(r"\w+|[^\w\s]")
READ = "read"
PARTS = ("grams", "shares", "contexts", "weights")
START, UNKNOWN = 0, 1  # a context, and a token; other tokens come after
LEAST = 1e-12  # of a share or a weight; with less, texts would be infinitely surprising, or not at all
ARRAYS, WORDS = "ngrams.safetensors", "words.json"


class Ngrams:
    """One model. Of each order it keeps the n-grams as sorted numbers with their share of the interpolation, and of
    each context the weight of what stands below.
    """

    def __init__(self, words: list[str], parts: list[dict[str, np.ndarray]]):
        self.words, self.parts = words, parts  # parts[n]: `grams`, `shares`, `contexts`, `weights` of order n + 1
        self.numbers = {word: at for at, word in enumerate(words, UNKNOWN + 1)}
        self.size = len(words) + 2

    @classmethod
    def trained(cls, texts: Iterable[str], order: int) -> "Ngrams":
        numbers, rows = {}, []
        for text in texts:
            tokens = TOKEN.findall(visible(text).lower())
            rows.append(np.array([numbers.setdefault(token, len(numbers) + 2) for token in tokens], np.int64))
        model = cls(list(numbers), [])
        ids, begins = _joined(rows)
        context = np.zeros(len(ids), np.int64)  # the number of the context of each token; of order 1 there is one
        for _ in range(order):
            grams, places, counts = np.unique(context * model.size + ids, return_inverse=True, return_counts=True)
            contexts, owners, types = np.unique(grams // model.size, return_inverse=True, return_counts=True)
            totals = np.bincount(owners, counts)
            shares, weights = counts / (totals + types)[owners], types / (totals + types)
            model.parts.append({"grams": grams, "shares": shares, "contexts": contexts, "weights": weights})
            context = _before(places + 1, begins)
        return model

    def values(self, rows: list[np.ndarray]) -> np.ndarray:
        """-log p of all tokens, row after row."""
        ids, begins = _joined(rows)
        chances, context = np.full(len(ids), 1 / (self.size - 1)), np.zeros(len(ids), np.int64)
        for part in self.parts:
            places, is_known = _places(part["contexts"], context)
            chances *= np.where(is_known, part["weights"][places], 1)
            places, is_known = _places(part["grams"], context * self.size + ids)
            chances += np.where(is_known, part["shares"][places], 0)
            context = _before(np.where(is_known, places + 1, -1), begins)
        return -np.log(chances)

    def check(self) -> None:
        """ValueError where n-grams have contexts that the model does not know, so that they would count for nothing."""
        before = 1  # how many contexts there are of this order
        for part in self.parts:
            contexts = np.unique(part["grams"] // self.size)
            if not np.array_equal(contexts, part["contexts"]) or contexts[-1] > before:
                raise ValueError("found n-grams with other contexts than those of the model")
            before = len(part["grams"])

    def ids(self, tokens: list[str]) -> np.ndarray:
        return np.array([self.numbers.get(token, UNKNOWN) for token in tokens], np.int64)


class Kind(SurpriseScorer):
    """The models of both halves, and hashes of the texts that each has read. Its identity is that of its files."""

    SETTINGS = {"order": 2}
    IS_TRAINED = True

    def __init__(self, models: list[Ngrams], read: list[np.ndarray], digest: str | None = None):
        self.models, self.read, self.digest = models, read, digest

    @property
    def identity(self):
        return {"files": self.digest}

    @classmethod
    def trained(cls, texts: Callable[[int], Iterable[str]], order: int) -> "Kind":
        """`texts` gives those of a half."""
        hashes = [np.unique(np.fromiter(map(_hash, texts(side)), np.uint64)) for side in (0, 1)]
        shared = np.intersect1d(*hashes, assume_unique=True)
        read = [np.setdiff1d(texts_read, shared, assume_unique=True) for texts_read in hashes]
        if not all(map(len, read)):
            raise ScorerError(
                f"found {len(shared)} texts in both of two halves and none in one alone, which could teach a model;"
                " add documents, or name another scorer"
            )
        everywhere = set(shared.tolist())
        parts = ((text for text in texts(side) if _hash(text) not in everywhere) for side in (0, 1))
        return cls([Ngrams.trained(part, order) for part in parts], read)

    @property
    def memory(self) -> int:
        """How many tokens before it a token depends on."""
        return len(self.models[0].parts) - 1

    def half(self, text: str) -> int:
        """The half that a text belongs to: that of the documents which have it, or one by its hash."""
        number = np.array([_hash(text)], np.uint64)
        for side, read in enumerate(self.read):
            if len(read) and _places(read, number)[1][0]:
                return side
        return half_of(text)

    def write(self, folder) -> None:
        arrays = {
            f"{half}.{order}.{name}": array
            for half, model in enumerate(self.models)
            for order, part in enumerate(model.parts)
            for name, array in part.items()
        }
        arrays |= {f"{half}.{READ}": read for half, read in enumerate(self.read)}
        with replacing(Path(folder, ARRAYS)) as target:
            target.write(save(arrays))
        write_text(Path(folder, WORDS), json.dumps([model.words for model in self.models], ensure_ascii=False))

    @classmethod
    def load(cls, folder) -> "Kind":
        with fitted_files.reading(lambda problem: ScorerError(f"{folder}: {problem}; train the scorer again")):
            words = json.loads(Path(folder, WORDS).read_text(encoding="utf-8"))
            arrays = fitted_files.arrays(Path(folder, ARRAYS).read_bytes())
            read = [_increasing(READ, arrays.pop(f"{half}.{READ}")) for half in (0, 1)]
            models = [Ngrams(fitted_files.distinct(words[half]), _orders(arrays, half)) for half in (0, 1)]
            if arrays or len(words) != 2 or len(models[0].parts) != len(models[1].parts):
                raise ValueError(f"found arrays {sorted(arrays)}, or two models that differ")
            for model in models:
                model.check()
            digest = files.digest(Path(folder))
        return cls(models, read, digest)

    def scored(self, texts: Iterable[str], halves: Iterable[int]) -> Iterator[TokenScores]:
        """`halves` are the halves that texts belong to; each is scored by the model of the other."""
        pairs = zip(texts, halves, strict=True)
        while chunk := list(islice(pairs, CHUNK)):
            result = [None] * len(chunk)
            for half, model in enumerate(self.models):
                places = [at for at, (_, side) in enumerate(chunk) if side != half]
                for at, scored in zip(places, _scored(model, [chunk[at][0] for at in places]), strict=True):
                    result[at] = scored
            yield from result


def _orders(arrays, half):
    """The parts of a model, taken out of the arrays of a file."""
    parts = []
    while f"{half}.{len(parts)}.grams" in arrays:
        part = {name: arrays.pop(f"{half}.{len(parts)}.{name}") for name in PARTS}
        for numbers, weights in (PARTS[:2], PARTS[2:]):
            count = len(_increasing(numbers, part[numbers]))
            fitted_files.check(weights, part[weights], "float64", (count,), LEAST, 1)
        parts.append(part)
    if not parts:
        raise ValueError("found no n-grams")
    return parts


def _increasing(name, numbers):
    return fitted_files.check(name, numbers, "int64 uint64", (None,), 0, order="increasing")


def _hash(text):
    """What stands for a text that was read."""
    return chance.number(None, text)


def _scored(model, texts):
    rows, ends = [], []
    for text in texts:
        matches = list(TOKEN.finditer(text))
        rows.append(model.ids([match[0].lower() for match in matches]))
        ends.append(np.array([match.end() for match in matches], np.int64))
    values = model.values(rows)
    cuts = np.cumsum([len(row) for row in rows])[:-1]
    return [TokenScores(*pair) for pair in zip(np.split(values, cuts) if rows else [], ends, strict=True)]


def _joined(rows):
    """All ids in one array, and where rows begin."""
    lengths = np.array([len(row) for row in rows], np.int64)
    begins = (np.cumsum(lengths) - lengths)[lengths > 0]
    return np.concatenate([*rows, np.empty(0, np.int64)]), begins


def _before(numbers, begins):
    """The number before each one; START where a row begins."""
    before = np.empty_like(numbers)
    before[1:] = numbers[:-1]
    before[begins] = START
    return before


def _places(known, wanted):
    """Where numbers stand among known ones, which are sorted, and whether they do."""
    places = np.minimum(np.searchsorted(known, wanted), len(known) - 1)
    return places, known[places] == wanted
