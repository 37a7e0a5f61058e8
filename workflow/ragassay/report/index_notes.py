"""What a reader has to know of numbers that rest on an index: how much of what an exact search finds it finds, too. One
line for each retriever, for the pages that show its numbers.
"""

from collections.abc import Iterable
from statistics import fmean

from ragassay.base import tables
from ragassay.schemas.corpora import INDEX_RECALL

DEPTH = 10


def notes(files: Iterable) -> list[str]:
    """The lines of some tables of recall."""
    shares = {}  # retriever -> (share, what was searched in what, queries) of each table
    for path in files:
        keys, counts = tables.keys(INDEX_RECALL, path), tables.read(INDEX_RECALL, path).to_pylist()
        deep = [row["shared"] / row["of"] for row in counts if row["depth"] == DEPTH]
        share = fmean(deep) if deep else None
        place = f"{keys['query_set']} in {keys['corpus']}", len(deep)
        shares.setdefault(keys["retriever"], []).append((share, *place))
    return [_line(retriever, of_tables) for retriever, of_tables in shares.items()]


def _line(retriever, of_tables):
    begin = f"`{retriever}` searches an index. Of the first {DEPTH} passages of an exact search it finds"
    measured = sorted(row for row in of_tables if row[0] is not None)
    if not measured:
        return f"{begin} a share that nobody measured: `index.checked` is 0."
    ends = [f"{100 * share:.1f} % ({place}, {count} queries)" for share, place, count in (measured[0], measured[-1])]
    return f"{begin} {' to '.join(dict.fromkeys(ends))}."
