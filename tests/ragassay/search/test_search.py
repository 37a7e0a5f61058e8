"""Search: by words, by vectors, in parts, by places, and how it is measured."""

import math
import random
import re

import numpy as np
import pyarrow as pa
import pytest
import pytrec_eval
import scipy.sparse as sparse
from hypothesis import given, settings
from hypothesis import strategies as st

import rows as build
from ragassay.base import tables
from ragassay.base.errors import AssayError
from ragassay.schemas.corpora import NEIGHBOURS, PASSAGES
from ragassay.search.bm25 import Bm25
from ragassay.search.measures import grades, ndcg, recall, reciprocal_rank
from ragassay.search.nearest import STEP, best_of_sparse, nearest
from ragassay.search.neighbours import PassageError, best_passages, merged
from scripts.documents.place_questions import DAMPING, DEPTH, nearest_passages


def by_hand(query, passages, k1=1.2, b=0.75):
    words = [re.findall(r"\w+", passage.lower()) for passage in passages]
    mean = sum(map(len, words)) / len(words)
    scores = []
    for own in words:
        score = 0.0
        for word in re.findall(r"\w+", query.lower()):
            if n := own.count(word):
                score += rarity(word, passages) * n / (n + k1 * (1 - b + b * len(own) / mean))
        scores.append(score)
    return scores


def test_scores_are_those_of_the_formula(texts):
    passages = [text for text in texts if text]
    queries = ["ferry quay ferry", "unknown words", "Glacier 7 marks", ""]
    found = Bm25(passages).scores(queries).toarray()
    assert np.allclose(found, [by_hand(query, passages) for query in queries], atol=1e-5)
    assert found[0].max() > 0 and not found[1].any()


@pytest.mark.parametrize(("k1", "b"), [(1.2, 0.75), (0.9, 0.4), (0, 0)])
def test_divided_by_the_rarity_of_all_words_of_the_query(texts, k1, b):
    passages = [text for text in texts if text]
    queries = ["ferry quay ferry", "ferry", "ferry unheard", "unknown words", ""]
    found = Bm25(iter(passages), k1, b, divide_by_idf=True).scores(queries).toarray()
    masses = [max(sum(rarity(word, passages) for word in query.split()), 1e-9) for query in queries]
    expected = np.array([by_hand(query, passages, k1, b) for query in queries]) / np.array(masses)[:, None]
    assert np.allclose(found, expected, atol=1e-5) and found.max() <= 1
    assert found[1].max() > found[2].max() > 0  # a word that no passage has counts against a query


def rarity(word, passages):
    having = sum(word in re.findall(r"\w+", passage.lower()) for passage in passages)
    return math.log(1 + (len(passages) - having + 0.5) / (having + 0.5))


def test_a_corpus_without_words_scores_nothing():
    assert Bm25(["", "!"]).scores(["a"]).toarray().tolist() == [[0.0, 0.0]]


@pytest.mark.parametrize("passages", [None, ["", "!"]])
def test_an_index_that_was_restored_gives_the_same_scores(texts, passages):
    index = Bm25(passages or texts, divide_by_idf=True)
    queries = ["ferry quay ferry", "unknown words", "Glacier 7 marks", ""]
    restored = Bm25.restored(*index.state())
    assert (restored.scores(queries) != index.scores(queries)).nnz == 0


DEPTHS = (1, 5, 10, 100)


def drawn(seed):
    """query -> {passage: score}, with many ties, and query -> {passage: grade}."""
    draw = random.Random(seed)
    passages = [f"p{number:03}" for number in range(150)]
    run, relevant = {}, {}
    for number in range(40):
        name = f"q{number}"
        found = draw.sample(passages, draw.choice((3, 20, 140)))
        run[name] = {passage: float(draw.randrange(6)) for passage in found}
        relevant[name] = {
            passage: draw.choice((0, 1, 1, 2, 3)) for passage in draw.sample(passages, draw.randint(1, 9))
        }
        relevant[name][passages[0]] = 1
    return run, relevant


@pytest.mark.parametrize("seed", range(5))
def test_they_are_those_of_trec_eval(seed):
    run, relevant = drawn(seed)
    # trec_eval orders equal scores by the id that comes last.
    ranking = [sorted(own, key=lambda passage: (own[passage], passage), reverse=True) for own in run.values()]
    found, ideal = grades(ranking, list(relevant.values()))
    measures = {f"recall.{','.join(map(str, DEPTHS))}", f"ndcg_cut.{','.join(map(str, DEPTHS))}", "recip_rank"}
    expected = pytrec_eval.RelevanceEvaluator(relevant, measures).evaluate(run)
    for depth in DEPTHS:
        assert recall(found, ideal, depth) == pytest.approx([expected[name][f"recall_{depth}"] for name in run])
        assert ndcg(found, ideal, depth) == pytest.approx([expected[name][f"ndcg_cut_{depth}"] for name in run])
    assert reciprocal_rank(found) == pytest.approx([expected[name]["recip_rank"] for name in run])
    assert 0 < reciprocal_rank(found).mean() < 1


