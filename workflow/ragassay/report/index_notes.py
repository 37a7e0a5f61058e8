"""What a reader has to know of numbers that rest on an index: how much of what an exact search finds it finds, too. One
line for each retriever, for the pages that show its numbers, and a shorter one for numbers that stand elsewhere.
"""

from collections.abc import Iterable, Mapping
from statistics import fmean

from ragassay.base import tables
from ragassay.schemas.corpora import INDEX_RECALL

DEPTH = 10
SEARCHING = ("retriever", "passages_by")  # the keys of metrics that name a retriever
COLUMN = "index"  # of files of numbers, where some rest on one


def notes(files: Iterable) -> list[str]:
    """The lines of some tables of recall."""
    return [_line(retriever, of_tables) for retriever, of_tables in _shares(files).items()]


def remarks(files: Iterable) -> dict[str, str]:
    """retriever -> the shorter line."""
    return {retriever: _remark(retriever, of_tables) for retriever, of_tables in _shares(files).items()}


def by_section(recalls: Mapping[str, list], files: Iterable) -> dict[str, dict[str, str]]:
    """section -> its remarks. `recalls` are the tables of each section, `files` those of them that are there."""
    there = {str(path) for path in files}
    return {section: remarks([path for path in paths if str(path) in there]) for section, paths in recalls.items()}


def of_number(remarks: Mapping[str, str], *keys: dict) -> list[str]:
    """Those of a section's remarks that the number with these keys rests on: of the retrievers that they name, or of
    all, if it is about a corpus and no single retriever.
    """
    values = {value for every in keys for value in every.values() if isinstance(value, str)}
    words = {word for value in values for word in value.split()}  # a mark of a figure may be `near 10`
    is_of_all = any("corpus" in every and not every.keys() & {*SEARCHING} for every in keys)
    return [line for retriever, line in remarks.items() if is_of_all or retriever in words]


def _shares(files):
    """retriever -> (share, what was searched in what, queries) of each table."""
    shares = {}
    for path in files:
        keys, counts = tables.keys(INDEX_RECALL, path), tables.read(INDEX_RECALL, path).to_pylist()
        deep = [row["shared"] / row["of"] for row in counts if row["depth"] == DEPTH]
        share = fmean(deep) if deep else None
        place = f"{keys['query_set']} in {keys['corpus']}", len(deep)
        shares.setdefault(keys["retriever"], []).append((share, *place))
    return shares


def _line(retriever, of_tables):
    begin = f"`{retriever}` searches an index. Of the first {DEPTH} passages of an exact search it finds"
    measured = sorted(row for row in of_tables if row[0] is not None)
    if not measured:
        return f"{begin} a share that nobody measured: `index.checked` is 0."
    ends = [f"{100 * share:.1f} % ({place}, {count} queries)" for share, place, count in (measured[0], measured[-1])]
    return f"{begin} {' to '.join(dict.fromkeys(ends))}."


def _remark(retriever, of_tables):
    shares = sorted(share for share, *_ in of_tables if share is not None)
    if not shares:
        return f"`{retriever}` searches an index whose recall nobody measured."
    ends = dict.fromkeys(f"{100 * share:.1f} %" for share in (shares[0], shares[-1]))
    return f"`{retriever}` searches an index that finds {' to '.join(ends)} of the {DEPTH} nearest passages."
