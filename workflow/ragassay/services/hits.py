"""What a vector database that somebody runs finds for queries. An answer is checked against the corpus, and lies in a
ledger before the next query is asked: if the database goes away, nothing is lost, and nothing is asked twice.
"""

import hashlib
import json
import math
from collections.abc import Iterator
from contextlib import ExitStack, closing
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from ragassay.base import tables
from ragassay.base.errors import json_of
from ragassay.base.stage import log
from ragassay.calls.ledger.lease import Lease
from ragassay.calls.ledger.records import Ledger
from ragassay.calls.model import Usage
from ragassay.schemas.corpora import PASSAGES
from ragassay.services import collection
from ragassay.services.collection import KEY, CollectionError

ANEW = "; to ask it anew, write anything new into index.revision of the retriever"
UNLIKE = 0.5  # how far half of the similarities may be from ours, as a share of how far half of ours are from their
ROUNDED = 0.01  # median; indexes round, so less than this share of ours themselves is no difference


class CorpusTexts:
    """Where each passage of a corpus stands, a digest of its text, and one of the whole."""

    def __init__(self, passages):
        self.file, self.places, digests = Path(passages), {}, []
        for batch in tables.batches(PASSAGES, passages, ["passage_id", "text"]):
            for name, text in zip(*batch.to_pydict().values(), strict=True):
                self.places[name] = len(digests)
                digests.append(_digest(text))
        self.digests = np.array(digests, np.uint64)
        with self.file.open("rb") as file:
            self.digest = hashlib.file_digest(file, "sha256").hexdigest()


class Search(NamedTuple):
    """What is the same for all queries, and belongs to what identifies an answer."""

    entry: dict[str, Any]  # of the collection
    encoder: str  # the digest of that of queries
    similarity: str
    count: int
    options: str
    revision: str


def answers(
    name: str, search: Search, texts: CorpusTexts, queries: list[str], vectors: np.ndarray, ledger
) -> Iterator[tuple[list[int], list[float]]]:
    """The positions of what the database finds for each query, best first, and the similarities that it gives. `name`
    is that of its entry in `collections`.
    """
    with ExitStack() as stack:
        lease = stack.enter_context(Lease(ledger))
        journal = stack.enter_context(closing(Ledger(ledger)))
        database = None
        for at, (query, vector) in enumerate(zip(queries, vectors, strict=True)):
            key = _key(search, texts, query)
            answer = next((body for _, body in journal.bodies(key)), None)
            if answer is None and lease.read_only:
                problem = f"{at} of {len(queries)} answers in {ledger}, which may not be written"
                raise CollectionError(f"collections.{name}: found {problem}, expected all; allow writing there")
            if answer is None:
                try:
                    database = database or _Database(name, search, texts, stack, vectors.shape[1])
                    answer = _asked(database, vector, journal, key)
                except CollectionError as error:
                    done = f"{at} of {len(queries)} answers lie in {ledger}"
                    raise CollectionError(f"{error}; {done}, the others are asked when you run again") from error
            positions, scores = json.loads(answer)
            yield positions, scores
        if not lease.read_only:
            log.info("%s: %s", f"collections.{name}", "asked" if database else f"all answers were in {ledger}{ANEW}")


def check_vectors(name: str, exact: np.ndarray, similarities: np.ndarray, encoder: str) -> None:
    """Refuse a database whose vectors are not those of the retriever's encoder, by how similar each says that queries
    and passages are; NaN where there is none. Differences count against how much similarities differ among each other,
    since those of nearest passages may lie close together whatever the encoder.
    """
    there = ~np.isnan(similarities) & ~np.isnan(exact)
    if not there.any():
        return
    ours = exact[there]
    far = float(np.median(np.abs(ours - similarities[there])))
    spread = float(np.median(np.abs(ours - np.median(ours))))
    log.info("collections.%s: similarities differ by %.5f in the median from those of our vectors", name, far)
    if far > max(UNLIKE * spread, ROUNDED * float(np.abs(ours).mean())):
        raise CollectionError(
            f"collections.{name}: found similarities that differ by {far:.3f} from those of the encoder {encoder},"
            f" expected the same vectors; name the collection's encoder in the retriever, or embed it again{ANEW}"
        )


