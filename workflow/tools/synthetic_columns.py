"""Columns of invented tables, whole arrays at a time: ids, texts of random words, ballots, and what a table lacks.

Ids of a kind are unique: numbers are mixed by SplitMix64, which maps no two numbers to one.
"""

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from ragassay.base.tables import Table
from ragassay.studies.scope.votes import TIE, UNCLEAR

SYLLABLES = [f"{consonant}{vowel}" for consonant in "bdfgklmnprstvz" for vowel in "aeiou"]
WORDS = pa.array([first + second for first in SYLLABLES for second in SYLLABLES])
DIGITS = np.frombuffer(b"0123456789abcdef", np.uint8)


def filled(table: Table, count: int, **columns) -> pa.Table:
    """Rows of a table: single values are repeated, and columns that are not named are empty, where they may be."""
    arrays = []
    for field in table.schema:
        value = columns.pop(field.name) if not field.nullable else columns.pop(field.name, None)
        whole = isinstance(value, np.ndarray | list | pa.Array | pa.ChunkedArray)
        array = pa.chunked_array([value]) if whole and not isinstance(value, pa.ChunkedArray) else value
        arrays.append(array.cast(field.type) if whole else pa.repeat(pa.scalar(value, field.type), count))
    assert not columns, f"table {table.name} has no columns {', '.join(columns)}"
    return pa.Table.from_arrays(arrays, schema=table.schema)


def ids(kind: str, numbers: np.ndarray) -> pa.Array:
    """`kind-` and 16 digits for each number."""
    state = numbers.astype(np.uint64) * np.uint64(0x9E3779B97F4A7C15)  # wraps around
    for shift, factor in ((30, 0xBF58476D1CE4E5B9), (27, 0x94D049BB133111EB)):
        state = (state ^ (state >> np.uint64(shift))) * np.uint64(factor)
    octets = (state ^ (state >> np.uint64(31))).astype(">u8").view(np.uint8).reshape(-1, 8)
    digits = DIGITS[np.stack([octets >> 4, octets & 15], axis=2).reshape(-1, 16)]  # numbers x 16 letters
    letters = np.concatenate([np.tile(np.frombuffer(f"{kind}-".encode(), np.uint8), (len(digits), 1)), digits], axis=1)
    return _strings(letters)


def _strings(letters):
    """texts x letters of equal number -> an array of texts."""
    count, width = letters.shape
    ends = pa.py_buffer(np.arange(0, (count + 1) * width, width, dtype=np.int32))
    return pa.StringArray.from_buffers(count, ends, pa.py_buffer(letters.tobytes()))


def texts(random: np.random.Generator, count: int, words: int, sentences: int = 1) -> pa.Array:
    """Texts of so many sentences, each of so many words."""
    chosen = WORDS.take(pa.array(random.integers(len(WORDS), size=count * sentences * words)))
    joined = pc.binary_join_element_wise(_joined(chosen, words), "", ".")
    return _joined(joined, sentences)


def _joined(array, size):
    """Each `size` neighbours in one text."""
    ends = pa.array(np.arange(0, len(array) + 1, size, dtype=np.int32))
    return pc.binary_join(pa.ListArray.from_arrays(ends, array), " ")


def rates(random: np.random.Generator, mean: float, count: int, spread: float = 8) -> np.ndarray:
    """A rate of each document, around a mean."""
    return random.beta(mean * spread, (1 - mean) * spread, size=count)


def ballots(random: np.random.Generator, side: np.ndarray, settled: float, votes: int) -> tuple[np.ndarray, np.ndarray]:
    """How many vote yes and no on each item, where `side` says which of them wins; of the items without a majority half
    end in a tie, and half have no verdict. The number of votes is odd.
    """
    winners = random.integers(votes // 2 + 1, votes + 1, size=len(side))
    yes = np.where(side, winners, votes - winners)
    lot = random.uniform(size=len(side))
    drawn = np.where(lot < (1 + settled) / 2, votes // 2, 0)  # for each side
    decided = lot < settled
    return np.where(decided, yes, drawn), np.where(decided, votes - yes, drawn)


def verdicts(yes: np.ndarray, no: np.ndarray, votes: int) -> pa.Array:
    """The votes on each item, one item after another: first yes, then no, then those without a verdict."""
    number = np.arange(votes)  # items x votes
    are_yes, given = number < yes[:, None], number < (yes + no)[:, None]
    return pa.array(are_yes.ravel(), mask=~given.ravel())


def majorities(yes: np.ndarray, no: np.ndarray, first: str, second: str) -> np.ndarray:
    """The label of each item."""
    return np.where(yes == no, np.where(yes == 0, UNCLEAR, TIE), np.where(yes > no, first, second))


def each(column, times: int):
    """Each value so many times."""
    return column.take(pa.array(np.arange(len(column)).repeat(times)))


def logistic(values: np.ndarray) -> np.ndarray:
    return 1 / (1 + np.exp(-values))
