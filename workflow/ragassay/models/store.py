"""Vectors that were computed once, by the hash of their text: a folder of Parquet parts that are added, never
changed. Each part appears whole under the number after the last; a job that finds it taken skips what the other job
added and tries the next, so that jobs may add at once, and the first vector of a text stays. One folder belongs to
one encoder. The keys of these parts are held in memory; those of whole corpora lie in files of their own (see
`vector_file`), which are looked into where no part has a key."""

import contextlib
import hashlib
import json
import time
from collections.abc import Callable, Iterable
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from ragassay.base.atomic import creating, write_text
from ragassay.base.errors import AssayError
from ragassay.models.files import short_digest
from ragassay.models.vector_file import VectorFile

KEY = np.dtype("S16")
PARTS = "[0-9]" * 8 + ".parquet"
CORPORA = "corpora"  # the folder of files
FILES = f"{CORPORA}/{'[0-9a-f]' * 32}"
UNSEEN = 120.0  # seconds that a network file system may take to list what another machine added
GROUP_BYTES = 768 << 10  # of vectors that are read together, or one row
HELD_BYTES, SECONDS = 256 << 20, 60.0  # what may be computed and not yet stored, which is what a kill can cost
OPTIONS = {"compression": "none", "use_dictionary": False, "write_statistics": False, "write_page_checksum": True}
# Nothing compresses: keys are hashes, and the bits of a vector are as good as random.


class StoreError(AssayError):
    """Stored vectors cannot be read or are not what they should be."""


def key(text: str) -> bytes:
    """128 bits of a hash over the text as the encoder gets it."""
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).digest()[:16]


def digest(texts: Iterable[str]) -> str:
    """SHA-256 over the keys of texts, in their order."""
    keys = hashlib.sha256()
    for text in texts:
        keys.update(key(text))
    return keys.hexdigest()


