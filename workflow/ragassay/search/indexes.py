"""Indexes of vectors as FAISS makes them, for corpora that are too large to compare each query with each passage. An
index only proposes passages; `ragassay.search.vectors` scores them.
"""

import hashlib
from collections.abc import Callable, Iterable
from pathlib import Path

import faiss
import numpy as np
import pyarrow as pa

from ragassay.base import card
from ragassay.base.atomic import building
from ragassay.base.errors import AssayError

TRAINED_ON = 262_144  # vectors at most, evenly spread over the corpus
PROPOSED = 4  # times as many passages as are kept
FILE, CARD = "index.faiss", "index.json"


class VectorIndexError(AssayError):
    """An index cannot be built, or is not the one of these passages."""


DIGEST = card.expected("a digest", card.is_digest)
FORM = card.Form(
    "index",
    2,
    {"encoder": str, "similarity": str, "texts": DIGEST, "passages": int, "ids": DIGEST, "factory": str},
    "remove the folder, and it is built again",
    VectorIndexError,
    "built",
)


def build(folder, factory: str, ids: pa.ChunkedArray, source: dict, blocks: Callable[[], Iterable[np.ndarray]]) -> int:
    """The index of the vectors that `blocks` gives each time it is called, in the order of `ids`; `source` is
    `Vectors.source`. Returns its bytes.
    """
    step, sample, start = -(-len(ids) // TRAINED_ON), [], 0
    for block in blocks():
        sample.append(np.array(block[-start % step :: step], np.float32))
        start += len(block)
    kind = factory if len(ids) else "Flat"  # of a part of which all documents are held out: nobody searches in it
    sample = np.concatenate(sample) if len(ids) else np.empty((0, 1), np.float32)
    try:
        index = faiss.index_factory(sample.shape[1], kind, faiss.METRIC_INNER_PRODUCT)
        index.train(sample)
        for block in blocks():
            index.add(np.ascontiguousarray(block, np.float32))
    except RuntimeError as error:  # FAISS has no other class; its last line says what is wrong
        reason = str(error).strip().splitlines()[-1]
        raise VectorIndexError(
            f"found the index {factory!r} for {len(ids)} passages, which FAISS refuses: {reason}"
        ) from error
    with building(folder) as place:
        faiss.write_index(index, str(place / FILE))
        card.write(place / CARD, FORM, _contents(ids, source) | {"factory": factory}, [FILE])
        return (place / FILE).stat().st_size


def load(folder, ids: pa.ChunkedArray, source: dict, search: str):
    """The index, read from its file as it is needed; `search` are its parameters, such as nprobe=16."""
    place = Path(folder, CARD)
    built = card.read(place, FORM)
    wanted = _contents(ids, source)
    others = [key for key in wanted if built[key] != wanted[key]]
    if others:
        there, here = (", ".join(f"{key} {contents[key]}" for key in others) for contents in (built, wanted))
        raise FORM.refusal(folder, f"found an index of other vectors, with {there}, expected {here}")
    file = card.checked(place, built, FORM, FILE)
    try:
        index = faiss.read_index(str(file), faiss.IO_FLAG_MMAP)
        if search:
            faiss.ParameterSpace().set_index_parameters(index, search)
    except RuntimeError as error:
        reason = str(error).strip().splitlines()[-1]
        raise VectorIndexError(f"{folder}: found an index that FAISS cannot use with {search!r}: {reason}") from error
    return index


def _contents(ids, source):
    digest = hashlib.sha256()
    for part in ids.chunks:
        for name in part.to_pylist():
            digest.update(name.encode() + b"\n")
    return source | {"passages": len(ids), "ids": digest.hexdigest()}


def proposed(index, queries: np.ndarray, count: int) -> np.ndarray:
    """The positions that the index proposes to each query, in a matrix; -1 where it found no more."""
    if not len(queries) or not index.ntotal:
        return np.empty((len(queries), 0), np.int64)
    if queries.shape[1] != index.d:
        lengths = f"{queries.shape[1]} numbers and those of passages of {index.d}"
        raise VectorIndexError(f"found vectors of queries of {lengths}, expected one length; are both of one model?")
    return index.search(np.ascontiguousarray(queries, np.float32), min(PROPOSED * count, index.ntotal))[1]
