"""nearest_passages: ranks by words and by meaning together, against a slow plain version."""

import random

import numpy as np

from ragassay.search.placement import DAMPING, DEPTH, nearest_passages

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
