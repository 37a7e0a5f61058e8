"""Clusters of texts that are nearly the same: connected components of pairs whose estimated similarity (`signatures`)
reaches a threshold in one view. Candidates agree in a whole band of four hashes: none above 0.75 is missed, and of
those as similar as 0.6 one in 80. A text near an earlier batch's text joins its cluster; of several earlier clusters,
which stay separate, the first."""

from collections.abc import Iterable, Iterator

import numpy as np

from ragassay.text.signatures import BASE, similarity
from ragassay.text.signatures import signatures as signed

ROWS = 4  # hashes in a band, of which a view has 32
PAIRS = 20_000  # pairs that are compared at once

Signatures = np.ndarray  # uint16, shape (texts, VIEWS, HASHES)


def components(signatures: Signatures, threshold: float) -> np.ndarray:
    """For each text the number of the first text of its cluster."""
    parent = np.arange(len(signatures))
    for view, keys in _bands(signatures):
        order = np.argsort(keys, kind="stable")
        for run in _unconnected_runs(keys[order], _roots(parent)[order]):
            _connect(order[run], signatures[:, view], threshold, parent)
    return _roots(parent)


def earlier_neighbours(
    signatures: Signatures, component: np.ndarray, earlier: Iterable[Signatures], threshold: float
) -> dict[int, int]:
    """component -> the first row of `earlier` (which comes in pieces, rows counted through) that one of its texts is
    near to; only for components that have such a row.
    """
    index = [(keys[order], order) for _, keys in _bands(signatures) for order in [np.argsort(keys).astype(np.int32)]]
    nobody = np.iinfo(np.int64).max
    nearest = np.full(len(signatures), nobody)  # per component, at the number of its first text
    before = 0
    for piece in earlier:
        for (known, order), (view, keys) in zip(index, _bands(piece), strict=True):
            for rows, places in _equal(keys, known):
                texts = order[places]
                open_ = before + rows < nearest[component[texts]]
                rows, texts = rows[open_], texts[open_]
                near = similarity(piece[rows, view], signatures[texts, view]) >= threshold
                np.minimum.at(nearest, component[texts[near]], before + rows[near])
        before += len(piece)
    return {int(first): int(nearest[first]) for first in np.flatnonzero(nearest < nobody)}


def clustered(documents: Iterable[tuple[str, str]], threshold: float, first_words: int) -> dict[str, str]:
    """Name -> the first name of its cluster of near-duplicates, both in the order of names. `documents` are names and
    texts in any order; of the texts only signatures are kept.
    """
    names = []

    def texts():
        for name, text in documents:
            names.append(name)
            yield text

    of_texts = signed(texts(), first_words)
    order = sorted(range(len(names)), key=names.__getitem__)
    first = components(of_texts[order], threshold)
    ordered = [names[at] for at in order]
    return dict(zip(ordered, (ordered[at] for at in first), strict=True))


def _bands(signatures) -> Iterator[tuple[int, np.ndarray]]:
    """For each band of each view the view, and one number per text, equal where the band is."""
    factors = np.cumprod(np.full(ROWS, BASE, np.uint64), dtype=np.uint64)
    for view in range(signatures.shape[1]):
        for start in range(0, signatures.shape[2], ROWS):
            yield view, signatures[:, view, start : start + ROWS].astype(np.uint64) @ factors


def _unconnected_runs(keys, roots) -> Iterator[slice]:
    """The runs of equal keys that do not belong to one cluster yet."""
    starts = np.flatnonzero(np.append(True, keys[1:] != keys[:-1])) if len(keys) else np.empty(0, int)
    stops = np.append(starts[1:], len(keys))
    starts, stops = starts[stops - starts > 1], stops[stops - starts > 1]
    for start, stop in zip(starts.tolist(), stops.tolist(), strict=True):
        if (roots[start:stop] != roots[start]).any():
            yield slice(start, stop)


def _connect(members, signatures, threshold, parent):
    """Join connected members: each is compared with those that have not been reached yet."""
    while len(members) > 1:
        reached, members = [members[0]], members[1:]
        while reached and len(members):
            text = reached.pop()
            near = similarity(signatures[text], signatures[members]) >= threshold
            for other in members[near]:
                _join(parent, text, other)
            reached.extend(members[near])
            members = members[~near]


def _join(parent, a, b):
    a, b = _root(parent, a), _root(parent, b)
    parent[max(a, b)] = min(a, b)


def _root(parent, text):
    while parent[text] != text:
        parent[text] = text = parent[parent[text]]
    return text


def _roots(parent):
    while (parent[parent] != parent).any():
        parent = parent[parent]
    return parent


def _equal(keys, known):
    """Pairs (row of keys, place in known, which is sorted) of equal numbers, some at a time."""
    if not len(known):
        return
    order = np.argsort(keys, kind="stable")  # searching in order is searching in the cache
    keys = keys[order]
    left = np.searchsorted(known, keys)
    hits = np.flatnonzero(known[np.minimum(left, len(known) - 1)] == keys)
    rows, left = order[hits], left[hits]
    counts = np.searchsorted(known, keys[hits], side="right") - left
    ends = np.cumsum(counts)
    start = 0
    while start < len(rows):
        stop = max(start + 1, int(np.searchsorted(ends, ends[start] - counts[start] + PAIRS)))
        own = counts[start:stop]
        within = np.arange(own.sum()) - np.repeat(np.cumsum(own) - own, own)
        yield np.repeat(rows[start:stop], own), np.repeat(left[start:stop], own) + within
        start = stop
