"""The files beside a card: lists of texts, and arrays. Whatever is damaged in one is a ValueError here or an error of
the library that reads it, and `reading` makes one line of all of these.
"""

import contextlib
import json
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
from safetensors.numpy import load

from ragassay.base.errors import AssayError
from ragassay.base.terminal import printable

LONGEST_HEADER = 10_000  # bytes of what numpy says of an array, as long as numpy takes
ROWS = 8192  # of an array on disk, looked at together


@contextlib.contextmanager
def reading(refusal: Callable[[str], AssayError]) -> Iterator[None]:
    """What a damaged file makes anybody raise becomes the error that `refusal` makes of a problem."""
    try:
        yield
    except AssayError:
        raise
    except Exception as error:  # libraries raise all kinds where a few bytes are out of place
        raise refusal(f"cannot read it ({reason_of(error):.120})") from error


def reason_of(error: Exception) -> str:
    return " ".join(printable(str(error)).split()) or type(error).__name__


def texts(path) -> list[str]:
    """Different texts, from JSON."""
    return distinct(json.loads(Path(path).read_text(encoding="utf-8")))


def distinct(values) -> list[str]:
    if not isinstance(values, list) or not all(isinstance(value, str) for value in values):
        raise ValueError("expected a list of texts")
    if len(set(values)) < len(values):
        raise ValueError("found a text twice, expected different ones")
    return values


def array(path) -> np.ndarray:
    """An array that stays on disk."""
    with Path(path).open("rb") as content:
        magic, version, size = content.read(6), content.read(2), int.from_bytes(content.read(4), "little")
    if magic != b"\x93NUMPY":
        raise ValueError("found no array, expected one as numpy saves it")
    if version > b"\1\0" and size > LONGEST_HEADER:  # which numpy would read; before, a header was 64 KB at most
        raise ValueError(f"found a header of {size} bytes, expected at most {LONGEST_HEADER}")
    return np.load(path, mmap_mode="r", allow_pickle=False)


def arrays(content: bytes) -> dict[str, np.ndarray]:
    """Those of a safetensors file, by their names."""
    return load(content)


def check(
    name: str,
    values: np.ndarray,
    dtype: str,
    shape: tuple[int | None, ...],
    low: float = -np.inf,
    high: float = np.inf,
    order: str = "",
) -> np.ndarray:
    """Numbers of this kind and shape, between two limits; `order` is "ascending", "increasing" or none."""
    pairs = zip(shape, values.shape, strict=False)
    fits = len(shape) == values.ndim and all(size in (None, count) for size, count in pairs)
    if values.dtype.name not in dtype.split() or not fits:
        sizes = " x ".join("n" if size is None else str(size) for size in shape)
        expected = f"{' or '.join(dtype.split())} of shape {sizes or 'of one number'}"
        raise ValueError(f"{name}: found {values.dtype.name} of shape {values.shape}, expected {expected}")
    for start in range(0, len(values) if values.ndim else 1, ROWS):
        block = values[start : start + ROWS] if values.ndim else values
        if not np.isfinite(block).all() or (block < low).any() or (block > high).any():
            raise ValueError(f"{name}: found a number that is not finite, or not between {low:g} and {high:g}")
    if order and not (np.greater if order == "increasing" else np.greater_equal)(values[1:], values[:-1]).all():
        raise ValueError(f"{name}: found numbers out of order, expected {order} ones")
    return values
