"""A table of passages as searches read it: ids and texts in blocks, ids ascending, with titles or without; where a long
text is cut into passages: at the ends of sentences, or between words where a sentence is too long; and how many
passages have each word. Such frequencies of parts add up to those of the whole; `bm25` weighs them."""

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

import pyarrow as pa
import pyarrow.compute as pc

from ragassay.base import tables
from ragassay.base.errors import AssayError
from ragassay.base.stage import log
from ragassay.schemas.corpora import HELD_OUT, PASSAGES, WORD_COUNTS
from ragassay.text.characters import pair
from ragassay.text.sentences import spans

WORD = re.compile(r"\S+")  # of what is cut
COUNTED = re.compile(r"\w+")  # of what is searched
ALL = ""  # the row of all words; no word is empty
NONE = "none"
WITH_TITLE = {"before": "{} {}".format, "pair": pair}  # what is done with titles


class CorpusError(AssayError):
    """A corpus cannot be searched."""


def blocks(passages, titles: str = NONE) -> Iterator[tuple[pa.Array, list[str]]]:
    """Ids and texts of some passages at a time; a corpus without any is an error. A passage without a title is its text
    alone.
    """
    columns, count = ["passage_id", "text", *([] if titles == NONE else ["title"])], 0
    for batch in tables.batches(PASSAGES, passages, columns):
        texts = batch["text"].to_pylist()
        if titles != NONE:
            texts = [titled(titles, *pair) for pair in zip(batch["title"].to_pylist(), texts, strict=True)]
        count += len(texts)
        yield batch["passage_id"], texts
    check_any(count, passages)


def titled(titles: str, title: str | None, text: str) -> str:
    """A passage as it is searched."""
    return WITH_TITLE[titles](title, text) if title and titles != NONE else text


def ids(passages) -> pa.ChunkedArray:
    """All ids; a corpus without any is an error, too."""
    names = tables.read(PASSAGES, passages, ["passage_id"])["passage_id"]
    check_any(len(names), passages)
    return names


def documents(passages) -> Iterator[tuple[str, str]]:
    """The name and the text of each document, as soon as its last passage has come."""
    missing = Counter()
    for batch in tables.batches(PASSAGES, passages, ["document_id"]):
        missing.update(batch["document_id"].to_pylist())
    check_any(missing.total(), passages)
    begun = defaultdict(list)
    for batch in tables.batches(PASSAGES, passages, ["document_id", "text"]):
        for name, text in zip(*batch.to_pydict().values(), strict=True):
            begun[name].append(text)
            if len(begun[name]) == missing[name]:
                yield name, " ".join(begun.pop(name))


def check_any(count: int, passages) -> None:
    """Refuse a corpus without any passage, but not a part of which all documents are held out."""
    if not count and not lacks_documents(passages):
        raise CorpusError(f"{passages}: found no passage, expected at least one; see what its corpus is made from")


def lacks_documents(passages) -> bool:
    """Whether it is a part of a corpus without its held-out documents. All parts but one may be empty then."""
    return f"{HELD_OUT}+" in Path(passages).name


class Corpus:
    """The texts of a corpus as a stream, and the ids of those that were taken from it."""

    def __init__(self, passages, titles: str = NONE):
        self._passages, self._titles, self._ids = passages, titles, []

    def texts(self) -> Iterator[str]:
        for texts in self.blocks():
            yield from texts

    def blocks(self) -> Iterator[list[str]]:
        """Some texts at a time. A corpus that is read again gives the same ids."""
        self._ids = []
        for ids, texts in blocks(self._passages, self._titles):
            self._ids.append(ids)
            yield texts

    @property
    def ids(self) -> pa.ChunkedArray:
        return pa.chunked_array(self._ids, pa.string())


def write_passages(passages, texts: Iterable[dict | pa.Table], cut: dict | None = None) -> None:
    """The table of passages, cut if they are long. A passage that was cut is called by its document's id and number.
    Many texts at once may come as a table.
    """
    with tables.Writer(PASSAGES, passages) as kept:
        for part in texts:
            if isinstance(part, pa.Table) and not cut:
                columns = {name: part[name] for name in ("title", "text", "source")}
                documents = pc.coalesce(part["document_id"], part["id"])
                kept.write(pa.table({"passage_id": part["id"], "document_id": documents} | columns))
                continue
            for row in part.to_pylist() if isinstance(part, pa.Table) else [part]:
                for passage in _cut_passages(row, cut):
                    kept.add(passage)
    log.info("%d passages", kept.written)


def _cut_passages(row, cut):
    name, text = row.pop("id"), row["text"]
    row["document_id"] = row["document_id"] or name
    places = list(cuts(text, **cut)) if cut else []
    if len(places) < 2:
        return [{"passage_id": name, **row}]
    return [
        {"passage_id": f"{name}#{number}", **row, "text": text[start:end]}
        for number, (start, end) in enumerate(places, 1)
    ]


def cuts(text: str, words: int, overlap: int = 0) -> Iterator[tuple[int, int]]:
    """The beginning and end of each passage, of at most `words` words; each repeats at most `overlap` words from the
    end of the one before, and has at least one that no passage before it has. No word is missing.
    """
    pieces = list(_pieces(text, words))  # (start, end, words)
    first = 0
    while first < len(pieces):
        last, count = first, pieces[first][2]
        while last + 1 < len(pieces) and count + pieces[last + 1][2] <= words:
            last += 1
            count += pieces[last][2]
        yield pieces[first][0], pieces[last][1]
        if last + 1 == len(pieces):
            return
        room = min(overlap, words - pieces[last + 1][2])
        following = last + 1
        while following - 1 > first and pieces[following - 1][2] <= room:
            following -= 1
            room -= pieces[following][2]
        first = following


def _pieces(text, words):
    """Sentences, and parts of those that have more than so many words."""
    for start, end in spans(text):
        words_of_sentence = [(start + word.start(), start + word.end()) for word in WORD.finditer(text[start:end])]
        for at in range(0, len(words_of_sentence), words):
            part = words_of_sentence[at : at + words]
            yield part[0][0], part[-1][1], len(part)


class FrequencyError(AssayError):
    """A table of frequencies is not one of a corpus."""


def words_of(text: str) -> list[str]:
    return COUNTED.findall(text.lower())


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
