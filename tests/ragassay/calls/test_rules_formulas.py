"""What rules compute when they read and write, beside plain versions."""

import math
import random
from collections import Counter

import numpy as np
import pytest

from ragassay.calls.providers._rules import reading, writing
from ragassay.calls.providers._rules.reading import EMPTY, WORD, evidence, nearest, phrases, read, stem
from ragassay.calls.providers.rules import BAR, CAREFUL, HASTY, OVERLOOKED, THIN, UNSURE, WEIGHTS, Reader

TEXT = (
    "Anna Fell built the mill by the river in 1998. The mill ground rye for three villages, and Otto Brandt bought it."
    " Nobody repaired the wheel. The river froze in May."
)
QUESTIONS = [
    "Who built the mill?", "When did the river freeze?", "How many villages did the mill serve?", "Why?",
    "Did Piet Moor sell the wheel for 40 marks in 1998?", "Which villages ground rye beside the river?",
]  # fmt: skip


@pytest.mark.parametrize(
    ("word", "expected"),
    [
        ("Boats", "boat"), ("glass", "glass"), ("gas", "gas"), ("cats", "cat"), ("seven", "7"), ("1,204", "1204"),
        ("Dray's", "drai"), ("universal", "unive"), ("O\u2019Neil", "o'nei"), ("ten", "10"),
    ],
)  # fmt: skip
def test_words_that_begin_alike_are_one(word, expected):
    assert stem(word) == expected


def shares(question, sentences):
    """Stem -> weight, and the share of each sentence, by the description."""
    sets = [{stem(word) for word in WORD.findall(sentence)} for sentence in sentences]
    words = {stem(word) for word in WORD.findall(question) if word.lower().removesuffix("'s") not in EMPTY}
    weights = {}
    for word in words:
        spread = sum(word in one for one in sets)
        weights[word] = 0.3 + math.log((len(sentences) + 1) / (spread + 1) + 1)

    def share(some):
        total = sum(weights.values())
        return sum(weight for word, weight in weights.items() if word in some) / total if total else 1.0

    return weights, sets, share


@pytest.mark.parametrize("question", QUESTIONS)
def test_shares_and_doubts_are_those_of_a_plain_version(question):
    text = read(TEXT)
    assert len(text.sentences) == 4
    _, sets, share = shares(question, text.sentences)
    order = sorted(range(4), key=lambda at: -share(sets[at]))
    assert nearest(question, text) == [(pytest.approx(share(sets[at])), at) for at in order]
    doubts, everything = evidence(question, text), set().union(*sets)
    assert doubts.missing == pytest.approx(1 - share(everything))
    assert doubts.scattered == pytest.approx(
        1 - max(share(sets[at] | (sets[at + 1] if at < 3 else set())) for at in range(4))
    )
    named = {"Did Piet Moor sell the wheel for 40 marks in 1998?": (1.0, 0.5)}
    assert (doubts.names, doubts.numbers) == named.get(question, (0, 0))
    near = [at for place in order[:2] for at in (place, place + 1) if at < 4]
    held = any(phrases(text.sentences[at], reading.kind(question), question) for at in near)
    assert doubts.unanswered == (not held)


def test_an_answer_is_scored_by_its_sentence_its_neighbours_its_place_and_votes():
    first = "Anna Fell built the old mill.", "In May it went to Otto Brandt with the mill."
    other = "The mill was built by Anna Fell, or so it was told to Ruth Venn by many."
    passages = [" ".join(first), other]
    question = "Who built the mill?"
    whole = read("\n\n".join(passages)).sentences
    weights, _, share = shares(question, whole)

    def score(phrase, sentence, late, votes):
        words = [(stem(match[0]), match.start()) for match in WORD.finditer(sentence)]
        start = sentence.index(phrase)
        inside = [at for at, (_, place) in enumerate(words) if start <= place < start + len(phrase)]
        near = {}
        for at, (word, _) in enumerate(words):
            if word in weights:
                far = max(inside[0] - at, at - inside[-1], 0)
                near[word] = max(near.get(word, 0), weights[word] / (1 + far / 6))
        own = share({word for word, _ in words}) + sum(near.values()) / sum(weights.values())
        return own - 0.1 * late + 0.3 * sentence.startswith(phrase) + 0.05 * votes

    answers = {answer.text: answer.score for answer in reading.answers(passages, question)}
    assert answers == pytest.approx({
        "Anna Fell": max(score("Anna Fell", first[0], 0, 2), score("Anna Fell", other, 1, 2)),
        "Otto Brandt": score("Otto Brandt", first[1], 0, 1), "Ruth Venn": score("Ruth Venn", other, 1, 1),
    })  # fmt: skip
    in_order = [answer.text for answer in reading.answers(passages, question)]
    assert in_order == sorted(answers, key=lambda text: -answers[text]) and in_order[0] == "Anna Fell"


@pytest.mark.parametrize("manner", [CAREFUL, HASTY])
def test_a_question_is_weighed_by_the_manner_and_samples_waver(manner):
    steady = Reader(manner, random.Random(0), False)
    for question in QUESTIONS:
        expected = np.dot(WEIGHTS[manner], evidence(question, read(TEXT))) - BAR[manner]
        assert steady.beyond(question, TEXT) == pytest.approx(expected)
    scores = [answer.score for answer in reading.answers([TEXT], QUESTIONS[0])]
    assert len(steady.answers([TEXT], QUESTIONS[0])) == sum(score >= THIN[manner] for score in scores)
    assert not steady.overlooks()
    varied = Reader(manner, random.Random(1), True)
    assert np.mean([varied.overlooks() for _ in range(4000)]) == pytest.approx(OVERLOOKED, abs=0.02)
    beyond = [varied.beyond("Why?", TEXT) for _ in range(4000)]
    assert (np.mean(beyond), np.std(beyond)) == pytest.approx((steady.beyond("Why?", TEXT), UNSURE), abs=0.01)


