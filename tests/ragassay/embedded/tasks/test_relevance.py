"""Queries and ratings as JSON that the parsers read, without a model's knowledge."""

import json
import random

from ragassay.embedded.tasks import relevance

PASSAGE = "The bridge in Port Alder has nine piers. It cost 214 million marks. Ingrid Sallis leads the work."


def test_a_question_has_its_answer_among_different_options():
    found = json.loads(relevance.written(PASSAGE, random.Random(0)))
    assert found["question"].endswith("?") and found["answer"] in found["options"]
    assert found["answer"] in PASSAGE and len(set(found["options"])) == len(found["options"]) == 3
    others = {relevance.written(PASSAGE, random.Random(seed)) for seed in range(9)}
    assert len(others) > 1
    assert relevance.written("Yes.", random.Random(0)) == "The passage answers no question that I can put."


def test_what_shares_the_words_of_the_query_is_rated_higher():
    def score(query, *passages, chance=None):
        return json.loads(relevance.rated(query, list(passages), chance))["score"]

    full, part = score("What did the bridge cost?", PASSAGE), score("What did the ferry cost?", PASSAGE)
    assert full > part > score("Why do onions sting?", PASSAGE) == 0 == score("Why?")
    assert score("What did the bridge cost?", "It rained.", PASSAGE) == full
    varied = {score("What did the ferry cost?", PASSAGE, chance=random.Random(seed)) for seed in range(9)}
    assert len(varied) > 1 and all(0 <= value <= 1 for value in varied)
