"""BM25 against its formula, written out word by word."""

import math
import re

import numpy as np

from ragassay.encoders.bm25 import Bm25


def by_hand(query, passages, k1=1.2, b=0.75):
    words = [re.findall(r"\w+", passage.lower()) for passage in passages]
    mean = sum(map(len, words)) / len(words)
    scores = []
    for own in words:
        score = 0.0
        for word in re.findall(r"\w+", query.lower()):
            having = sum(word in other for other in words)
            rarity = math.log(1 + (len(words) - having + 0.5) / (having + 0.5))
            if n := own.count(word):
                score += rarity * n / (n + k1 * (1 - b + b * len(own) / mean))
        scores.append(score)
    return scores


def test_scores_are_those_of_the_formula(texts):
    passages = [text for text in texts if text]
    queries = ["ferry quay ferry", "unknown words", "Glacier 7 marks", ""]
    found = Bm25(passages).scores(queries).toarray()
    assert np.allclose(found, [by_hand(query, passages) for query in queries], atol=1e-5)
    assert found[0].max() > 0 and not found[1].any()


def test_a_corpus_without_words_scores_nothing():
    assert Bm25(["", "!"]).scores(["a"]).toarray().tolist() == [[0.0, 0.0]]
