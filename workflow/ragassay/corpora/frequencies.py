"""How frequent words are in a corpus: how many passages have each. The frequencies of parts add up to those of the
whole. Weighs nothing: see `bm25`.
"""

import re
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass

import pyarrow as pa
import pyarrow.compute as pc

from ragassay.base import tables
from ragassay.base.errors import AssayError
from ragassay.schemas.corpora import WORD_COUNTS

WORD = re.compile(r"\w+")
ALL = ""  # the row of all words; no word is empty


class FrequencyError(AssayError):
    """A table of frequencies is not one of a corpus."""


def words_of(text: str) -> list[str]:
    return WORD.findall(text.lower())


@dataclass(frozen=True)
class Frequencies:
    """Of some words of a corpus, or all of them."""

    passages: int  # that the corpus has
    length: int  # words that they have together
    having: dict[str, int]  # word -> how many passages have it, of words that any has

    @classmethod
    def counted(cls, texts: Iterable[str]) -> "Frequencies":
        passages, length, having = 0, 0, Counter()
        for text in texts:
            words = words_of(text)
            passages, length = passages + 1, length + len(words)
            having.update({*words})
        return cls(passages, length, having)

    @classmethod
    def read(cls, word_counts, wanted: Iterable[str]) -> "Frequencies":
        """Of the words that are wanted, from the table of a corpus."""
        values, rows = pa.array({ALL, *wanted}, pa.string()), []
        for batch in tables.batches(WORD_COUNTS, word_counts):
            rows += batch.filter(pc.is_in(batch["word"], values)).to_pylist()
        if not rows or rows[0]["word"] != ALL:
            raise FrequencyError(f"{word_counts}: found no row of all words, expected one; remove it and run again")
        having = {row["word"]: row["passages"] for row in rows[1:]}
        return cls(rows[0]["passages"], rows[0]["words"], having)

    def write(self, word_counts) -> None:
        names = pa.array([ALL, *self.having], pa.string())
        passages = pa.array([self.passages, *self.having.values()], pa.int64())
        words = pa.array([self.length], pa.int64())
        words = pa.concat_arrays([words, pa.nulls(len(self.having), pa.int64())])
        tables.write(WORD_COUNTS, word_counts, pa.table({"word": names, "passages": passages, "words": words}))
