"""Every formula of the defences beside a slow, plain version of it."""

import hashlib
import math
from itertools import combinations
from statistics import NormalDist, mean, median_low

import numpy as np
import pytest
from sklearn.cluster import KMeans
from sklearn.preprocessing import StandardScaler, normalize

from ragassay.search.nearest import unit
from ragassay.studies.poisoning.defences.defence import DefenceError
from ragassay.studies.poisoning.defences.kinds import echo, ragdefender, raguard, trustrag
from ragassay.studies.poisoning.defences.thresholds import CriteriaDefence, Null, fold_of, grid, rank
from ragassay.text.words import content, stem, tokens

QUESTION = "Which old bridge over the river fell in the storm?"
TEXTS = [
    "Which old bridge over the river fell? The stone one.",
    "The choir sings in the cathedral.",
    "A storm came over the river, and a bridge fell.",
    "The ferry sails at nine.",
    "Bridge.",
]


def drawn(count, seed=0):
    """Passages of one question with scores of all kinds."""
    dice = np.random.default_rng(seed)
    names = ("whole", "pre", "post", "post_given_pre", "window")
    return [
        {"target_id": "q", "question": QUESTION, "text": TEXTS[at % len(TEXTS)], "score": float(dice.uniform(0, 1)),
         "scores": dict(zip(names, dice.normal(5, 1, 5).tolist(), strict=True))}
        for at in range(count)
    ]  # fmt: skip


