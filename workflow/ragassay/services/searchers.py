"""What a gate searches with: the passages of a corpus by vectors or by words, written once, opened anywhere.

Scores are those of the tables of neighbours: the same vectors, the same products, the same steps. A searcher is used
by several threads at once; only one of them runs the encoder at a time.
"""

import json
import threading
from collections.abc import Iterable
from pathlib import Path

import numpy as np
from safetensors import SafetensorError
from safetensors.numpy import load_file, save

from ragassay.models.encoders.embed import tokenized, vectors
from ragassay.models.encoders.encoder import SAME_VECTORS, Encoder
from ragassay.search.bm25 import Bm25
from ragassay.search.nearest import best_of_sparse, comparable, nearest
from ragassay.services.gate import GateError, checked

DENSE, BM25 = "dense", "bm25"
BLOCK = 8192  # passages that are compared at once


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


def write_words(folder, name: str, index: Bm25) -> None:
    words, arrays = index.state()
    Path(folder, f"{name}.words.json").write_text(json.dumps(words, ensure_ascii=False), encoding="utf-8")
    Path(folder, f"{name}.safetensors").write_bytes(save(arrays))


def dense(encoder: Encoder, similarity: str) -> dict:
    """What a gate has to know of a dense retriever. Options of the machine are not kept."""
    options = {key: value for key, value in encoder.options.items() if key not in SAME_VECTORS}
    entry = {"name": encoder.name, "kind": encoder.kind, "model": encoder.model, "options": options}
    return {"kind": DENSE, "encoder": entry, "digest": encoder.digest, "similarity": similarity}


def opened(folder, name: str, about: dict, model: str | None):
    """The searcher of this name; `model` is a folder with the encoder's weights, if they lie elsewhere here."""
    kind = {DENSE: DenseSearcher, BM25: WordSearcher}[about["searchers"][name]["kind"]]
    return kind(folder, name, about, model)


class DenseSearcher:
    def __init__(self, folder, name, about, model):
        own = about["searchers"][name]
        entry = own["encoder"] | ({"model": str(model)} if model else {})
        self._encoder, self._similarity = Encoder(**entry), own["similarity"]
        if self._encoder.digest != own["digest"]:
            raise GateError(
                f"{folder}: found the encoder {self._encoder.model} with the digest {self._encoder.digest}, expected"
                f" {own['digest']}, with which the gate was fitted; name its weights, or fit the gate again"
            )
        path = checked(folder, f"{name}.npy", about)
        try:
            self._passages = np.load(path, mmap_mode="r", allow_pickle=False)
            self.passages, _ = self._passages.shape
        except ValueError as error:
            raise GateError(f"{path}: found no vectors of passages ({error}); fit the gate again") from error
        self._prefix, self._kind, self._lock = self._encoder.prefix("query"), self._encoder.load(), threading.Lock()

    def search(self, texts: list[str], count: int) -> tuple[np.ndarray, np.ndarray]:
        """Positions of passages and scores, texts x count, best first."""
        starts = range(0, len(self._passages), BLOCK)
        blocks = (self._passages[start : start + BLOCK] for start in starts)
        return nearest(comparable(self._embedded(texts), self._similarity), blocks, count)

    def _embedded(self, texts):
        """Vectors of texts, as rounded as those of the store."""
        embedded = np.empty((len(texts), self._passages.shape[1]), "<f2")
        with self._lock:
            tokens = tokenized(self._kind, [self._prefix + text for text in texts])
            for places, rows in vectors(self._kind, tokens):
                embedded[places] = rows
        return embedded


class WordSearcher:
    def __init__(self, folder, name, about, _model):
        path = checked(folder, f"{name}.words.json", about)
        try:
            words = json.loads(path.read_text(encoding="utf-8"))
            self._index = Bm25.restored(words, load_file(checked(folder, f"{name}.safetensors", about)))
            self._index.scores([""])  # makes what the first call would make, before several threads do
        except (ValueError, LookupError, TypeError, SafetensorError) as error:
            raise GateError(f"{path}: cannot read the words of the gate ({error}); fit the gate again") from error
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
