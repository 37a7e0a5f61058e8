"""BM25 against its formula, written out word by word."""

import math
import re

import numpy as np
import pytest

from ragassay.search.bm25 import Bm25


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
