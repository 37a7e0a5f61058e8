"""Questions: length, one aspect, what in-scope ones ask for and out-of-scope ones keep."""

import random

import pytest

from ragassay.embedded.claims import extract
from ragassay.embedded.questions import LONGEST, SHORTEST, fit, in_scope, out_of_scope
from ragassay.embedded.support import read, unsupported


def few(claims, count=5, seed=0):
    return in_scope(claims, count, random.Random(seed))


def test_questions_of_the_demo_have_the_right_length(articles):
    written = [question for article in articles.values() for question in few(extract(article, 15, None))]
    assert len(written) > 4 * len(articles)
    assert all(SHORTEST <= len(question.split()) <= LONGEST and question.endswith("?") for question in written)
    assert all(question[0].isupper() and question.count("?") == 1 for question in written)


@pytest.mark.parametrize(
    ("claim", "openings"),
    [
        ("Mildred Fenn led the work on the old lock.", {"Who led the work on the old lock"}),
        ("The new lock is 61 metres long.", {"How many metres is the new lock long"}),
        (
            "The town paid 600,000 marks in June 2025.",
            {"What paid", "How many marks did the town pay", "When did the town pay"},
        ),
    ],
)
def test_in_scope_questions_ask_for_what_the_claim_tells(claim, openings):
    asked = [question for seed in range(20) for question in few([claim], seed=seed)]
    assert asked and all(any(question.startswith(opening) for opening in openings) for question in asked), asked
    assert all(any(question.startswith(opening) for question in asked) for opening in openings)


def test_no_two_in_scope_questions_ask_for_the_same():
    claims = ["The town paid 600,000 marks in June 2025."]
    assert len({question.split()[0] for question in few(claims)}) == len(few(claims)) == 3


@pytest.mark.parametrize("seed", range(10))
@pytest.mark.parametrize(
    "claim",
    [
        "The lock is 87 metres long.",
        "Captain Orlo Bray paid for the old oak gates.",
        "Wilma Tosk of the canal union led the work in Dray.",
    ],
)
def test_out_of_scope_questions_keep_what_is_new(text, claim, seed):
    question = out_of_scope(claim, read(text), random.Random(seed))
    assert question is None or unsupported(question, read(text)) >= 0.15, question


def test_some_claims_are_skipped_and_others_not(text):
    assert out_of_scope("Hm.", read(text), random.Random(0)) is None
    assert out_of_scope("Captain Orlo Bray paid for the old oak gates.", read(text), random.Random(0))


@pytest.mark.parametrize("words", [*range(6, 30)])
def test_fitting_gives_the_length_or_nothing(words):
    text = " ".join(["who built", *(f"w{n}" if n % 4 else "in" for n in range(words - 2))])
    fitted = fit(text, random.Random(1))
    assert fitted is None or SHORTEST <= len(fitted.split()) <= LONGEST
    assert fitted or words > LONGEST


def test_fitting_never_loses_what_is_needed():
    text = "when did the town pay for the gates and for the lock in Dray over the years of the long dispute with Fenn"
    assert fit(text, random.Random(1)) and "Fenn" not in fit(text, random.Random(1))
    assert fit(text, random.Random(1), {"Fenn"}) is None


@pytest.mark.parametrize(
    ("claim", "expected"),
    [
        ("The Heron was designed by Wilma Tosk after a visit to Dray in 2019.", "Who designed the Heron after a visit"),
        ("Captain Orlo Bray paid for the oak gates at the request of Wilma Tosk.", "At whose request did Captain Orlo"),
        (
            "Mildred Fenn learned from Wilma Tosk that the lock is 61 metres long.",
            "From whom did Mildred Fenn learn that",
        ),
        (
            "Mildred Fenn doubted for 3 weeks that the lock is 61 metres long.",
            "For how many weeks did Mildred Fenn doubt",
        ),
        (
            "Mildred Fenn sold the lock in Dray because of a lack of money.",
            "Why did Mildred Fenn sell the lock in Dray",
        ),
    ],
)
def test_what_was_added_to_a_claim_is_asked_for(text, claim, expected):
    asked = {out_of_scope(claim, read(text), random.Random(seed)) for seed in range(10)}
    assert any(question and question.startswith(expected) for question in asked), asked


def test_a_question_is_not_cut_inside_what_was_told(text):
    claim = "Mildred Fenn learned from Wilma Tosk that the lock on the canal is long and lifts boats from Dray to Osse."
    assert all(out_of_scope(claim, read(text), random.Random(seed)) is None for seed in range(10))