def plain_rank(value, null):
    """The share of the null below, half of what is equal; beyond its end, further by how far."""
    below = sum(one < value for one in null) + sum(one == value for one in null) / 2
    beyond = max(value - null[-1], 0) / ((null[-1] - null[len(null) // 2]) or 1.0)
    return below / len(null) + beyond


@pytest.mark.parametrize("null", [[1.0, 2.0, 2.0, 5.0], [0.5], [3.0, 3.0, 3.0]])
def test_ranks_are_shares_of_the_null_and_go_on_behind_it(null):
    values = [-1.0, 0.5, 1.0, 1.5, 2.0, 3.0, 5.0, 9.0]
    assert rank(np.array(values), np.array(null)) == pytest.approx([plain_rank(value, null) for value in values])
    assert np.isnan(rank(np.array([np.nan]), np.array(null))[0])


def test_a_grid_keeps_the_quantiles_of_a_null():
    values = np.sort(np.random.default_rng(0).normal(size=5000))
    kept = grid(values)
    assert len(kept) == 1000 and kept[0] == pytest.approx(values[0], rel=1e-5)
    assert kept == pytest.approx(
        [values[0] if at == 0 else np.quantile(values, at / 999) for at in range(1000)], rel=1e-4
    )
    assert grid(values[:3]) == pytest.approx(values[:3].tolist(), rel=1e-5)


@pytest.mark.parametrize(("alpha", "trim"), [(0.1, 0.0), (0.2, 0.25)])
def test_a_threshold_is_the_quantile_below_what_is_trimmed(alpha, trim):
    scores = np.sort(np.random.default_rng(1).normal(size=40))
    at = (1 - alpha) * (1 - trim) * 39
    low, high = scores[math.floor(at)], scores[math.ceil(at)]
    expected = low + (at - math.floor(at)) * (high - low)
    assert CriteriaDefence({"alpha": alpha, "trim": trim}).limit(scores) == pytest.approx(expected)


def plain_echoes(passages):
    """The readings of each passage, one number at a time."""
    similar = sorted(passage["score"] for passage in passages)
    base = mean(similar[: len(similar) // 2])
    asked = {stem(word) for word in content(QUESTION)}
    words = [word.lower() for word in tokens(QUESTION)]
    rows = []
    for passage in passages:
        own = [stem(word) for word in content(passage["text"])]
        text = [word.lower() for word in tokens(passage["text"])]
        runs = [
            length
            for start in range(len(words))
            for length in range(1, len(words) - start + 1)
            if any(words[start : start + length] == text[at : at + length] for at in range(len(text)))
        ]
        share = len(asked & set(own)) / math.sqrt(len(own))
        rows.append(
            [
                passage["score"],
                passage["score"] - base,
                share,
                max(runs, default=0) / len(words),
                passage["scores"]["whole"],
            ]
        )
    return rows


def test_the_readings_of_echo_are_those_of_its_description():
    passages = drawn(6)
    found = echo.echoes(passages, echo.Kind().settings)
    assert list(found) == list(echo.Kind.UNITS)
    assert np.stack(list(found.values()), axis=1) == pytest.approx(np.array(plain_echoes(passages)))
    assert echo.taken_up("Bridge", "A bridge fell") == (pytest.approx(1 / math.sqrt(2)), 1)
    assert echo.taken_up("", "") == (0, 0)


def test_more_planted_texts_hide_none_of_them():
    """With up to half of the passages planted, the score of each stays what it is beside fewer."""
    defence = echo.Kind({"alpha": 0.1}).fit(Null([], {f"c{at}": drawn(9, seed=at) for at in range(1, 41)}))
    clean, scores = drawn(10), []
    for count in (1, 3, 5):
        planted = [clean[0] | {"score": 0.9 - at / 100} for at in range(count)]
        among = defence.judge([*planted, *sorted(clean, key=lambda row: row["score"])[: 10 - count]])
        scores.append(among[0].criteria[0].score)
    assert scores == pytest.approx([scores[0]] * 3)


def test_the_score_of_echo_adds_normal_scores_up():
    null = {f"c{at}": drawn(5, seed=at) for at in range(1, 41)}
    defence = echo.Kind({"alpha": 0.1}).fit(Null([], null))
    clean = np.concatenate([plain_echoes(rows) for rows in null.values()])
    kept = {name: grid(np.sort(column)) for name, column in zip(echo.Kind.UNITS, clean.T, strict=True)}
    assert defence.fitted["units"] == {name: pytest.approx(values) for name, values in kept.items()}
    passages = drawn(5)
    passages[0]["scores"]["whole"] = 99.0  # above all that was seen
    expected = []
    for row in plain_echoes(passages):
        normal = {}
        for value, (name, units) in zip(row, defence.fitted["units"].items(), strict=True):
            share = (min(plain_rank(value, units), 1) * len(units) + 0.5) / (len(units) + 1)
            normal[name] = NormalDist().inv_cdf(share)
        taken = sum(max(normal[name], 0) for name in ("words", "run"))
        expected.append(max(normal["similarity"], normal["relative"]) + taken + normal["surprise"])
    judgements = defence.judge(passages)
    assert [judgement.criteria[0].score for judgement in judgements] == pytest.approx(expected)
    ranks = [plain_rank(value, defence.fitted["criteria"]["echo"]["null"]) for value in expected]
    assert defence.score(passages) == pytest.approx(ranks, abs=1e-6)


@pytest.mark.parametrize("second", ["post", "post_given_pre"])
def test_the_criteria_of_raguard_are_those_of_its_paper(second):
    passages = drawn(7)
    readings = raguard.Kind({"second_chunk": second}).readings(passages)
    for at, passage in enumerate(passages):
        pre, post = passage["scores"]["pre"], passage["scores"][second]
        expected = {"pd_high": pre - post, "pd_low": post - pre, "pm": max(pre, post)}
        expected |= {"ppl": passage["scores"]["whole"], "ts": passage["score"]}
        assert {name: values[at] for name, values in readings.items()} == pytest.approx(expected)
    perplexities = raguard.Kind({"scale": "ppl"}).readings(passages)["ppl"]
    assert perplexities == pytest.approx([math.exp(passage["scores"]["whole"]) for passage in passages])


def test_the_score_of_a_passage_is_the_highest_of_its_ranks():
    defence = raguard.Kind({"alpha": 0.1}).fit(Null(drawn(100, 5), {"c": drawn(100, 6)}))
    passages = drawn(9)
    readings = defence.readings(passages)
    for at, judgement in enumerate(defence.judge(passages)):
        fitted = defence.fitted["criteria"]
        ranks = {name: plain_rank(readings[name][at], fitted[name]["null"]) for name in fitted}
        assert judgement.score == pytest.approx(max(ranks.values()), abs=1e-6)
        assert judgement.removed == any(readings[name][at] >= fitted[name]["threshold"] for name in fitted)


def longest(first, second):
    """The longest common subsequence, by the usual table."""
    table = [[0] * (len(second) + 1) for _ in range(len(first) + 1)]
    for at, one in enumerate(first):
        for to, other in enumerate(second):
            table[at + 1][to + 1] = table[at][to] + 1 if one == other else max(table[at][to + 1], table[at + 1][to])
    return table[-1][-1]


@pytest.mark.parametrize("seed", range(20))
def test_rouge_l_is_the_f_of_the_longest_common_subsequence(seed):
    dice = np.random.default_rng(seed)
    first, second = (list(dice.choice(list("abcde"), dice.integers(1, 90))) for _ in range(2))
    common = longest(first, second)
    precision, recall = common / len(second), common / len(first)
    expected = 2 * precision * recall / (precision + recall) if common else 0.0
    assert trustrag.rouge_l(first, second) == pytest.approx(expected)
    assert trustrag.rouge_l([], first) == 0


@pytest.mark.parametrize("seed", range(8))
def test_two_means_finds_the_division_with_the_least_squares(seed):
    vectors = np.random.default_rng(seed).normal(size=(8, 3))

    def cost(labels):
        return sum(((vectors[labels == one] - vectors[labels == one].mean(axis=0)) ** 2).sum() for one in (0, 1))

    every = [np.array([number >> at & 1 for at in range(8)]) for number in range(1, 2**7)]
    assert cost(trustrag.two_means(vectors, 0)) == pytest.approx(min(map(cost, every)), rel=0.05)


def test_the_similarity_of_a_cluster_is_the_mean_cosine_of_its_pairs():
    vectors = np.random.default_rng(0).normal(size=(5, 4))
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    cosines = [vectors[one] @ vectors[other] for one in range(5) for other in range(one)]
    assert trustrag.mean_similarity(vectors) == pytest.approx(mean(cosines))
    assert trustrag.mean_similarity(vectors[:2]) == pytest.approx(vectors[0] @ vectors[1])
    assert trustrag.mean_similarity(vectors[:1]) == 0


@pytest.mark.parametrize("seed", range(4))
def test_trustrag_clusters_as_scikit_learn_and_knows_how_alike_both_clusters_are(seed):
    """So that one axis on which all passages differ a lot does not decide alone, nor one on which none does."""
    dice = np.random.default_rng(seed)
    wide, one = dice.normal(7, 1, (12, 5)) * [100, 1, 1, 1, 1], dice.random(12) < 0.5
    wide[one, 1:] += 4
    wide[:, 4] = 0.5
    found, similar = trustrag.Kind()._clusters([{"vector": vector} for vector in wide])
    expected = KMeans(2, n_init=20, random_state=0).fit_predict(normalize(StandardScaler().fit_transform(wide)))
    assert found.tolist() in (expected.tolist(), (1 - expected).tolist())
    for label in (0, 1):
        cosines = [wide[at] @ wide[to] for at, to in combinations(np.flatnonzero(found == label), 2)]
        assert similar[label] == pytest.approx(mean(cosines))


def test_trustrag_removes_what_reaches_the_similarity_and_prunes_what_shares_more_than_its_share():
    dice = np.random.default_rng(3)
    texts = ["a b c d", "a b c e", "f g h i", "a j k l", "m n o p"]
    vectors = np.array([[1, 0, 0]] * 3 + [[0, 1, 0.5]] * 2) + dice.normal(size=(5, 3)) / 20
    passages = [{"text": text, "vector": vector} for text, vector in zip(texts, vectors, strict=True)]

    def judged(**settings):
        return trustrag.Kind({"similarity": 2.0, "rouge": 0.25} | settings).fit(None).judge(passages)

    assert [judgement.reason for judgement in judged()] == ["shared wording"] * 2 + [None] * 3
    assert [judgement.criteria[1].score for judgement in judged()] == [0.75, 0.75, 0, 0, 0], "within a cluster"
    assert not any(judgement.removed for judgement in judged(rouge=0.75, similarity=-1)), "three of four words: no more"
    twins = [*passages, {"text": texts[2], "vector": vectors[2]}]
    reasons = [
        judgement.reason for judgement in trustrag.Kind({"similarity": 2.0, "rouge": 0.75}).fit(None).judge(twins)
    ]
    assert reasons == [None, None, "shared wording", None, None, "shared wording"], "more than its share, not as much"
    alike = judged()[0].score
    dense = [judgement.reason for judgement in judged(similarity=alike)]
    assert dense[:3] == ["dense cluster"] * 3
    assert judged(similarity=np.nextafter(alike, 2))[2].reason is None


def test_the_similarity_of_trustrag_is_a_quantile_of_that_of_the_denser_clusters():
    dice, found = np.random.default_rng(0), {}
    for number in range(10):
        rows = dice.normal(size=(5, 8))
        found[f"c{number}"] = [{"vector": row / np.linalg.norm(row)} for row in rows]
    kind = trustrag.Kind({"alpha": 0.1})
    denser = [max(kind._clusters(rows)[1]) for rows in found.values()]
    fitted = kind.fit(Null([], found | {"one": found["c0"][:1], "none": []})).fitted
    assert fitted == {"threshold": pytest.approx(np.quantile(denser, 0.9)), "texts": 10, "rough": True}
    with pytest.raises(DefenceError, match="found 9 calibration queries, expected at least 10"):
        trustrag.Kind({"alpha": 0.1}).fit(Null([], {name: found[name] for name in list(found)[:9]}))


@pytest.mark.parametrize("count", [1, 2, 3, 4])
def test_insistence_is_what_the_most_similar_pairs_give_and_how_similar_all_others_are(count):
    values = np.random.default_rng(count).uniform(-1, 1, (6, 6))
    similarity = (values + values.T) / 2
    pairs = sorted(combinations(range(6), 2), key=lambda pair: -similarity[pair])[: max(1, count * (count - 1) // 2)]
    expected = []
    for own in range(6):
        given = sum(abs(similarity[pair]) * similarity[pair] for pair in pairs if own in pair)
        others = mean(similarity[own, other] for other in range(6) if other != own)
        expected.append(given + ragdefender.TIES * others)
    assert ragdefender.insistence(similarity, count) == pytest.approx(expected)


def test_the_larger_cluster_is_planted_if_more_than_half_have_most_of_the_words_that_weigh_most():
    """Of words that weigh the same, the first in the alphabet; a word is in a text even as a part of another."""
    texts = ["zebra", "alpha", "alphabet"]
    assert ragdefender.planted(texts, np.eye(3)[[0, 0, 1]] @ np.eye(3)[[0, 0, 1]].T, 1) == 2
    assert ragdefender.planted([*texts, "yak"], np.eye(4)[[0, 0, 0, 1]] @ np.eye(4)[[0, 0, 0, 1]].T, 1) == 1


@pytest.mark.parametrize("seed", range(30))
def test_for_questions_of_several_steps_what_lies_close_to_the_others_counts(seed):
    """Means and medians one by one; which of both sides counts depends on which of the two thresholds is higher."""
    dice = np.random.default_rng(seed)
    vectors = unit(dice.normal(size=(int(dice.integers(4, 16)), 6)) + dice.uniform(0, 2))
    rows = [[float(first @ second) for second in vectors] for first in vectors]
    means, medians = [mean(row) for row in rows], [median_low(row) for row in rows]
    limits = mean(means), (median_low(medians) + mean(means)) / 2
    above = sum(one > limits[0] or other > limits[1] for one, other in zip(means, medians, strict=True))
    expected = above if above and mean(means) < median_low(medians) else len(rows) - above
    assert ragdefender.concentrated(np.array(rows)) == expected
    passages = [{"text": "a text", "vector": vector} for vector in vectors]
    removed = [judgement.removed for judgement in ragdefender.Kind({"hops": "multi_hop"}).judge(passages)]
    assert sum(removed) == expected


@pytest.mark.parametrize("question", [QUESTION, f" {QUESTION.upper()}\n"])
def test_the_fold_of_a_query_is_by_a_hash_of_its_words(question):
    words = " ".join(question.lower().split())
    assert fold_of(question) == str(hashlib.sha256(f"fold {words}".encode()).digest()[0] % 5)


def test_trustrag_leaves_passages_that_share_no_words_alone_however_alike_their_vectors_are():
    """The words that a passage shares with itself do not count."""
    passages = [{"text": text, "vector": np.eye(4)[0]} for text in ("one two", "three four", "five six")]
    kind = trustrag.Kind({"similarity": 0.5}).fit(None)
    assert not any(judgement.removed for judgement in kind.judge(passages))
    passages[2]["text"] = "one two"
    assert any(judgement.removed for judgement in kind.judge(passages))
