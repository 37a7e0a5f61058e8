"""Indexes of vectors as FAISS makes them, for corpora that are too large to compare each query with each passage. An
index only proposes passages; `ragassay.search.proposals` scores them.
"""

import hashlib
import json
from collections.abc import Callable, Iterable
from pathlib import Path

import faiss
import numpy as np
import pyarrow as pa

from ragassay.base.atomic import building
from ragassay.base.errors import MISSHAPEN, AssayError

TRAINED_ON = 262_144  # vectors at most, evenly spread over the corpus
PROPOSED = 4  # times as many passages as are kept
REMOVE = "remove the folder, and it is built again"
FILE, CARD = "index.faiss", "index.json"


class VectorIndexError(AssayError):
    """An index cannot be built, or is not the one of these passages."""


def build(folder, factory: str, ids: pa.ChunkedArray, encoder: str, blocks: Callable[[], Iterable[np.ndarray]]) -> int:
    """The index of the vectors that `blocks` gives each time it is called, in the order of `ids`. Returns its bytes."""
    step, sample, start = -(-len(ids) // TRAINED_ON), [], 0
    for block in blocks():
        sample.append(np.array(block[-start % step :: step], np.float32))
        start += len(block)
    sample = np.concatenate(sample)
    try:
        index = faiss.index_factory(sample.shape[1], factory, faiss.METRIC_INNER_PRODUCT)
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
        size = (place / FILE).stat().st_size
        card = _card(ids, encoder) | {"factory": factory, "bytes": size}
        (place / CARD).write_text(json.dumps(card, sort_keys=True) + "\n")
        return size


def load(folder, ids: pa.ChunkedArray, encoder: str, search: str):
    """The index, read from its file as it is needed; `search` are its parameters, such as nprobe=16."""
    try:
        card = json.loads(Path(folder, CARD).read_text())
        whole = Path(folder, FILE).stat().st_size == card["bytes"]
    except (OSError, *MISSHAPEN) as error:
        raise VectorIndexError(f"{folder}: found no index ({error!s:.80}); {REMOVE}") from error
    if not whole:
        raise VectorIndexError(f"{folder}: found {FILE} of another size than it was written with; {REMOVE}")
    expected = _card(ids, encoder)
    if not expected.items() <= card.items():
        other = f"{card.get('passages')} passages and encoder {card.get('encoder')}"
        wanted = f"the index of {len(ids)} passages and encoder {encoder}"
        raise VectorIndexError(f"{folder}: found the index of {other}, expected {wanted}; {REMOVE}")
    try:
        index = faiss.read_index(str(Path(folder, FILE)), faiss.IO_FLAG_MMAP)
        if search:
            faiss.ParameterSpace().set_index_parameters(index, search)
    except RuntimeError as error:
        reason = str(error).strip().splitlines()[-1]
        raise VectorIndexError(f"{folder}: found an index that FAISS cannot use with {search!r}: {reason}") from error
    return index


def _card(ids, encoder):
    digest = hashlib.sha256()
    for part in ids.chunks:
        for name in part.to_pylist():
            digest.update(name.encode() + b"\n")
    return {"encoder": encoder, "passages": len(ids), "ids": digest.hexdigest()}


def proposed(index, queries: np.ndarray, count: int) -> np.ndarray:
    """The positions that the index proposes to each query, in a matrix; -1 where it found no more."""
    if not len(queries):
        return np.empty((0, 0), np.int64)
    if queries.shape[1] != index.d:
        lengths = f"{queries.shape[1]} numbers and those of passages of {index.d}"
        raise VectorIndexError(f"found vectors of queries of {lengths}, expected one length; are both of one model?")
    return index.search(np.ascontiguousarray(queries, np.float32), min(PROPOSED * count, index.ntotal))[1]
