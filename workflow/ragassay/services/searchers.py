"""What a gate searches with: the passages of a corpus by vectors or by words, written once, opened anywhere.

Scores are those of the tables of neighbours: the same vectors, the same products, the same steps. A searcher is used
by several threads at once; only one of them runs the encoder at a time.
"""

import json
import threading
from collections.abc import Iterable
from pathlib import Path

import numpy as np
from safetensors.numpy import save

from ragassay.base import fitted_files
from ragassay.models.encoders.embed import tokenized, vectors
from ragassay.models.encoders.encoder import SAME_VECTORS, Encoder
from ragassay.search.bm25 import Bm25
from ragassay.search.nearest import COSINE, best_of_sparse, comparable, nearest
from ragassay.services import gate_files
from ragassay.services.gate_files import DENSE, GateError

BLOCK = 8192  # passages that are compared at once
EXAMPLE = "Does this encoder give the vectors that the gate was fitted with?"  # a query whose vector a gate knows
ALIKE = 0.999  # the cosine of two vectors of it that one encoder may give on two machines


def write_vectors(folder, name: str, blocks: Iterable[np.ndarray], passages: int, similarity: str) -> None:
    """The vectors of all passages, which stream by."""
    target, done = None, 0
    for block in blocks:
        if target is None:
            shape = passages, block.shape[1]
            target = np.lib.format.open_memmap(Path(folder, f"{name}.npy"), "w+", np.float32, shape)
        target[done : done + len(block)] = comparable(block, similarity)
        done += len(block)
    target.flush()


def write_example(folder, name: str, vector: np.ndarray, similarity: str) -> None:
    """The vector of EXAMPLE as a query: 1 x width."""
    np.save(Path(folder, f"{name}.example.npy"), comparable(vector, similarity))


def write_words(folder, name: str, index: Bm25) -> None:
    words, arrays = index.state()
    Path(folder, f"{name}.words.json").write_text(json.dumps(words, ensure_ascii=False), encoding="utf-8")
    Path(folder, f"{name}.safetensors").write_bytes(save(arrays))


def dense(encoder: Encoder, similarity: str) -> dict:
    """What a gate has to know of a dense retriever. Options of the machine are not kept."""
    options = {key: value for key, value in encoder.options.items() if key not in SAME_VECTORS}
    entry = {"name": encoder.name, "kind": encoder.kind, "model": encoder.model, "options": options}
    return {"kind": DENSE, "encoder": entry, "digest": encoder.digest, "similarity": similarity}


def opened(folder, about: dict, model, embed) -> list:
    """The searchers of a gate in their order; `model` and `embed` are those of `Gate.load`."""
    dense_names = [name for name in about["order"] if about["searchers"][name]["kind"] == DENSE]
    functions = embed if isinstance(embed, dict) else dict.fromkeys(dense_names, embed)
    if embed is not None and (
        not dense_names or set(functions) != set(dense_names) or not all(map(callable, functions.values()))
    ):
        raise GateError(
            f"{folder}: found embed {embed!r:.60}, expected a function of a list of queries, or one for each of"
            f" {', '.join(dense_names) or 'no retriever, since this gate embeds nothing'}"
        )
    return [
        DenseSearcher(folder, name, about, model, functions[name])
        if name in dense_names
        else WordSearcher(folder, name, about)
        for name in about["order"]
    ]


class DenseSearcher:
    def __init__(self, folder, name, about, model, embed):
        entry = about["searchers"][name]
        self._folder, self._similarity, self._embed = folder, entry["similarity"], embed
        self._passages, self._example = gate_files.vectors(folder, name, about)
        self.passages, self._width = self._passages.shape
        self._kind, self._lock = None, threading.Lock()
        if embed is not None:
            self._check_example()
            return
        self._encoder = Encoder(**entry["encoder"] | ({"model": str(model)} if model else {}))
        if self._encoder.digest != entry["digest"]:
            raise GateError(
                f"{folder}: found the encoder {self._encoder.model} with the digest {self._encoder.digest}, expected"
                f" {entry['digest']}, with which the gate was fitted; name its weights, or fit the gate again"
            )

    def search(self, texts: list[str], count: int) -> tuple[np.ndarray, np.ndarray]:
        """Positions of passages and scores, texts x count, best first."""
        starts = range(0, len(self._passages), BLOCK)
        blocks = (self._passages[start : start + BLOCK] for start in starts)
        return nearest(comparable(self._embedded(texts), self._similarity), blocks, count)

    def _embedded(self, texts):
        """Vectors of texts, as rounded as those of the store."""
        if self._embed is not None:
            return self._given(texts).astype("<f2")
        embedded = np.empty((len(texts), self._width), "<f2")
        with self._lock:
            if self._kind is None:
                self._prefix, self._kind = self._encoder.prefix("query"), self._encoder.load()
            tokens = tokenized(self._kind, [self._prefix + text for text in texts])
            for places, rows in vectors(self._kind, tokens):
                embedded[places] = rows
        return embedded

    def _given(self, texts):
        """Vectors of texts by the service's own function."""
        if not texts:
            return np.empty((0, self._width), np.float32)
        try:
            rows = np.asarray(self._embed(list(texts)), np.float32)
        except (TypeError, ValueError) as error:
            raise GateError(f"{self._folder}: cannot use what embed gave for {len(texts)} queries ({error})") from error
        if rows.shape != (len(texts), self._width) or not np.isfinite(rows).all():
            shapes = f"{rows.shape} for {len(texts)} queries, or a number that is not finite"
            raise GateError(f"{self._folder}: found {shapes}, expected {len(texts)} vectors of {self._width} numbers")
        return rows

    def _check_example(self):
        [vector] = comparable(self._given([EXAMPLE]), self._similarity)
        lengths = np.linalg.norm(vector), np.linalg.norm(self._example)
        alike = float(vector @ self._example) / max(float(lengths[0] * lengths[1]), 1e-12)
        is_long = self._similarity != COSINE and not 0.99 < lengths[0] / max(lengths[1], 1e-12) < 1.01
        if alike < ALIKE or is_long:
            raise GateError(
                f"{self._folder}: found that embed gives another vector than the encoder of the fitting (cosine"
                f" {alike:.3f}, expected {ALIKE}); give that encoder, with its prefix of queries, or fit the gate again"
            )


class WordSearcher:
    def __init__(self, folder, name, about):
        words = gate_files.opened(folder, f"{name}.words.json", about, fitted_files.texts)

        def restored(path):
            return Bm25.restored(words, fitted_files.arrays(path.read_bytes()))

        self._index = gate_files.opened(folder, f"{name}.safetensors", about, restored)
        self._index.scores([""])  # makes what the first call would make, before several threads do
        self.passages = self._index.passages

    def search(self, texts: list[str], count: int) -> tuple[np.ndarray, np.ndarray]:
        """Positions of passages and scores, texts x count, best first. Where a text shares words with fewer passages,
        the position is -1 and the score 0.
        """
        count = min(count, self._index.passages)
        positions, scores = np.full((len(texts), count), -1), np.zeros((len(texts), count))
        for at, (places, values) in enumerate(best_of_sparse(self._index.scores(texts), count)):
            positions[at, : len(places)], scores[at, : len(values)] = places, values
        return positions, scores