def test_no_rank_and_no_query():
    found, ideal = grades([[]], [{"c": 1}])
    assert [measure(found, ideal, 5).tolist() for measure in (recall, ndcg)] == [[0], [0]]
    assert reciprocal_rank(found).tolist() == [0] and np.size(reciprocal_rank(grades([], [])[0])) == 0


def sorted_whole(queries, passages, count):
    """All scores sorted, by score in steps and position."""
    steps = np.rint((queries.astype(float) @ passages.astype(float).T) / STEP)
    order = np.argsort(-steps, axis=1, kind="stable")[:, :count]
    return order, np.take_along_axis(steps, order, axis=1) * STEP


def blocks(passages, cuts):
    yield from np.split(passages, sorted(cuts))


@settings(max_examples=40)
@given(
    st.integers(0, 2**32 - 1),
    st.integers(1, 600),
    st.integers(1, 40),
    st.integers(1, 1500),
    st.lists(st.integers(0, 1500), max_size=5),
    st.sampled_from([2, 40]),
)
def test_they_are_those_of_sorting_everything_whatever_the_blocks(seed, queries, count, passages, cuts, values):
    draw = np.random.default_rng(seed)  # few values make many ties; products of whole numbers are exact
    asked = draw.integers(-values, values + 1, (queries, 3)).astype(np.float32)
    given = draw.integers(-values, values + 1, (passages, 3)).astype(np.float32)
    positions, scores = nearest(asked, blocks(given, [min(cut, passages) for cut in cuts]), count)
    expected, of = sorted_whole(asked, given, count)
    assert (positions == expected).all() and np.allclose(scores, of)


def test_real_vectors_give_the_same_neighbours_however_they_are_cut():
    draw = np.random.default_rng(1)
    asked, given = (draw.standard_normal((size, 64)).astype(np.float32) for size in (300, 5000))
    asked, given = (rows / np.linalg.norm(rows, axis=1, keepdims=True) for rows in (asked, given))
    given[4000:4100] = given[:100]
    whole = nearest(asked, [given], 100)
    cut = nearest(asked, np.array_split(given, 7), 100)
    expected, _ = sorted_whole(asked, given, 100)
    assert (whole[0] == cut[0]).mean() > 0.999 and (whole[0] == expected).mean() > 0.999
    assert np.abs(whole[1] - cut[1]).max() <= 1.01 * STEP


@pytest.mark.parametrize("score", [np.nan, np.inf, 1e6])
def test_a_score_that_cannot_be_is_refused(score):
    with pytest.raises(AssayError, match="no number or beyond 10737"):
        nearest(np.full((1, 1), score), [np.ones((3, 1))], 5)


def test_nothing_is_near_to_nothing():
    assert nearest(np.empty((0, 4)), [np.ones((3, 4))], 5)[0].shape == (0, 3)
    assert nearest(np.ones((2, 4)), [], 5)[0].shape == (2, 0)


def test_of_many_sparse_scores_the_same_as_a_plain_sort_by_steps_and_positions():
    draw = np.random.default_rng(4)
    dense = np.where(draw.random((20, 400)) < 0.6, np.round(draw.normal(5, 2, (20, 400)), 1), 0)
    dense[0], dense[1, 3:] = 0, 0  # a query that finds nothing, and one that finds less than it could
    scores = sparse.csr_matrix(dense, dtype=np.float32)
    for row, (positions, best) in zip(scores, best_of_sparse(scores, 50), strict=True):
        expected = sorted(zip(-np.rint(row.data.astype(float) / STEP), row.indices, strict=True))[:50]
        assert positions.tolist() == [position for _, position in expected]
        assert best == pytest.approx([-step * STEP for step, _ in expected], abs=1e-9)


@pytest.mark.parametrize("score", [np.nan, np.inf, -np.inf, 1e6])
def test_a_sparse_score_that_cannot_be_is_refused_however_many_there_are(score):
    scores = sparse.csr_matrix(np.array([[1.0, 2.0, score, 3.0]], np.float32))
    for count in (2, 9):
        with pytest.raises(AssayError, match="no number or beyond 10737"):
            list(best_of_sparse(scores, count))


WORDS = "ferry quay glacier marks council storm harbour orchard lighthouse census bridge herring cheese".split()


class BagEncoder:
    """Vectors that count letters, as an embedder gives them."""

    def stream(self, texts, role=None):
        yield np.array([[text.count(letter) for letter in "abcdefghijklmnop"] for text in texts], np.float16)

    def embed(self, texts, role=None):
        return next(self.stream(texts))


def ranks(scores, least):
    order = sorted(range(len(scores)), key=lambda place: (-round(scores[place], 5), place))
    return {place: rank for rank, place in enumerate(order[:DEPTH], 1) if scores[place] > least}


def plain_bm25(question, text, passages):
    """Divided by the sum of the inverse document frequencies; all passages have nine words."""
    score = total = 0
    for word in question.split():
        having, count = sum(word in passage.split() for passage in passages), text.split().count(word)
        rarity = np.log(1 + (len(passages) - having + 0.5) / (having + 0.5))
        score, total = score + rarity * count / (count + 1.2), total + rarity
    return score / total


