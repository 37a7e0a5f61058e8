"""Clusters of a shard: exact and near copies together, one representative, earlier shards as they were published. In
which blocks indexes of earlier shards are read makes no difference."""

import datetime
import hashlib
import random

import pyarrow as pa
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from ragassay.base import tables
from ragassay.base.chance import split_of
from ragassay.schemas.documents import ARTICLES, CLUSTERS
from ragassay.text.duplicate_index import DuplicateIndexError
from ragassay.text.near_duplicates import signatures, similarity
from rows import row
from scripts.documents.collect_documents import clusters_of
from scripts.documents.find_duplicates import find_duplicates
from scripts.documents.merge_duplicates import merge_duplicates


def story(seed, words=120):
    picker = random.Random(seed)
    return " ".join(f"{picker.choice('bdfgklmnprstvz')}{picker.randrange(2000)}" for _ in range(words))


def edited(text, place, words=2):
    """A near copy: some words at one place are others."""
    parts = text.split()
    parts[place : place + words] = [f"other{place}x{number}" for number in range(words)]
    return " ".join(parts)


def article(name, text, day=None):
    published = None if day is None else datetime.datetime(2026, 9, day, tzinfo=datetime.UTC)
    digest = hashlib.sha256(text.encode()).hexdigest()
    return row(ARTICLES, article_id=name, text=text, published_at=published, content_hash=digest)


@pytest.fixture
def clusters(tmp_path):
    """A function that runs the stages on rows of articles and tables of earlier shards and returns the written one."""

    def run(rows, earlier=(), name="new", similarity=0.8, cut_after_words=60, block=0):
        articles, path = tmp_path / f"{name}-articles.parquet", tmp_path / f"{name}.parquet"
        tables.write(ARTICLES, articles, rows)
        find_duplicates(articles, index_of(path), similarity, cut_after_words)
        indexes = [index_of(file) for file in earlier]
        if block:
            merge_duplicates(indexes[:block], tmp_path / "block.arrow")
            indexes[:block] = [tmp_path / "block.arrow"]
        tables.write(CLUSTERS, path, clusters_of(articles, index_of(path), indexes, similarity).values())
        return path

    return run


def index_of(path):
    return path.with_suffix(".arrow")


def found(path):
    """article -> (cluster, whether it represents it)"""
    rows = tables.read(CLUSTERS, path).to_pylist()
    return {row["article_id"]: (row["cluster_id"], row["representative"]) for row in rows}


def id_of(text):
    return f"cluster-{hashlib.sha256(text.encode()).hexdigest()[:16]}"


A, B, C = (story(seed) for seed in "abc")


def test_copies_are_one_cluster_that_the_earliest_represents(clusters):
    rows = [article("a1", A, 3), article("a2", edited(A, 40), 1), article("a3", A), article("b", B, 2)]
    first = id_of(edited(A, 40))
    expected = {"a1": (first, False), "a2": (first, True), "a3": (first, False), "b": (id_of(B), True)}
    assert found(clusters(rows)) == expected


def test_of_articles_from_one_moment_the_smallest_id_represents(clusters):
    copy = edited(A, 40)
    assert found(clusters([article("y", A, 5), article("x", copy, 5)]))["x"] == (id_of(copy), True)
    assert found(clusters([article("y", A), article("x", copy)]))["x"] == (id_of(copy), True)


def test_what_hangs_together_is_one_cluster_though_its_ends_differ(clusters):
    chain = [A]
    for place in range(0, 120, 12):
        chain.append(edited(chain[-1], place, 3))
    names = {f"{number:02}": article(f"{number:02}", text) for number, text in enumerate(chain)}
    assert len(set(found(clusters(names.values())).values())) == 2
    assert len({cluster for cluster, _ in found(clusters([names["00"], names["10"]])).values()}) == 2


def test_a_copy_cut_short_begins_like_the_whole(clusters):
    rows = [article("whole", A, 1), article("cut", " ".join(A.split()[:64]), 2)]
    assert found(clusters(rows))["cut"] == (id_of(A), False)
    assert found(clusters(rows, cut_after_words=119))["cut"][1], "half of the words is not alike"


def test_the_threshold_is_used(clusters):
    rows = [article("a", A, 1), article("b", edited(edited(A, 20, 4), 90, 4), 2)]
    assert found(clusters(rows, similarity=0.5, cut_after_words=120))["b"] == (id_of(A), False)
    assert found(clusters(rows, similarity=0.95, cut_after_words=120))["b"][1]


def test_an_article_near_an_earlier_one_joins_its_cluster(clusters):
    september = clusters([article("a", A, 20), article("b", B, 20)], name="september")
    october = clusters([article("a2", edited(A, 40), 1), article("c", C)], [september], "october")
    assert found(october) == {"a2": (id_of(A), False), "c": (id_of(C), True)}
    november = clusters([article("a3", edited(edited(A, 40), 90))], [september, october], "november")
    assert found(november) == {"a3": (id_of(A), False)}


def test_a_neighbour_of_an_article_that_joins_goes_along(clusters):
    far = edited(edited(edited(A, 10, 3), 40, 3), 90, 3)
    near = edited(A, 10, 3)
    september = clusters([article("a", A)], name="september")
    assert found(clusters([article("far", far)], [september]))["far"] == (id_of(far), True)
    middle = edited(near, 40, 3)
    rows = [article("far", far), article("near", near), article("middle", middle)]
    assert set(found(clusters(rows, [september])).values()) == {(id_of(A), False)}


