"""Tables of neighbours: from positions to rows, merging those of several corpora, and the texts of the best passages,
for a model to read. Of these only the texts that are wanted are held, whatever the size of the corpus. Scores nothing.
"""

from array import array
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from ragassay.base import tables
from ragassay.base.errors import AssayError
from ragassay.schemas.corpora import NEIGHBOURS, PASSAGES
from ragassay.search.nearest import BITS, STEP

NOTHING = "(nothing was found)"  # the only passage of a query that shares no word with any
TOGETHER = 4096  # queries whose rows are made at once


class RepeatedId(AssayError):
    """Two parts of a corpus have a passage of the same id."""


class PassageError(AssayError):
    """A search found what the corpus does not have."""


def write(
    path,
    query_ids: Sequence[str],
    passage_ids: pa.ChunkedArray,
    best: Iterable[tuple],
    table: tables.Table = NEIGHBOURS,
) -> None:
    """The table of what was found, or that of a part, from the positions and scores of each query, best first."""
    with tables.Writer(table, path) as writer:
        for rows in of_best(query_ids, passage_ids, list(best)):
            writer.write(rows)


def of_best(query_ids: Sequence[str], passage_ids: pa.ChunkedArray, best: Sequence[tuple]) -> Iterator[pa.Table]:
    """The rows of all queries, some at a time, from the positions and scores of each, best first. A query that shares
    no word with any passage has none.
    """
    for start in range(0, len(query_ids), TOGETHER):
        some = slice(start, start + TOGETHER)
        positions, scores = zip(*best[some], strict=True)
        widths = np.array([len(each) for each in positions])
        owners = np.repeat(np.arange(len(widths)), widths)
        ranks = np.arange(1, widths.sum() + 1) - np.repeat(np.cumsum(widths) - widths, widths)
        yield pa.table(
            {
                "query_id": pa.array(query_ids[some], pa.string()).take(pa.array(owners)),
                "rank": pa.array(ranks.astype(np.int32)),
                "passage_id": passage_ids.take(pa.array(np.concatenate(positions))),
                "score": pa.array(np.concatenate(scores)),
            },
            schema=NEIGHBOURS.schema,
        )


def merged(rankings: list[pa.Table], count: int) -> pa.Table:
    """The best `count` of each query out of several corpora that were searched apart, with new ranks. Their passages
    have different ids.

    Query and score are packed into one whole number, which is sorted at little cost since each ranking is in order
    already; passages are compared by their ids only where scores are equal.
    """
    together = pa.concat_tables(rankings).combine_chunks()
    owners = _places(together["query_id"])
    keys = (owners << BITS) - np.rint(together["score"].to_numpy() / STEP).astype(np.int64)
    order = np.argsort(keys, kind="stable")
    tied = np.flatnonzero(_repeated(keys[order]))
    at = order[tied]
    order[tied] = at[np.lexsort((_places(together["passage_id"].take(pa.array(at))), keys[at]))]
    owners = owners[order]
    starts = np.flatnonzero(np.diff(owners, prepend=-1))
    ranks = np.arange(1, len(owners) + 1) - np.repeat(starts, np.diff(np.append(starts, len(owners))))
    best = together.take(pa.array(order[ranks <= count]))
    place = NEIGHBOURS.schema.get_field_index("rank")
    return best.set_column(place, NEIGHBOURS.schema.field(place), pa.array(ranks[ranks <= count].astype(np.int32)))


def of_parts(table: tables.Table, passages: Iterable, parts: Iterable) -> list[pa.Table]:
    """What was found in each part of a corpus; a table with a passage that its part has not is refused."""
    rankings = []
    for file, part in zip(passages, parts, strict=True):
        rankings.append(tables.read(table, part))
        missing = pc.unique(rankings[-1]["passage_id"])
        for batch in tables.batches(PASSAGES, file, ["passage_id"]):
            missing = missing.filter(pc.invert(pc.is_in(missing, value_set=batch["passage_id"])))
        if len(missing):
            raise PassageError(
                f"{part}: found the passage {missing[0].as_py()!r}, which {file} does not have; search again"
            )
    return rankings


def check_ids(passages: Iterable) -> int:
    """Refuse parts of a corpus that have passages of the same id; gives how many passages they have. Of each id eight
    bytes are in memory.
    """
    numbers = array("q")
    for name in _names(passages):
        numbers.append(hash(name))
    hashes = np.frombuffer(numbers, np.int64)
    hashes.sort()
    repeated, seen = hashes[1:][hashes[1:] == hashes[:-1]], set()
    for name in _names(passages) if len(repeated) else ():
        at = np.searchsorted(repeated, hash(name))
        if at == len(repeated) or repeated[at] != hash(name):
            continue
        if name in seen:  # else two names have one hash
            where = ", ".join(map(str, passages))
            raise RepeatedId(f"{where}: found the id {name!r} twice in a corpus, expected each id once; rename one")
        seen.add(name)
    return len(hashes)


def _names(passages) -> Iterator[str]:
    for part in passages:
        for batch in tables.batches(PASSAGES, part, ["passage_id"]):
            yield from batch["passage_id"].to_pylist()


def best_passages(passages, neighbours, count: int) -> dict[str, dict[str, str]]:
    """query -> its `count` best passages, best first: id -> text. A query that found nothing has none."""
    rows = tables.read(NEIGHBOURS, neighbours, ["query_id", "rank", "passage_id"])
    rows = rows.filter(pc.less_equal(rows["rank"], count))
    texts = _texts(passages, pc.unique(rows["passage_id"]))
    best = defaultdict(dict)
    for query, passage in zip(rows["query_id"].to_pylist(), rows["passage_id"].to_pylist(), strict=True):
        if passage not in texts:
            raise PassageError(
                f"{neighbours}: found the passage {passage!r}, which {passages} does not have; search again"
            )
        best[query][passage] = texts[passage]
    return best


def _texts(passages, wanted: pa.Array) -> dict[str, str]:
    texts = {}
    for batch in tables.batches(PASSAGES, passages, ["passage_id", "text"]):
        rows_of_batch = batch.filter(pc.is_in(batch["passage_id"], value_set=wanted))
        texts.update(zip(rows_of_batch["passage_id"].to_pylist(), rows_of_batch["text"].to_pylist(), strict=True))
    return texts


def _places(names) -> np.ndarray:
    """The place of each name among all different ones in alphabetical order."""
    names = names.combine_chunks().dictionary_encode()
    order = pc.array_sort_indices(names.dictionary).to_numpy()
    places = np.empty(len(order), np.int64)
    places[order] = np.arange(len(order))
    return places[names.indices.to_numpy()]


def _repeated(keys) -> np.ndarray:
    """Which of some sorted numbers stand there more than once."""
    same = keys[1:] == keys[:-1]
    return np.append(same, False) | np.insert(same, 0, False)
