"""Vectors of many texts in their order, mapped into memory: a row is read when it is needed. Who wants all of them gets
blocks, which are read apart from the map, so that memory does not fill with it. A file is a folder that appears whole
and never changes; sorted keys in it say which row a text has, and a checksum of each block shows damages when it is
first used.
"""

import zlib
from collections.abc import Iterable, Iterator
from pathlib import Path

import numpy as np

from ragassay.base import fitted_files
from ragassay.base.atomic import building
from ragassay.base.errors import AssayError

VECTORS, KEYS, ROWS, SUMS = "vectors.npy", "keys.npy", "rows.npy", "sums.npy"
BLOCK = 8192  # vectors that are given at once
OTHERS = 2  # sums after those of the blocks: of the rows and of the keys


class VectorFileError(AssayError):
    """A file of vectors is damaged."""


class VectorFile:
    def __init__(self, folder):
        self._folder, self._sound = Path(folder), set()  # the sums that were checked
        with fitted_files.reading(self._refusal):
            arrays = [fitted_files.array(self._folder / name) for name in (VECTORS, KEYS, ROWS, SUMS)]
            self._vectors, self._keys, self._rows, self._sums = arrays
            shapes, kinds = [array.shape for array in arrays], [array.dtype.str for array in arrays]
            count = len(self._keys)
            expected = [(count, self.dimensions), (count,), (count,), (-(-count // BLOCK) + OTHERS,)]
            if kinds != ["<f2", "|S16", "<i8", "<u4"] or shapes != expected:
                raise ValueError(f"found arrays of {kinds} and shapes {shapes}")

    def __len__(self):
        return len(self._keys)

    @property
    def dimensions(self) -> int:
        return self._vectors.shape[-1]

    def blocks(self) -> Iterator[np.ndarray]:
        """All vectors in the order of their texts, some at a time."""
        return map(self._block, range(len(self._sums) - OTHERS))

    def known(self, keys: list[bytes]) -> np.ndarray:
        """Which of the keys have a vector here."""
        wanted = np.array(keys, self._keys.dtype)
        return self._keys[self._places(wanted)] == wanted

    def vectors(self, keys: list[bytes]) -> np.ndarray:
        """The vectors of known keys, in their order."""
        rows = self._rows[self._places(np.array(keys, self._keys.dtype))]
        for number in {*np.unique(rows // BLOCK).tolist()} - self._sound:
            self._block(number)
        return self._vectors[rows]

    def _block(self, number):
        start, count = number * BLOCK * self.dimensions, min(BLOCK, len(self) - number * BLOCK)
        with fitted_files.reading(self._refusal):
            place = self._vectors.offset + start * self._vectors.itemsize
            values = np.fromfile(self._folder / VECTORS, "<f2", count * self.dimensions, offset=place)
            return self._checked(number, values.reshape(count, -1))

    def _places(self, wanted):
        keys, _ = self._checked(-1, self._keys), self._checked(-2, self._rows)
        return np.minimum(np.searchsorted(keys, wanted), len(self) - 1)

    def _checked(self, number, values):
        if number not in self._sound:
            if zlib.crc32(values) != self._sums[number]:
                raise self._refusal("damaged (found other bytes than were written)")
            self._sound.add(number)
        return values

    def _refusal(self, problem):
        return VectorFileError(
            f"{self._folder}: {problem}, expected the vectors of a corpus; delete it, and they are computed again"
        )


def write(folder, keys: np.ndarray, blocks: Iterable[np.ndarray]) -> None:
    """The vectors of the texts with these keys, in their order."""
    order, start = np.argsort(keys, kind="stable"), 0
    sums = np.zeros(-(-len(keys) // BLOCK) + OTHERS, "<u4")
    with building(folder) as place:
        with (place / VECTORS).open("wb") as file:
            for block in blocks:
                if not start:
                    shape = (len(keys), block.shape[1])
                    header = {"descr": "<f2", "fortran_order": False, "shape": shape}
                    np.lib.format.write_array_header_1_0(file, header)
                file.write(np.ascontiguousarray(block, "<f2"))
                for piece in np.split(block, range(BLOCK - start % BLOCK, len(block), BLOCK)):
                    number = start // BLOCK
                    sums[number] = zlib.crc32(np.ascontiguousarray(piece, "<f2"), int(sums[number]))
                    start += len(piece)
        assert start == len(keys)
        np.save(place / KEYS, keys[order])
        np.save(place / ROWS, order)
        sums[-2:] = zlib.crc32(order), zlib.crc32(keys[order])
        np.save(place / SUMS, sums)
