"""Near-duplicates and their signatures."""

import math
import random
import re
import statistics
import unicodedata

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from corpora.labelled_copies import labelled, pairs
from project import ROOT
from ragassay.text import duplicate_index
from ragassay.text import near_duplicates as module
from ragassay.text.duplicate_index import DuplicateIndex, earlier_clusters, earlier_neighbours
from ragassay.text.near_duplicates import HASHES, VIEWS, components, plain, signatures, similarity

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
@given(drawn(), st.integers(0, 20), st.integers(1, 7), st.sampled_from([1, 3, duplicate_index.PAIRS]))
def test_each_cluster_finds_the_first_row_that_one_of_its_texts_is_near_to(signatures, earlier, size, pairs):
    before, texts = signatures[:earlier], signatures[earlier:]
    expected, together = {}, near(texts, before)
    component = components(texts, THRESHOLD)
    for first in set(component.tolist()):
        rows = np.flatnonzero(together[component == first].any(axis=0))
        expected |= {first: int(rows[0])} if len(rows) else {}
    pieces = [index(before[start : start + size]) for start in range(0, len(before), size)]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(duplicate_index, "PAIRS", pairs)
        for given in (pieces, [DuplicateIndex.merged(pieces)] if pieces else []):
            assert earlier_neighbours(texts, component, given, THRESHOLD) == expected
            limit = np.full(len(texts), earlier // 2)
            nearer = {first: row for first, row in expected.items() if row < earlier // 2}
            assert earlier_neighbours(texts, component, given, THRESHOLD, limit) == nearer


@settings(deadline=None, max_examples=60)
@given(drawn(), st.integers(1, 9), st.integers(1, 3))
def test_joined_clusters_are_those_of_the_first_shard_through_whatever_shards(signatures, size, block):
    """Each shard is compared with those before it, one after the other, as far as their own clusters were joined."""
    shards = [signatures[start : start + size] for start in range(0, len(signatures), size)]
    indexes, names = [index(shard, f"{number}") for number, shard in enumerate(shards)], []
    for number, (shard, own) in enumerate(zip(shards, indexes, strict=True)):
        together = near(shard, signatures[: number * size])
        expected = {}
        for first in sorted(set(own.first.tolist())):
            rows = np.flatnonzero(together[own.first == first].any(axis=0))
            expected |= {first: names[rows[0]]} if len(rows) else {}
        joined = [expected.get(first, f"{number}-{first}") for first in own.first.tolist()]
        whole = number // block * block
        merged = [DuplicateIndex.merged(indexes[start : start + block]) for start in range(0, whole, block)]
        assert earlier_clusters(own, indexes[:number], THRESHOLD) == expected
        assert earlier_clusters(own, merged + indexes[whole:number], THRESHOLD) == expected
        names += joined


def index(signatures, name=""):
    first = components(signatures, THRESHOLD)
    return DuplicateIndex.of(signatures, first, cluster_id=[f"{name}-{text}" for text in first])


def test_nothing_has_no_neighbours():
    nothing = np.empty((0, VIEWS, HASHES), np.uint16)
    assert components(nothing, 0.8).tolist() == []
    assert earlier_neighbours(nothing, components(nothing, 0.8), [index(nothing)], 0.8) == {}


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


def words(text):
    return re.findall(r"[^\W_]+", unicodedata.normalize("NFKC", text).casefold())


def exact(a, b):
    """The Jaccard index of the sets of 5-grams of two lists of words."""
    sets = [{tuple(part[i : i + 5]) for i in range(max(len(part) - 4, 1))} for part in (a, b)]
    return len(sets[0] & sets[1]) / len(sets[0] | sets[1])


def alike(a, b, first_words=300):
    return similarity(*signatures([a, b], first_words)).max().item()


def story(seed, length):
    picker = random.Random(seed)
    return [f"{picker.choice('bdfgk')}{picker.randrange(3000)}" for _ in range(length)]


@settings(deadline=None)
@given(
    st.text()
    | st.lists(st.sampled_from(["don’t", "Don't", "ﬁn", "fin", "É", "_a_", "½", "\u00a0", "1,5"])).map(" ".join)
)
def test_words_are_lower_case_and_without_punctuation(text):
    if words(text):
        assert plain(text).decode().split() == words(text)
    else:
        assert plain(text).startswith(b"\0")


@pytest.mark.parametrize(
    ("a", "b"),
    [
        ("It’s “late” — he said", "it's 'late'; HE said."),
        ("The o\ufb03ce opened in two thousand", "the office opened, in two\nthousand"),
        ("too short", "Too, short"),
    ],
)
def test_marks_cases_and_forms_make_no_difference(a, b):
    assert alike(a, b) == 1


@pytest.mark.parametrize(
    ("a", "b"), [("one two", "two one"), ("one", "one two"), ("...", "!"), ("", "?"), ("a b c d", "a b c d e")]
)
def test_short_texts_are_alike_only_if_all_words_are(a, b):
    assert alike(a, b) < 0.1
    assert alike(a, a) == 1


def test_the_estimate_is_unbiased_and_as_sharp_as_its_number_of_hashes_allows():
    errors = []
    for number in range(400):
        picker, text = random.Random(number), story(number, 200)
        other = list(text)
        for place in picker.sample(range(200), picker.randrange(1, 25)):
            other[place] = f"x{place}"
        index = exact(text, other)
        found = signatures([" ".join(text), " ".join(other)], 200)
        assert (found[:, 0] == found[:, 1]).all(), "a text no longer than its first words has two views alike"
        error = (found[0] == found[1]).mean(axis=-1)[0] - index
        errors.append(error / math.sqrt(index * (1 - index) / HASHES))
    assert abs(statistics.mean(errors)) < 0.2
    assert statistics.stdev(errors) < 1.15


def test_the_views_are_the_whole_and_the_first_words():
    text, rest = story("text", 60), story("rest", 240)
    whole, head, other = signatures([" ".join(text + rest), " ".join(text), " ".join(text[:59] + rest)], 60)
    assert (whole[1] == head[1]).all() and (whole[1] == head[0]).all()
    assert abs((whole[0] == head[0]).mean() - exact(text + rest, text)) < 0.12
    assert abs((whole[1] == other[1]).mean() - exact(text, text[:59] + rest[:1])) < 0.12


@settings(deadline=None)
@given(st.lists(st.text("ab .é", max_size=60), max_size=12), st.integers(1, 400), st.integers(1, 12))
def test_a_signature_does_not_depend_on_its_neighbours(texts, chunk, first_words):
    together = signatures(texts, first_words)
    assert together.shape == (len(texts), VIEWS, HASHES) and together.dtype == np.uint16
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(module, "CHUNK", chunk)
        assert (signatures(texts, first_words) == together).all()


def test_signatures_of_published_shards_stay_comparable():
    found = signatures(["The harbour at Brackwater was closed for two days, the council said."], 5)
    assert found[0, :, :3].tolist() == [[34701, 48369, 55455], [11421, 34890, 34779]]
