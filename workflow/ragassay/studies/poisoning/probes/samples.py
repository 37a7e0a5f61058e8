"""What probes are fitted on: activations of answered prompts, taken by rows as arrays are, with labels. Those in a
store are read at that moment if they are many, so that memory does not grow with their number."""

from pathlib import Path
from typing import NamedTuple, Self

import numpy as np

from ragassay.base import method
from ragassay.base.errors import AssayError
from ragassay.base.terminal import printable
from ragassay.models.heads import heads_file
from ragassay.models.store import Store
from ragassay.studies.poisoning.probes.reading import CollectedReading, Collection

HELD_BYTES = 256 << 20  # of features that are read once and then stay in memory
READ_BYTES = 64 << 20  # that pass through memory at a time
WHOLE_BYTES = 2 << 30  # that a kind which needs all at once may have


class ProbeError(AssayError):
    """No probe can be fitted on these samples, or none can be used on this."""


class Stored:
    """Features in a store, of one reading: samples x layers x width. Few are read once; many are read when they are
    taken.
    """

    def __init__(self, collection: Collection, embeddings, keys: list[str], reading: CollectedReading | None = None):
        self.store, self.keys = Store(Path(embeddings, collection.store)), [bytes.fromhex(key) for key in keys]
        if lacking := int((~self.store.known(self.keys)).sum()):
            raise ProbeError(
                f"{self.store.folder}: found no activations of {lacking} of {len(keys)} prompts, expected those of all;"
                " delete the folder results/activations and run again, which collects them"
            )
        reading = reading or collection.reading()
        self.shape = (len(keys), len(reading.layers), reading.width)
        self.numbers = slice(reading.start, reading.start + len(reading.layers) * reading.width)
        self.held = self._read(range(len(keys))) if 2 * np.prod(self.shape) <= HELD_BYTES else None  # as float16

    def __len__(self):
        return len(self.keys)

    def __getitem__(self, rows) -> np.ndarray:
        """As float32; `rows` are numbers."""
        features = self._read(rows) if self.held is None else self.held[rows]
        return features.astype(np.float32)

    def _read(self, rows):
        keys = [self.keys[row] for row in rows]
        size = max(1, READ_BYTES // max(1, 2 * (self.store.dimensions or 0)))
        features = np.empty((len(keys), *self.shape[1:]), np.float16)
        for start in range(0, len(keys), size):
            vectors = self.store.vectors(keys[start : start + size])[:, self.numbers]
            features[start : start + size] = vectors.reshape(-1, *self.shape[1:])
        return features


class Layers:
    """Some layers of features, by their places among those that are read. If the last of them is the model's, `output`
    may be its output layer (tokens x width), which makes next tokens of them.
    """

    def __init__(self, features, places: list[int], output: np.ndarray | None = None):
        self.features, self.places, self.output = features, places, output
        self.shape = (features.shape[0], len(places), features.shape[2])

    def __len__(self):
        return len(self.features)

    def __getitem__(self, rows) -> np.ndarray:
        return self.features[rows][:, self.places]


class Joined:
    """Features of several cells, one after another. Only models of one shape can share a probe."""

    def __init__(self, parts: list, names: list[str]):
        self.parts, self.starts = parts, np.cumsum([0, *map(len, parts)])
        shapes = {tuple(part.shape[1:]): name for part, name in zip(parts, names, strict=True) if len(part)}
        if len(shapes) > 1:
            (first, name), (second, other) = list(shapes.items())[:2]
            raise ProbeError(
                f"found activations of {first[0]} layers x {first[1]} numbers of {name} and of {second[0]} x"
                f" {second[1]} of {other}, expected one shape; a probe can only be tested on models of the shape it was"
                " fitted with"
            )
        self.shape = (int(self.starts[-1]), *next(iter(shapes), (0, 0)))

    def __len__(self):
        return self.shape[0]

    def __getitem__(self, rows) -> np.ndarray:
        rows = np.asarray(rows)
        owners = np.searchsorted(self.starts, rows, side="right") - 1
        features = np.empty((len(rows), *self.shape[1:]))
        for number in set(owners.tolist()):
            here = owners == number
            features[here] = self.parts[number][rows[here] - self.starts[number]]
        return features.astype(np.float32)


class ActivationProbe(method.Method):
    """A kind of probes is a module of `ragassay.studies.poisoning.probes.kinds` with a class `Kind`. What it learned is
    in `fitted`, as arrays. `OUTPUT` says which layers the model's output layer reads for it: the "last", "all" or none.
    """

    OUTPUT: str | None = None
    ARRAYS: tuple[str, ...] = ("outer.weight", "outer.bias")  # that are there, and no others

    def fit(self, training: "Part", validation: "Part", seed: int = 0) -> Self:
        raise NotImplementedError

    def score(self, part: "Part") -> np.ndarray:
        raise NotImplementedError

    def damage(self, layers: int = 1) -> str:
        """What is wrong with settings and arrays from a file, or ""; `layers` are those of the samples."""
        if wrong := self.wrong_setting():
            return wrong
        if missing := [name for name in self.ARRAYS if name not in self.fitted]:
            return f"found no array {missing[0]}"
        for name, array in self.fitted.items():
            if array.dtype.kind not in "fiu" or not np.isfinite(array).all():
                return f"found an array {name} that is not finite"
        try:
            self.check(layers)
        except (ValueError, LookupError, TypeError, ArithmeticError, RuntimeError) as error:
            return printable(str(error)).split("\n")[0]
        return ""

    def check(self, layers: int) -> None:
        """ValueError unless arrays have the shapes that `score` needs."""
        features = heads_file.check_head(self.fitted)
        if features % layers:
            raise ValueError(f"found a head of {features} features, expected a multiple of {layers} layers")


class Part(NamedTuple):
    """Some of the samples: their numbers, and whether each is poisoned."""

    features: object  # an array of samples x layers x width, or what can be taken by rows like one
    rows: np.ndarray
    labels: np.ndarray

    def chunks(self):
        """Features of all rows, some at a time."""
        each = int(np.prod(self.features.shape[1:])) * 4
        size = max(1, READ_BYTES // each)
        for start in range(0, len(self.rows), size):
            yield self.features[self.rows[start : start + size]]

    def whole(self) -> np.ndarray:
        """All of them: samples x numbers."""
        each = int(np.prod(self.features.shape[1:]))
        size = 4 * each * len(self.rows)
        if size > WHOLE_BYTES:
            raise ProbeError(
                f"found {len(self.rows)} samples of {self.features.shape[1]} layers x {self.features.shape[2]} numbers,"
                f" {size >> 20} MB, expected at most {WHOLE_BYTES >> 20} MB for a probe that reads all at once;"
                " choose fewer layers in revprag.activations.layers, or the kind triplet"
            )
        rows = [chunk.reshape(len(chunk), -1) for chunk in self.chunks()]
        return np.concatenate(rows) if rows else np.empty((0, each), np.float32)


class Scaling(NamedTuple):
    """What brings features to mean 0 and variance 1, each or all, on the samples it was measured on."""

    mean: np.ndarray  # layers x width
    factor: np.ndarray

    def __call__(self, features: np.ndarray) -> np.ndarray:
        return (features - self.mean) * self.factor

    def flat(self, part: Part) -> np.ndarray:
        """All features of a part, scaled: samples x numbers."""
        return (part.whole() - self.mean.ravel()) * self.factor.ravel()

    def worked_into(self, weight: np.ndarray, bias: float) -> dict[str, np.ndarray]:
        """A linear head on scaled features as one on features as they come."""
        weight = weight.astype(np.float64) * self.factor.ravel()
        outer = {"outer.weight": weight, "outer.bias": bias - weight @ self.mean.ravel()}
        return {name: np.asarray(value, np.float32) for name, value in outer.items()}


def scaling(part: Part, whole: bool = False) -> Scaling:
    """Of each feature; or one mean and one deviation of all, as the released code of the paper has them."""
    total = squares = 0.0
    for chunk in part.chunks():
        total, squares = total + chunk.sum(0, np.float64), squares + np.square(chunk, dtype=np.float64).sum(0)
    mean, squares = total / len(part.rows), squares / len(part.rows)
    if whole:
        mean, squares = np.full_like(mean, mean.mean()), np.full_like(squares, squares.mean())
    spread = np.sqrt(np.maximum(squares - mean**2, 0))
    moves = spread > 1e-6 * (1 + np.abs(mean))
    return Scaling(mean.astype(np.float32), np.where(moves, 1 / np.where(moves, spread, 1), 0).astype(np.float32))
