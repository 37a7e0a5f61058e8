"""Clusters from signatures, against a plain search through all pairs."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from corpora.labelled_copies import labelled, pairs
from project import ROOT
from ragassay.text import near_duplicates
from ragassay.text.near_duplicates import HASHES, VIEWS, components, earlier_neighbours, signatures, similarity

THRESHOLD = 0.8  # at most 25 hashes differ, so one of 32 bands is whole: no candidate is missed


@st.composite
def drawn(draw):
    """Signatures that drift away from a few originals, in steps around the threshold."""
    picker = np.random.default_rng(draw(st.integers(0, 2**32)))
    found = [picker.integers(0, 2**16, (VIEWS, HASHES), np.uint16) for _ in range(draw(st.integers(1, 3)))]
    for _ in range(draw(st.integers(0, 25))):
        copy = found[picker.integers(len(found))].copy()
        for view in range(VIEWS):
            places = picker.choice(HASHES, picker.integers(0, 40), replace=False)
            copy[view, places] = picker.integers(0, 2**16, len(places))
        found.append(copy)
    return np.stack(found)[picker.permutation(len(found))]


def near(a, b):
    """All pairs: rows of a, columns of b."""
    return np.array([[similarity(x, y).max() >= THRESHOLD for y in b] for x in a], bool).reshape(len(a), len(b))


def slow_components(signatures):
    joined = near(signatures, signatures)
    while ((wider := joined @ joined) != joined).any():
        joined = wider
    return joined.argmax(axis=1)


@settings(deadline=None, max_examples=60)
@given(drawn())
def test_clusters_are_what_hangs_together(signatures):
    assert components(signatures, THRESHOLD).tolist() == slow_components(signatures).tolist()


@settings(deadline=None, max_examples=60)
@given(drawn(), st.integers(0, 20), st.integers(1, 7), st.sampled_from([1, 3, near_duplicates.PAIRS]))
def test_each_cluster_finds_the_first_row_that_one_of_its_texts_is_near_to(signatures, earlier, size, pairs):
    before, texts = signatures[:earlier], signatures[earlier:]
    expected, together = {}, near(texts, before)
    component = components(texts, THRESHOLD)
    for first in set(component.tolist()):
        rows = np.flatnonzero(together[component == first].any(axis=0))
        expected |= {first: int(rows[0])} if len(rows) else {}
    pieces = [before[start : start + size] for start in range(0, len(before), size)]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(near_duplicates, "PAIRS", pairs)
        assert earlier_neighbours(texts, component, pieces, THRESHOLD) == expected


def test_nothing_has_no_neighbours():
    nothing = np.empty((0, VIEWS, HASHES), np.uint16)
    assert components(nothing, 0.8).tolist() == []
    assert earlier_neighbours(nothing, components(nothing, 0.8), [nothing], 0.8) == {}


def test_labelled_copies_are_found_and_stories_that_share_paragraphs_are_not():
    labels, texts = zip(*labelled(2500, seed=5), strict=True)
    found = components(signatures(texts, 300), 0.6)
    recall, precision = pairs(labels, found)
    assert recall >= 0.95
    assert precision >= 0.99
    assert (len(set(found)), len(set(labels))) == pytest.approx((1650, 1650), rel=0.1)


def test_of_the_demo_corpus_exactly_the_intended_copies_are_found():
    files = sorted((ROOT / "resources/demo/articles").rglob("*.md"))
    found = components(signatures([file.read_text().split("---", 2)[2] for file in files], 300), 0.6)
    clusters = {}
    for file, cluster in zip(files, found.tolist(), strict=True):
        clusters.setdefault(cluster, set()).add(file.stem)
    assert sorted(map(sorted, (names for names in clusters.values() if len(names) > 1))) == [
        ["business-storm-ottoline-harbour", "news-storm-ottoline", "travel-storm-ottoline-ferries"],
        ["business-tidewell-loan", "business-tidewell-loan-update"],
        ["sport-cup-semi-final", "sport-cup-semi-final-echo"],
        ["tech-lumenfold-plant", "tech-lumenfold-plant-release"],
    ]
