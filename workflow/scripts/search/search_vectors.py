"""Find the nearest passages of each query by vectors that were computed elsewhere, exactly. A passage that repeats the
sentence that a synthetic query was made from cannot be embedded without it, so the query does not find that passage.

Vectors that were computed elsewhere, by the ids of their passages or queries: a column `id` and a column `vector`
in x.parquet, or rows in x.npy or the tensor `vectors` in x.safetensors, with the ids in x.ids, one a line. The last
two are mapped into memory. Several files are one set of vectors. Repeated ids and other lengths are found before a
search.
"""

import functools
import json
from collections.abc import Iterable, Iterator
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from ragassay.base import fitted_files, tables
from ragassay.base.errors import AssayError
from ragassay.base.stage import log, run
from ragassay.corpora import corpus
from ragassay.release.verification.digests import read_table
from ragassay.schemas.corpora import QUERIES
from ragassay.search.masked_sources import mask
from ragassay.search.nearest import comparable, nearest
from ragassay.search.neighbours import write

BLOCK = 8192  # vectors that are given at once
LARGEST_HEADER = 10_000_000  # bytes of a safetensors file's
TYPES = {"F16": "<f2", "F32": "<f4", "F64": "<f8"}  # safetensors' names


def search_vectors(passages, queries, passage_vectors, query_vectors, neighbours, similarity, count):
    """The vectors are lists of files, each found by the ids of both tables."""
    given, wanted = VectorFiles(passage_vectors), VectorFiles(query_vectors)
    ids = corpus.ids(passages)
    asked = tables.read(QUERIES, queries, ["query_id"])["query_id"]
    of_queries = np.concatenate([*wanted.blocks(asked), np.empty((0, wanted.dimensions), np.float32)])
    blocks = (comparable(block, similarity) for block in given.blocks(ids))
    best = nearest(comparable(of_queries, similarity), blocks, count)
    write(neighbours, asked.to_pylist(), ids, zip(*best, strict=True))
    mask(neighbours, queries, [passages], corpus.NONE, lambda texts, _: np.full(len(texts), np.nan))
    log.info("%d queries in %d passages", len(asked), len(ids))


class VectorError(AssayError):
    """A file of vectors cannot be used; the message names the file."""


class VectorFiles:
    def __init__(self, files: Iterable):
        self._files = list(map(str, files))
        self._vectors, ids, owners = [], [], []
        for number, file in enumerate(self._files):
            with fitted_files.reading(functools.partial(_refusal, file)):
                names, vectors = READERS[Path(file).suffix](file)
            if vectors.ndim != 2 or not vectors.shape[1] or vectors.dtype.kind not in "fiu":
                problem = f"found an array of {vectors.dtype} of shape {vectors.shape}"
                raise VectorError(f"{file}: {problem}, expected rows of numbers")
            if len(names) != len(vectors):
                raise VectorError(f"{file}: found {len(names)} ids of {len(vectors)} vectors, expected as many")
            self._vectors.append(vectors)
            ids.append(names)
            owners.append(np.full(len(names), number))
            if vectors.shape[1] != self.dimensions:
                expected = f"expected {self.dimensions} as in {self._files[0]}"
                raise VectorError(f"{file}: found vectors of {vectors.shape[1]} numbers, {expected}")
        rows = np.concatenate([np.arange(len(names)) for names in ids])
        ids, owners = pa.concat_arrays(ids), np.concatenate(owners)
        order = pc.sort_indices(ids).to_numpy()
        self._ids, self._owners, self._rows = ids.take(pa.array(order)), owners[order], rows[order]
        same = pc.index(pc.equal(self._ids[1:], self._ids[:-1]), True).as_py() if len(ids) > 1 else -1
        if same >= 0:
            file = self._files[self._owners[same + 1]]
            raise VectorError(f"{file}: found the id {self._ids[same].as_py()!r} twice, expected each once")

    @property
    def dimensions(self) -> int:
        return self._vectors[0].shape[1]

    def blocks(self, ids: pa.ChunkedArray) -> Iterator[np.ndarray]:
        """The vectors of these ids in their order, as float32, some at a time."""
        places = pc.index_in(ids.combine_chunks(), self._ids)
        if places.null_count:
            missing = ids.filter(pc.is_null(places))[0].as_py()
            problem = f"found no vector of {missing!r} ({places.null_count} of {len(ids)} are missing)"
            raise VectorError(f"{', '.join(self._files)}: {problem}, expected one of each")
        places = places.to_numpy()
        for start in range(0, len(places), BLOCK):
            yield self._block(places[start : start + BLOCK])

    def _block(self, places):
        block = np.empty((len(places), self.dimensions), np.float32)
        for number, vectors in enumerate(self._vectors):
            inside = np.flatnonzero(self._owners[places] == number)
            rows = self._rows[places[inside]]
            order = np.argsort(rows)  # a file is read from its beginning to its end
            block[inside[order]] = vectors[rows[order]]
            bad = ~np.isfinite(block[inside]).all(axis=1)
            if bad.any():
                name = self._ids[int(places[inside][bad][0])].as_py()
                raise VectorError(f"{self._files[number]}: found a number that is none in the vector of {name!r}")
        return block


def _parquet(file):
    rows = read_table(file, ["id", "vector"])
    ids = rows["id"].cast(pa.string()).combine_chunks()
    vectors = rows["vector"].combine_chunks()
    if not pa.types.is_fixed_size_list(vectors.type) and not pa.types.is_list(vectors.type):
        raise VectorError(f"{file}: column vector is {vectors.type}, expected lists of numbers")
    numbers = vectors.flatten()
    lengths = pc.list_value_length(vectors).unique().to_pylist() or [0]
    if len(lengths) > 1 or ids.null_count or numbers.null_count or not pa.types.is_floating(numbers.type):
        raise VectorError(f"{file}: expected an id and as many numbers in each row, found lists of {lengths[:5]}")
    return ids, numbers.to_numpy(zero_copy_only=False).reshape(-1, lengths[0] or 1)


def _npy(file):
    return _ids(file), fitted_files.array(file)


def _safetensors(file):
    with Path(file).open("rb") as content:
        size = int.from_bytes(content.read(8), "little")
        if size > LARGEST_HEADER:
            raise VectorError(
                f"{file}: found a header of {size} bytes, expected at most {LARGEST_HEADER}; save it again"
            )
        entry = json.loads(content.read(size))["vectors"]
    start, form = 8 + size + entry["data_offsets"][0], (TYPES[entry["dtype"]], tuple(entry["shape"]))
    return _ids(file), np.memmap(file, form[0], "r", start, form[1])


def _ids(file):
    path = Path(file).with_suffix(".ids")
    if not path.is_file():
        raise VectorError(f"{file}: found no file {path}, expected one with the id of each row, one a line")
    return pa.array(path.read_text(encoding="utf-8").splitlines(), pa.string())


def _refusal(file, problem):
    kinds = f"a column id and a column vector, an array as numpy saves it, or a tensor `vectors` of {', '.join(TYPES)}"
    return VectorError(f"{file}: {problem}, expected {kinds}; save the vectors again")


READERS = {".parquet": _parquet, ".npy": _npy, ".safetensors": _safetensors}


if __name__ == "__main__":
    run(search_vectors, snakemake)
