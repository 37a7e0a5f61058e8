"""Embed texts, each once per encoder: stored vectors are read, the rest is computed and stored. Texts come as a
stream and are taken in chunks, so memory does not grow with their number. In another selection a text falls into
another batch, where the last bits may differ; once stored, a vector never changes."""

import functools
import hashlib
import itertools
import shutil
from collections.abc import Callable, Iterable, Iterator

import numpy as np

from ragassay.base.atomic import alone
from ragassay.base.stage import log
from ragassay.models.batches import batches, padded
from ragassay.models.encoders.encoder import Encoder, Kind
from ragassay.models.store import CORPORA, KEY, Store, key
from ragassay.models.vector_file import VectorFile, write

CHUNK = 8192
AT_ONCE = 256  # texts cut into tokens together


class Embedder:
    """An encoder, loaded once for many calls. `computed` counts texts that had no vector, `cut` those of them that were
    not read whole.
    """

    def __init__(self, encoder: Encoder, folder):
        self.encoder, self.computed, self.cut, self._loaded = encoder, 0, 0, None
        self.store = Store.of(folder, encoder.identity, "encoder")

    def stream(self, texts: Iterable[str], role: str | None = None) -> Iterator[np.ndarray]:
        """The vectors of texts in their order, as float16 arrays of up to CHUNK rows."""
        prefix, texts = self.encoder.prefix(role), iter(texts)
        while chunk := [prefix + text for text in itertools.islice(texts, CHUNK)]:
            keys = [key(text) for text in chunk]
            self.computed += self.store.fill(keys, functools.partial(self._compute, chunk))
            yield self.store.vectors(keys)

    def file(self, texts: Iterable[str], role: str | None = None) -> VectorFile | None:
        """The file with the vectors of these texts in their order, if there is one."""
        folder = self._folder(self._keys(texts, role))
        return VectorFile(folder) if folder.is_dir() else None

    def write_file(self, texts: Callable[[], Iterable[str]], role: str | None = None) -> VectorFile:
        """The same, written if it is missing, from what is stored anywhere; what is computed lies apart until then. A
        job that comes for the same texts meanwhile waits.
        """
        store, keys = self.store, self._keys(texts(), role)
        folder = self._folder(keys)
        staged = store.folder / "staged" / folder.name
        with alone(staged.with_suffix(".lock")):
            if not folder.is_dir():
                self.store = Store(staged, behind=store)
                try:
                    write(folder, keys, self.stream(texts(), role))
                finally:
                    self.store = store
                shutil.rmtree(staged, ignore_errors=True)
                store.refresh()
        return VectorFile(folder)

    def _keys(self, texts, role):
        prefix, keys = self.encoder.prefix(role), bytearray()
        for text in texts:
            keys += key(prefix + text)
        return np.frombuffer(keys, KEY)

    def _folder(self, keys):
        return self.store.folder / CORPORA / hashlib.sha256(keys).hexdigest()[:32]

    def embed(self, texts: list[str], role: str | None = None) -> np.ndarray:
        """The vectors of all texts at once, one row each."""
        pieces = list(self.stream(texts, role))
        return np.concatenate(pieces) if pieces else np.empty((0, self.store.dimensions or 0), np.float16)

    @property
    def told(self) -> str:
        """A job's summary of its embedding."""
        cut = f", {self.cut} of them longer than the {self.kind.longest} tokens that are read" if self.cut else ""
        return f"{self.computed} texts embedded{cut}"

    def longer(self, texts: list[str], role: str | None = None) -> tuple[int, int]:
        """How many of the texts are longer than what the encoder reads, and how many tokens of a text it reads."""
        prefix = self.encoder.prefix(role)
        return _longer(self.kind, [prefix + text for text in texts]), self.kind.longest

    @property
    def kind(self) -> Kind:
        """The loaded encoder."""
        if self._loaded is None:
            log.info("loading encoder %s", self.encoder.name)
            self._loaded = self.encoder.load()
        return self._loaded

    def _compute(self, texts, positions):
        """Positions with their vectors, a batch at a time."""
        missing = [texts[at] for at in positions]
        tokens = tokenized(self.kind, missing)
        for batch, rows in vectors(self.kind, tokens):
            yield [positions[at] for at in batch], rows
        full = [text for text, row in zip(missing, tokens, strict=True) if len(row) >= self.kind.longest]
        self.cut += _longer(self.kind, full)


def tokenized(kind: Kind, texts: list[str]) -> list[np.ndarray]:
    """The tokens of each text, as many as the encoder reads."""
    starts = range(0, len(texts), AT_ONCE)
    return [np.asarray(row, np.int32) for at in starts for row in kind.tokens(texts[at : at + AT_ONCE])]


def vectors(kind: Kind, tokens: list[np.ndarray]) -> Iterator[tuple[list[int], np.ndarray]]:
    """Places in the list with their vectors, a batch at a time."""
    for batch in batches([len(row) for row in tokens], kind.batch_tokens):
        yield batch, kind.vectors(*padded([tokens[at] for at in batch], kind.pad))


def _longer(kind, texts):
    starts = range(0, len(texts), AT_ONCE)
    return sum(length > kind.longest for at in starts for length in kind.lengths(texts[at : at + AT_ONCE]))