def test_a_bridge_joins_the_first_of_several_earlier_clusters(clusters):
    bridge = " ".join(A.split()[:70] + B.split()[:70])
    left = " ".join(A.split()[:70] + C.split()[:70])  # begins like the bridge
    right = edited(bridge, 2, 20)  # nearly like it at large, but not in its first words
    first = clusters([article("l", left)], name="first")
    second = clusters([article("r", right)], [first], "second")
    before = [index_of(path).read_bytes() for path in (first, second)]
    assert found(second)["r"] == (id_of(right), True)
    run = {"similarity": 0.6, "cut_after_words": 70}
    assert found(clusters([article("x", bridge)], [first, second], **run))["x"] == (id_of(left), False)
    assert found(clusters([article("x", bridge)], [second, first], **run))["x"] == (id_of(right), False)
    assert [index_of(path).read_bytes() for path in (first, second)] == before


def test_articles_without_words_are_alike_only_if_they_are_the_same(clusters):
    rows = [article("a", "!?", 1), article("b", "!?", 2), article("c", "..."), article("d", "- -")]
    marks = clusters(rows, name="marks")
    expected = {"a": ("!?", True), "b": ("!?", False), "c": ("...", True), "d": ("- -", True)}
    assert found(marks) == {name: (id_of(text), first) for name, (text, first) in expected.items()}
    assert found(clusters([article("e", "!?")], [marks]))["e"] == (id_of("!?"), False)


def test_a_shard_without_articles_has_no_clusters(clusters):
    september = clusters([], name="september")
    assert found(september) == {}
    assert found(clusters([], [clusters([article("a", A)], [september], "october")])) == {}


POOL = [story(seed, 40) for seed in range(4)]
TEXTS = st.tuples(st.sampled_from(POOL), st.integers(0, 38), st.integers(0, 3)).map(lambda parts: edited(*parts))
SHARDS = st.lists(st.lists(st.tuples(TEXTS, st.none() | st.integers(1, 3)), max_size=8), min_size=1, max_size=4)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None, max_examples=25)
@given(SHARDS, st.randoms(use_true_random=False))
def test_no_order_of_texts_changes_anything_and_later_shards_keep_what_earlier_ones_are(clusters, shards, picker):
    files, representatives = [], {}
    for number, shard in enumerate(shards):
        # ids say nothing about the order in which texts are read, only which of several represents
        rows = [article(hashlib.md5(f"{text}{day}".encode()).hexdigest(), text, day) for text, day in shard]
        rows = list({row["article_id"]: row for row in rows}.values())
        path = clusters(rows, files, f"s{number}", cut_after_words=20)
        again = [row | {"article_id": f"{place}"} for row, place in zip(rows, _shuffled(picker, rows), strict=True)]
        other = clusters(again, files, "other", cut_after_words=20)
        names = {row["article_id"]: old["article_id"] for row, old in zip(again, rows, strict=True)}
        together = _partition(found(path))
        assert _partition({names[name]: value for name, value in found(other).items()}) == together
        known = set(representatives)
        for name, (cluster, represents) in found(path).items():
            if represents:
                assert representatives.setdefault(cluster, name) == name
        new = {cluster for cluster, _ in found(path).values()} - known
        assert new <= set(representatives), "each cluster has a representative in the shard it begins in"
        files.append(path)
    assert all(split_of(cluster) for cluster in representatives)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None, max_examples=25)
@given(SHARDS, st.integers(0, 3))
def test_clusters_are_those_of_a_plain_search_that_goes_from_shard_to_shard(clusters, shards, block):
    files, before = [], []  # signature and cluster of each article of earlier shards, in their order
    for number, shard in enumerate(shards):
        rows = [article(f"{number}-{place}", *each) for place, each in enumerate(shard)]
        names, texts = ([row[column] for row in rows] for column in ("article_id", "text"))
        signed = dict(zip(names, signatures(texts, 20), strict=True))
        alone = found(clusters(rows, (), "alone", cut_after_words=20))
        expected = {}
        for name, (cluster, represents) in alone.items():
            texts = [signed[other] for other in alone if alone[other][0] == cluster]
            near = [old for known, old in before if any(similarity(known, text).max() >= 0.8 for text in texts)]
            expected[name] = (near[0], False) if near else (cluster, represents)
        files.append(clusters(rows, files, f"s{number}", cut_after_words=20, block=min(block, number)))
        assert found(files[-1]) == expected
        before += [(signed[name], cluster) for name, (cluster, _) in expected.items()]


def _shuffled(picker, rows):
    return picker.sample(range(len(rows)), len(rows))


def _partition(rows):
    groups = {}
    for name, (cluster, _) in rows.items():
        groups.setdefault(cluster, set()).add(name)
    return sorted(map(sorted, groups.values()))


def test_a_file_that_is_no_index_is_refused(clusters, tmp_path):
    old = clusters([article("a", A)], name="old")
    whole = index_of(old).read_bytes()
    index_of(old).write_bytes(whole[:-200])
    with pytest.raises(DuplicateIndexError, match=r"old\.arrow: found no whole index .*; delete it and run again"):
        clusters([article("b", B)], [old])
    with pa.ipc.new_file(str(index_of(old)), pa.schema({"signature": pa.binary(256)})):
        pass
    with pytest.raises(DuplicateIndexError, match=r"old\.arrow: found an index with signatures .* of another kind"):
        clusters([article("b", B)], [old])
