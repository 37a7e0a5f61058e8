"""The nearest passages of each query, exactly. Passages stream by in blocks, ids ascending, and only the best so far
are held. Scores are compared in steps of `STEP`, since further digits depend on the machine and on how blocks are
cut; equal ones are ordered by id. A score and a position are packed into one whole number, so that the smaller one is
the better neighbour."""

from collections.abc import Iterable, Iterator

import numpy as np

from ragassay.base.errors import AssayError

COSINE, DOT = "cosine", "dot"
SIMILARITIES = {COSINE: (-1.001, 1.001), DOT: (-np.inf, np.inf)}  # the numbers of vectors that are compared
STEP = 1e-5
QUERIES = 512  # scored against a block at a time
SAMPLE = 2048  # passages of the first block that a first limit is taken from
BITS = 32  # of a position
LARGEST = 2 ** (62 - BITS)  # steps of a score
UNSOUND = f"found a score that is no number or beyond {LARGEST * STEP:.0f}; check the vectors"
NONE = np.iinfo(np.int64).max  # marks a missing neighbour


def nearest(queries: np.ndarray, blocks: Iterable[np.ndarray], count: int) -> tuple[np.ndarray, np.ndarray]:
    """Positions in the stream and scores, queries x count, best first. `blocks` are vectors in the order of their ids;
    a score is the product of two vectors. With fewer passages than `count` there are fewer columns.
    """
    queries = np.ascontiguousarray(queries, np.float32)
    parts = [queries[start : start + QUERIES] for start in range(0, len(queries), QUERIES)]
    best, offset, room = [Best(len(part), count) for part in parts], 0, None
    for block in blocks:
        block = np.ascontiguousarray(block, np.float32)
        if len(queries) and block.shape[1] != queries.shape[1]:
            lengths = f"{queries.shape[1]} numbers and those of passages of {block.shape[1]}"
            raise AssayError(f"found vectors of queries of {lengths}, expected one length; are both of one model?")
        if room is None or room.shape[1] < len(block):
            room = np.empty((QUERIES, len(block)), np.float32)
        for part, best_of_part in zip(parts, best, strict=True):
            scores = room[: len(part), : len(block)]
            if scores.flags.c_contiguous:
                np.matmul(part, block.T, out=scores)
            else:
                scores = part @ block.T
            best_of_part.add(scores, offset)
        offset += len(block)
    width = min(count, offset)
    keys = np.concatenate([best_of_part.keys() for best_of_part in best]) if best else np.empty((0, count), np.int64)
    if (keys[:, :width] == NONE).any():
        raise AssayError(UNSOUND)
    return unpacked(keys[:, :width])


def best_of_sparse(scores, count: int) -> Iterator[tuple[np.ndarray, np.ndarray]]:
    """Positions and scores of each row of a sparse matrix, best first; only stored passages are neighbours."""
    for start, end in zip(scores.indptr, scores.indptr[1:], strict=False):
        values, positions = scores.data[start:end], scores.indices[start:end]
        if len(values) > count:
            if not np.abs(values).max() < LARGEST * STEP:
                raise AssayError(UNSOUND)
            near = np.flatnonzero(values >= np.partition(values, -count)[-count] - 2 * STEP)  # equal steps stay in
            values, positions = values[near], positions[near]
        yield unpacked(np.sort(packed(values, positions.astype(np.int64)))[:count])


def comparable(vectors, similarity: str) -> np.ndarray:
    """Vectors as float32 whose products are their similarities."""
    return unit(vectors) if similarity == COSINE else np.asarray(vectors, np.float32)


def unit(vectors) -> np.ndarray:
    """Vectors of length 1 as float32; an empty input gives an empty output."""
    vectors = np.array(vectors, np.float32)
    lengths = np.sqrt(np.vecdot(vectors, vectors))[..., None]
    vectors /= np.where(lengths == 0, 1, lengths)
    return vectors


class Best:
    """The best of some queries so far."""

    def __init__(self, queries: int, count: int):
        self._keys = np.full((queries, count), NONE, np.int64)
        self._limit = np.full((queries, 1), -np.inf, np.float32)  # a lower score cannot be among the best any more

    def add(self, scores: np.ndarray, offset: int) -> None:
        """Scores, queries x passages, of the passages that follow `offset` others."""
        count, (queries, width) = self._keys.shape[1], scores.shape
        if not offset and width > count:
            sample = scores[:, : max(count + 1, SAMPLE)]
            at = sample.shape[1] - count
            self._limit = np.partition(sample, at, axis=1)[:, at : at + 1] - np.float32(STEP)
        promising = np.flatnonzero(scores >= self._limit)
        if not len(promising):
            return
        rows, columns = np.divmod(promising, width)
        new = packed(scores[rows, columns], columns + offset)
        counts = np.bincount(rows, minlength=queries)
        beside = np.full((queries, counts.max()), NONE, np.int64)
        beside[rows, np.arange(len(rows)) - np.repeat(np.cumsum(counts) - counts, counts)] = new
        together = np.concatenate([self._keys, beside], axis=1)
        self._keys = np.partition(together, count - 1, axis=1)[:, :count].copy()  # a view would hold all of it
        worst = self._keys[:, -1:]
        full = worst != NONE
        _, scores = unpacked(worst)
        self._limit = np.where(full, np.maximum(scores - STEP, self._limit), self._limit).astype(np.float32)

    def keys(self) -> np.ndarray:
        return np.sort(self._keys, axis=1)


def packed(scores: np.ndarray, positions: np.ndarray) -> np.ndarray:
    steps = -np.rint(scores.astype(np.float64) / STEP)
    if not (np.abs(steps) < LARGEST).all():
        raise AssayError(UNSOUND)
    return (steps.astype(np.int64) << BITS) + positions


def unpacked(keys: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Positions and scores; of `NONE` they mean nothing."""
    return keys & ((1 << BITS) - 1), np.round(-(keys >> BITS) * STEP, 5)
