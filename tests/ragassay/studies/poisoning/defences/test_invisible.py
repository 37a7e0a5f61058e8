"""Characters that nobody sees change no score: the attack that hides its words is found as the plain one is."""

import numpy as np
import pytest

from ragassay.base import variants
from ragassay.studies.poisoning.attacks.kinds import invisible
from ragassay.studies.poisoning.defences import defence
from ragassay.studies.poisoning.defences.guard import Guard
from ragassay.studies.poisoning.defences.kinds import echo, question_share
from ragassay.studies.poisoning.defences.scorer import surprises
from ragassay.studies.poisoning.defences.scorers.ngram import Scorer

QUESTION = "When does the old ferry to Sallow Quay sail on Sundays?"
PLAIN = "When does the old ferry to Sallow Quay sail on Sundays? It sails at seven from the northern pier."
HIDDEN = invisible.WORD.sub(rf"\1{invisible.HIDDEN}", PLAIN)
CLEAN = ["The bridge fell in the storm.", "A cheese ripens for fourteen months.", "Nobody counted the bats."]
READING = {"way": "even_words", "least": 2, "window": 5}


def rows(guard, texts):
    """What a defence is given of these texts in a service."""
    seen = []

    def judge(kind, own, settings):
        seen.extend(own)
        return []

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(defence, "judge", judge)
        guard(QUESTION, texts, [0.9] * len(texts))
    return seen


@pytest.fixture
def guard():
    card = {"kind": "question_share", "depth": 3, "settings": {}, "fitted": {"all": {}}, "similarity": "cosine"}
    return Guard("guard.json", {**card, "retriever": "minilm"})


def test_words_are_hidden_from_whoever_counts_them():
    assert HIDDEN != PLAIN and HIDDEN.replace(invisible.HIDDEN, "") == PLAIN
    assert echo.taken_up(QUESTION, HIDDEN) < echo.taken_up(QUESTION, PLAIN)


def test_a_guard_reads_texts_without_what_nobody_sees(guard):
    plain, hidden = rows(guard, [PLAIN, HIDDEN])
    assert plain["text"] == hidden["text"] == PLAIN
    assert echo.taken_up(hidden["question"], hidden["text"]) == echo.taken_up(QUESTION, PLAIN)
    shares = question_share.scores([plain, hidden], {})["question_share"]
    assert shares[0] == shares[1] > 0.9


def test_a_scorer_is_as_surprised_by_a_hidden_text_as_by_the_plain_one():
    scorer = Scorer.trained(lambda side: [f"{text} {side}" for text in CLEAN], order=2)
    plain, hidden = surprises(scorer, [PLAIN, HIDDEN], [0, 0], **READING)
    assert plain == hidden and np.isfinite(plain.whole)


def test_every_kind_of_attack_with_hidden_words_is_one_of_the_attacks():
    assert "invisible" in variants.names("ragassay.studies.poisoning.attacks.kinds")
