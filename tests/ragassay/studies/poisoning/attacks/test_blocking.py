"""Optimised jamming, played by a model that is known: each change is kept, nothing is accepted that is no nearer, and
misses in a row end it. Released code once got all three wrong.
"""

import asyncio
from collections import Counter

import numpy as np
import pytest

from ragassay.calls.model import Answer, Request
from ragassay.studies.poisoning.attacks.kinds.jamming_optimised import FILLER, Blocker

SETTINGS = {"tokens": 4, "steps": 200, "candidates": 6, "patience": 30, "k": 2}
FOUND = [{"text": "The lighthouse fell.", "score": 0.5}, {"text": "The choir sings.", "score": 0.1}]
WORDS = Counter({"storm": 5, "ferry": 5, "quay": 3, "census": 1})


class Retriever:
    """A blocker is found if `seen`; an answer is as near to a refusal as it says."""

    def __init__(self, seen=True):
        self.seen = seen

    def questions(self, texts):
        return np.ones((len(texts), 2))

    def passages(self, texts):
        found = [[float(text[1:]) if text[:1] == "=" else 0.2 * self.seen, 0.0] for text in texts]
        return np.array(found) if texts != ["REFUSAL"] else np.array([[1.0, 0.0]])


class Responder:
    """The more of two words the blocker has, the nearer its answer is to a refusal; with both, it declines."""

    def __init__(self, worth=lambda words: len({"storm", "ferry"} & words) / 2):
        self.worth, self.asked = worth, []

    def request(self, question, passages):
        return Request([{"role": "user", "content": "|".join(passages)}])

    async def ask(self, request):
        self.asked.append(request.messages[0]["content"])
        worth = self.worth({*self.asked[-1].split()})
        return [Answer("I don't know." if worth == 1 else f"={worth}", "stop")]


def search(responder, retriever=None, **own):
    blocker = Blocker("What fell?", FOUND, WORDS, retriever or Retriever(), responder, SETTINGS | own)
    text = asyncio.run(blocker.search(responder.ask, "REFUSAL", np.random.default_rng(0)))
    return text, blocker


def test_changes_add_up_until_the_model_declines():
    responder = Responder()
    text, blocker = search(responder)
    assert text.startswith("What fell? ") and {"storm", "ferry"} <= {*text.split()} and len(text.split()) == 2 + 4
    assert blocker.calls == len(responder.asked) == len(set(responder.asked))


def test_a_candidate_that_is_no_nearer_is_never_taken():
    responder = Responder(lambda words: 0.9 if FILLER * 1 in words and not words & {*WORDS} else 0.5)
    text, _ = search(responder)
    assert text == "What fell? ! ! ! !", "the first answer counts as those of candidates do"


def test_misses_in_a_row_end_it_and_an_acceptance_counts_anew():
    steps = iter(np.linspace(0, 0.5, 10_000))
    responder = Responder(lambda words: next(steps))  # every step is better, by a little
    search(responder, patience=2, steps=20)
    better = len(responder.asked)
    responder = Responder(lambda words: 0.3)
    search(responder, patience=2, steps=20)
    assert len(responder.asked) <= 1 + 2 * 6 < better


def test_a_blocker_that_is_not_found_costs_one_call():
    responder = Responder(lambda words: 0.0)
    search(responder, Retriever(seen=False))
    assert responder.asked == ["The lighthouse fell.|The choir sings."]


@pytest.mark.parametrize("k", [1, 2])
def test_the_blocker_competes_with_what_is_found(k):
    responder = Responder(lambda words: 0.0)
    search(responder, k=k, steps=1)
    assert all(len(one.split("|")) == k and one.startswith("The lighthouse fell.") for one in responder.asked)