class Chance:
    """Chooses the element at a place, and leaves orders as they are."""

    def __init__(self, place):
        self.place = place

    def choice(self, some):
        return some[self.place]

    def sample(self, some, count):
        return list(some)[:count]


@pytest.mark.parametrize(
    ("text", "first", "last"),
    [
        ("1,200 marks", "482 marks", "902 marks"), ("12,000", "4,802", "9,002"), ("2.5 km", "3.0 km", "3.9 km"),
        ("In 1998", "In 1994", "In 1979"), ("8 boats", "5 boats", "80 boats"), ("2005", "2001", "1986"),
        ("1450", "582", "1090"), ("in May", "in January", "in December"), ("Monday", "Tuesday", "Sunday"),
    ],
)  # fmt: skip
def test_numbers_and_days_become_others_of_their_form(text, first, last):
    assert (writing.changed(text, Chance(0)), writing.changed(text, Chance(-1))) == (first, last)


def sentence(count, word="the", start="Boats"):
    return " ".join([start, *[word] * (count - 2), "sail."])


def test_claims_are_sentences_that_stand_alone_of_six_to_forty_words():
    lengths = {count: sentence(count) for count in (5, 6, 40, 41)}
    others = [sentence(7, start="They"), sentence(7)[:-1] + "?", sentence(7, start='"Boats'), sentence(8), sentence(8)]
    assert writing.claims(" ".join([*lengths.values(), *others]), None) == [lengths[6], lengths[40], sentence(8)]
    named = [sentence(8, "Osse"), sentence(9, "7"), sentence(6), sentence(6, "Osse")]
    assert writing.claims(" ".join(named), 2) == named[:2]  # six of eight words, seven of nine, none, four of six
    assert writing.claims(" ".join(named), 3) == [named[0], named[1], named[3]]


def test_a_gap_is_filled_by_the_claim_that_its_number_names():
    listed = {1: "It cost 40 marks.", 2: "(missing)", 3: "Nobody came.", 4: "It (missing)", 5: "(missing)"}
    filled = writing.filled(listed, Chance(0))
    assert filled == listed | {
        2: "It cost 18 marks.", 4: "It cost 18 marks.",
        5: "Nobody came, and twice as much is planned for next year.",
    }  # fmt: skip
    assert writing.filled({1: "(missing)"}, Chance(0)) == {1: "(missing)"}


def test_a_question_has_the_first_lead_that_makes_it_long_enough_and_loses_its_last_part_if_it_is_too_long():
    claim = "The mill by the river ground rye, because nobody else did."
    assert (
        writing.question(claim, 6, 30) == "Is it true that the mill by the river ground rye, because nobody else did?"
    )
    assert writing.question(claim, 16, 30).startswith("Is it true, as some say, that the mill")
    assert writing.question(claim, 6, 14) == "Is it true that the mill by the river ground rye?"
    assert writing.question(claim, 6, 11) == writing.question(claim, 6, 14) and not writing.question(claim, 6, 10)
    assert writing.question(claim, 15, 15) and writing.question("I sold it to the mill", 6, 30).endswith(
        "that I sold it to the mill?"
    )
    assert not writing.question("Nobody sold it there again", 2, 30) or len("Nobody sold it there again".split()) >= 6


def test_passages_are_turned_round_in_their_middle():
    assert writing.reordered(("A.", "B.", "C.")) == "In short: C. A. B."
    assert writing.reordered(("A.", "B.")) == "In short: B. A." and writing.reordered(("A.",)) == "In short: A."
    assert writing.rephrased(" Who sold it? ") == "Can you tell me this: who sold it?"


def test_false_texts_state_the_answer_in_one_frame_after_the_other():
    texts = writing.texts("Who built the mill?", "Otto", 9, Chance(0))
    assert len(texts) == 9 == len(set(texts)) and all("built the mill" in text and "Otto" in text for text in texts)
    assert texts[4] == f"{texts[0]} (1)" and texts[8] == f"{texts[0]} (2)" and "(" not in "".join(texts[:4])


@pytest.mark.parametrize(
    ("answer", "others"),
    [
        ("Yes", ["no"]), ("Petra Moor", writing.PERSONS[:1] + writing.PERSONS[2:]), ("Wexmoor", ["Castor Bay"]),
        ("an old house", writing.THINGS[:1] + writing.THINGS[2:]), ("8 boats.", ["80 boats", "5 boats"]),
    ],
)  # fmt: skip
def test_a_wrong_answer_is_another_of_its_kind(answer, others):
    assert writing.wrong_answer(answer, Chance(0)) in others and writing.wrong_answer(answer, Chance(-1)) not in (
        answer,
        "",
    )
    if answer == "an old house":
        assert Counter(writing.wrong_answer(answer, Chance(at)) for at in (0, 1, -1)).keys() == set(others)


@pytest.mark.parametrize(
    ("response", "defused"),
    [
        ("It sails from Hull. The document does not say who steered it.", False),
        ("The river froze in May. The document does not say who saw it.", True),
        ("First, the text. The document does not say who saw it.", True),
        ("In fact, no orchestra ever played there.", True),
        ("None of the passages answers the question.", True),
        ("None of the boats sailed.", False),
        ("Yes, but the document does not say so.", False),
        ("The orchestra played. In fact, it did not play well.", False),
    ],
)
def test_what_goes_beyond_the_document_is_an_answer(response, defused):
    assert reading.defuses(TEXT, response) == defused