def test_places_are_those_of_a_plain_version():
    dice = random.Random(3)
    passages = [" ".join(dice.choices(WORDS, k=9)) for _ in range(80)]
    questions = [" ".join(dice.choices(WORDS, k=4)) for _ in range(6)]
    results = nearest_passages(questions, passages, BagEncoder(), 7)
    vectors = BagEncoder().embed(passages).astype(float)
    for question, places in zip(questions, results, strict=True):
        [vector] = BagEncoder().embed([question]).astype(float)
        cosines = vectors @ vector / np.linalg.norm(vectors, axis=1) / np.linalg.norm(vector)
        words = [plain_bm25(question, text, passages) for text in passages]
        both = ranks(cosines, -np.inf), ranks(words, 0)
        score = {place: sum(1 / (DAMPING + of[place]) for of in both if place in of) for place in {*both[0], *both[1]}}
        assert places == sorted(score, key=lambda place: (-score[place], place))[:7]


def test_with_fewer_passages_there_are_fewer_places():
    assert sorted(nearest_passages(["ferry"], ["quay", "ferry"], BagEncoder(), 5)[0]) == [0, 1]


def table(*rows):
    return pa.Table.from_pylist(
        [dict(zip(NEIGHBOURS.schema.names, row, strict=True)) for row in rows], schema=NEIGHBOURS.schema
    )


def test_the_best_of_all_corpora_with_new_ranks_and_equals_by_id():
    clean = table(("a", 1, "c1", 0.9), ("a", 2, "c2", 0.5), ("b", 1, "c1", 0.1))
    poisoned = table(("a", 1, "p1", 0.9), ("a", 2, "b0", 0.5), ("c", 1, "p1", 0.3))
    found = [tuple(row.values()) for row in merged([clean, poisoned], 3).to_pylist()]
    assert found == [
        ("a", 1, "c1", 0.9),
        ("a", 2, "p1", 0.9),
        ("a", 3, "b0", 0.5),
        ("b", 1, "c1", 0.1),
        ("c", 1, "p1", 0.3),
    ]
    assert merged([clean], 1).to_pylist() == table(("a", 1, "c1", 0.9), ("b", 1, "c1", 0.1)).to_pylist()
    assert merged([table()], 1).num_rows == 0


def test_it_is_the_order_of_a_plain_sort_whatever_is_equal():
    dice = random.Random(0)
    for corpora in (1, 2, 3):
        rows, rankings = [], []
        for corpus in range(corpora):
            own = [
                (query, dice.choice((-0.1, 0.0, 0.00001, 0.2, 12.5)), f"{dice.choice('apz')}{corpus}-{number}")
                for query in dice.sample(["q1", "q10", "q2", "Q", "\u00e9"], 4)
                for number in range(12)
            ]
            own.sort(key=lambda row: (row[0].encode(), -row[1], row[2]))
            ranked = [(query, at % 12 + 1, name, score) for at, (query, score, name) in enumerate(own)]
            rankings.append(table(*ranked))
            rows += ranked
        rows.sort(key=lambda row: (row[0].encode(), -row[3], row[2]))
        found = [(row["query_id"], row["passage_id"], row["score"]) for row in merged(rankings, 7).to_pylist()]
        for query in {row[0] for row in rows}:
            wanted = [(name, score) for owner, _, name, score in rows if owner == query][:7]
            assert [(name, score) for owner, name, score in found if owner == query] == wanted
        assert [query for query, *_ in found] == sorted((query for query, *_ in found), key=str.encode)


@pytest.fixture
def paths(tmp_path):
    passages = [build.row(PASSAGES, passage_id=name, text=f"text of {name}") for name in "abcd"]
    tables.write(PASSAGES, tmp_path / "passages.parquet", passages)
    found = [("one", 1, "c"), ("one", 2, "a"), ("one", 3, "b"), ("two", 1, "a")]
    rows = [build.row(NEIGHBOURS, query_id=query, rank=rank, passage_id=name) for query, rank, name in reversed(found)]
    tables.write(NEIGHBOURS, tmp_path / "neighbours.parquet", rows)
    return tmp_path / "passages.parquet", tmp_path / "neighbours.parquet"


def test_as_many_as_are_wanted_stand_in_their_order(paths):
    found = best_passages(*paths, 2)
    assert {query: list(own.items()) for query, own in found.items()} == {
        "one": [("c", "text of c"), ("a", "text of a")],
        "two": [("a", "text of a")],
    }
    assert list(best_passages(*paths, 9)["one"]) == ["c", "a", "b"] and "three" not in found


def test_a_passage_that_the_corpus_lacks_is_named(paths):
    passages, neighbours = paths
    tables.write(PASSAGES, passages, [build.row(PASSAGES, passage_id="a")])
    with pytest.raises(PassageError, match=r"neighbours.parquet: found the passage 'c', which .* does not have"):
        best_passages(passages, neighbours, 1)