class Store:
    """All vectors below one folder. `dimensions` is None while there is none. What the store `behind` has is not
    added.
    """

    def __init__(self, folder, behind: "Store | None" = None):
        self._behind = [] if behind is None else [behind]  # which is falsy where files have all of its vectors
        self._files = {}  # path -> file
        self.folder, self.dimensions = Path(folder), None if behind is None else behind.dimensions
        self._parts = []  # paths, as they were found: a listing may show a part before one with a smaller number
        self._starts = []  # for each part, the first row of each of its groups
        self._keys = np.empty(0, KEY)  # of all parts, sorted
        self._places = np.empty(0, np.int64)  # of each key: number of the part << 32 | row
        self.refresh()

    @classmethod
    def of(cls, folder, identity: dict, name: str) -> "Store":
        """The store below `folder` of what has this identity, which `<name>.json` beside its parts says in full."""
        store = cls(Path(folder, short_digest(identity)))
        if not (store.folder / f"{name}.json").exists():
            write_text(store.folder / f"{name}.json", json.dumps(identity, indent=1, sort_keys=True) + "\n")
        return store

    def __len__(self):
        return len(self._keys)

    def __contains__(self, key: bytes):
        return bool(self.known([key])[0])

    def refresh(self) -> None:
        """Look at the parts that were added since."""
        keys, places = [self._keys], [self._places]
        for path in sorted({*self.folder.glob(PARTS)} - {*self._parts}):
            with self._part(path) as part:
                keys_of_part = _array(part.read(["key"])["key"], KEY)
                rows = [part.metadata.row_group(group).num_rows for group in range(part.num_row_groups)]
                if sum(rows) != len(keys_of_part):
                    raise ValueError(f"found {len(keys_of_part)} keys in groups of {sum(rows)} rows")
            places.append((len(self._parts) << 32) + np.arange(len(keys_of_part), dtype=np.int64))
            keys.append(keys_of_part)
            self._parts.append(path)
            self._starts.append(np.cumsum([0, *rows[:-1]]))
        if len(keys) > 1:
            keys, places = np.concatenate(keys), np.concatenate(places)
            order = np.argsort(keys, kind="stable")
            self._keys, self._places = keys[order], places[order]
        for path in sorted({*self.folder.glob(FILES)} - self._files.keys()):
            self._files[path] = VectorFile(path)
            self.dimensions = self.dimensions or self._files[path].dimensions

    def known(self, keys: list[bytes]) -> np.ndarray:
        """Which of the keys have a vector, as far as seen."""
        _, there = self._find(keys)
        for _, inside in self._elsewhere(keys, there):
            there[inside] = True
        return there

    def _elsewhere(self, keys, there):
        """The files and the store behind that have further keys, with their positions."""
        rest = np.flatnonzero(~there)
        for other in [*self._files.values(), *self._behind]:
            if not len(rest):
                return
            has = other.known([keys[at] for at in rest])
            if has.any():
                yield other, rest[has]
            rest = rest[~has]

    def vectors(self, keys: list[bytes]) -> np.ndarray:
        """The vectors of known keys, in their order; reads only the groups of rows that they are in."""
        places, there = self._find(keys)
        result = np.empty((len(keys), self.dimensions or 0), "<f2")
        here = np.flatnonzero(there)
        for other, inside in self._elsewhere(keys, there.copy()):
            result[inside] = other.vectors([keys[at] for at in inside])
            there[inside] = True
        if not there.all():
            raise KeyError(keys[int(np.argmin(there))].hex())
        order = here[np.argsort(places[here], kind="stable")]
        parts = places[order] >> 32
        for inside in np.split(order, np.flatnonzero(np.diff(parts)) + 1) if len(order) else []:
            number = int(places[inside[0]] >> 32)
            self._read(number, places[inside] & 0xFFFFFFFF, result, inside)
        return result

    def _read(self, number, rows, result, positions):
        """Vectors of one part into the result; `rows` ascend."""
        starts = self._starts[number]
        groups = np.searchsorted(starts, rows, side="right") - 1
        with self._part(self._parts[number]) as part:
            for inside in np.split(np.arange(len(rows)), np.flatnonzero(np.diff(groups)) + 1):
                group = int(groups[inside[0]])
                column = part.read_row_group(group, ["vector"])["vector"]
                block = _array(column, np.dtype(("<f2", (self.dimensions,))))
                result[positions[inside]] = block[rows[inside] - starts[group]]

    def fill(self, keys: list[bytes], compute: Callable[[list[int]], Iterable[tuple[list[int], np.ndarray]]]) -> int:
        """See to it that each key has a vector; how many had none. `compute` is asked for the positions of those keys,
        each key once, and yields some positions with a row each, in any order, until it has yielded all.
        """
        if not self.known(keys).all():
            self.refresh()  # another job may have come before us
        stored = self.known(keys)
        missing = {key: at for at, (key, there) in enumerate(zip(keys, stored, strict=True)) if not there}
        done, held, since = [], [], time.monotonic()  # keys and rows in parts, since joining them would copy them
        for positions, rows in compute(list(missing.values())) if missing else ():
            with np.errstate(over="ignore"):  # what is not finite is refused
                held.append(np.asarray(rows).reshape(len(positions), -1).astype("<f2", order="C"))
            del rows  # else they would be held while the next ones are computed
            done.append([keys[at] for at in positions])
            if sum(part.nbytes for part in held) >= HELD_BYTES or time.monotonic() - since > SECONDS:
                self._add(done, held)
                done, held, since = [], [], time.monotonic()
        if done:
            self._add(done, held)
        return len(missing)

    def add(self, keys: list[bytes], vectors: np.ndarray) -> None:
        """Add vectors of different keys; those that another process added meanwhile keep theirs."""
        self._add([keys], [np.ascontiguousarray(vectors, "<f2")])

    def _add(self, keys, vectors):
        """The same for lists of them."""
        for names, rows in zip(keys, vectors, strict=True):
            if not np.isfinite(rows).all():
                worst = names[int(np.argmin(np.isfinite(rows).all(axis=1)))].hex()
                raise StoreError(
                    f"{self.folder}: the vector of text {worst} is not finite in float16; check the model's weights"
                )
        number, since = None, time.monotonic()
        while True:
            self.refresh()
            if self._next() != number:
                number, since = self._next(), time.monotonic()
            table = pa.concat_tables(map(self._unknown, keys, vectors))
            if not len(table):
                return
            try:
                with creating(self.folder / f"{number:08d}.parquet") as target:
                    size = max(1, GROUP_BYTES // max(1, 2 * vectors[0].shape[1]))
                    pq.write_table(table, target, row_group_size=size, **OPTIONS)
            except FileExistsError as error:
                if time.monotonic() - since > UNSEEN:
                    raise StoreError(
                        f"{self.folder}: part {number:08d} is there, but the folder did not list it for"
                        f" {UNSEEN:g} seconds; see whether the file system is in order and run again"
                    ) from error
                time.sleep(0.05)  # until our view of the folder has it too
                continue
            return self.refresh()

    def _unknown(self, keys, vectors):
        """The vectors that are not stored, as a table."""
        new = ~self.known(keys)
        rows = vectors if new.all() else vectors[new]  # which copies them
        return _table([key for key, fresh in zip(keys, new, strict=True) if fresh], rows)

    def _next(self):
        return max((int(path.stem) + 1 for path in self._parts), default=0)

    def _find(self, keys):
        wanted = np.array(keys, KEY)
        if not len(self._keys):
            return np.zeros(len(wanted), np.int64), np.zeros(len(wanted), bool)
        at = np.minimum(np.searchsorted(self._keys, wanted), len(self._keys) - 1)
        return self._places[at], self._keys[at] == wanted

    @contextlib.contextmanager
    def _part(self, path):
        """A part to read from; what is wrong with it is told with its path."""
        try:
            with pq.ParquetFile(path, page_checksum_verification=True) as part:
                width = part.schema.column(1).length
                self.dimensions = self.dimensions or width // 2
                if width != 2 * self.dimensions:
                    raise StoreError(
                        f"{path}: found vectors of {width // 2} numbers, expected {self.dimensions}; delete the folder"
                    )
                yield part
        except (pa.ArrowException, OSError, ValueError) as error:
            raise StoreError(
                f"{path}: damaged ({str(error).strip()}); delete it and its texts are embedded again"
            ) from error


def _table(keys, vectors):
    width = vectors.shape[1] * 2
    fixed = pa.FixedSizeBinaryArray.from_buffers(pa.binary(width), len(keys), [None, pa.py_buffer(vectors)])
    fields = [pa.field("key", pa.binary(16), nullable=False), pa.field("vector", pa.binary(width), nullable=False)]
    return pa.Table.from_arrays([pa.array(keys, pa.binary(16)), fixed], schema=pa.schema(fields))


def _array(column, dtype):
    """A column of values of one length as an array."""
    column = column.combine_chunks()
    size = column.type.byte_width
    return np.frombuffer(column.buffers()[1], dtype, count=len(column), offset=column.offset * size)