class _Database:
    """An open collection that was found to fit the search."""

    def __init__(self, name, search, texts, stack, width):
        self._search, self._texts = search, texts
        self._options = _parsed(search.options, name)
        self._rows = stack.enter_context(collection.opened(name, search.entry))
        self._columns = search.entry["columns"] | {"id": search.entry["columns"]["id"] or KEY}
        paths = [self._columns[column] for column in ("id", "text", "title")]
        self._fields = sorted({path.strip().split(".")[0] for path in paths} - {"", KEY})
        self._vectors = self._rows.vector_field()
        if self._vectors.width not in (None, width):
            problem = f"vectors of {self._vectors.width} numbers"
            raise self._rows.refuse(problem, f"{width}, as the retriever's encoder gives; name that of the collection")
        if search.similarity not in self._vectors.similarities:
            by = " and ".join(self._vectors.similarities)
            problem = f"a collection that compares by {by}" if by else f"no index of {self._vectors.name}"
            raise self._rows.refuse(problem, f"one that compares by {search.similarity}, as the retriever does")

    def ask(self, vector) -> tuple[list[int], list[float]]:
        search = self._search
        page, scores = self._rows.nearest(
            vector.tolist(), self._vectors, search.similarity, search.count, self._fields, self._options
        )
        names, texts, titles = (self._column(page, column) for column in ("id", "text", "title"))
        positions, similarities = [], []
        for row, name, text, title, score in zip(page.keys, names, texts, titles, scores, strict=True):
            if text or title:  # rows without any are in no corpus
                positions.append(self._place(row, name, text or title))
                similarities.append(float(score))
        if len({*positions}) < len(positions) or not all(map(math.isfinite, similarities)):
            raise self._rows.refuse("an answer that names a passage twice, or no number", "one similarity for each")
        return positions, similarities

    def _column(self, page, name):
        return collection.column(self._rows, page, self._columns[name].strip(), name == "text").to_pylist()

    def _place(self, row, name, text):
        place = self._texts.places.get(name)
        if place is None:
            problem = f"the passage {name!r:.80} (row {row}), which {self._texts.file} does not have"
        elif self._texts.digests[place] != _digest(text):
            problem = f"another text of the passage {name!r:.80} (row {row}) than {self._texts.file} has"
        else:
            return place
        raise self._rows.refuse(problem, "the corpus as it is, uncut; load it there again, or --forcerun its passages")


def _asked(database, vector, journal, key) -> str:
    """An answer, which is written down, as is that it was asked for."""
    sent = journal.intent(key, [0])
    try:
        answer = json.dumps(database.ask(vector))
    except CollectionError as error:
        journal.failed(sent, "collection", str(error))
        raise
    journal.done(sent, answer)
    journal.settled(sent, Usage(), 0.0, 1)
    return answer


def _key(search, texts, query):
    entry = {name: search.entry[name] for name in ("kind", "address", "collection", "columns")}
    parts = search._replace(entry=entry), texts.digest, query
    return hashlib.sha256(json.dumps(parts, sort_keys=True).encode()).hexdigest()


def _parsed(options, name):
    """Parameters of a search out of a text such as `hnsw_ef=128,exact=true`."""
    pairs = [pair.partition("=") for pair in options.split(",") if pair.strip()]
    if wrong := [key for key, sign, _ in pairs if not (key.strip() and sign)]:
        raise CollectionError(f"collections.{name}: found {wrong[0]!r} in the retriever's search, expected name=value")
    return {key.strip(): json_of(value.strip(), value.strip()) for key, _, value in pairs}


def _digest(text):
    return int.from_bytes(hashlib.blake2b(text.encode(), digest_size=8).digest())
