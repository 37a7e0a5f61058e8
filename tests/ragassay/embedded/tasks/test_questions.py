"""Questions: length, one aspect, what in-scope ones ask for and out-of-scope ones keep."""

import random
import re

import pytest

from ragassay.embedded.english.clauses import clause
from ragassay.embedded.tasks.evidence import read, unsupported
from ragassay.embedded.tasks.question_drafts import drafts
from ragassay.embedded.tasks.questions import LONGEST, SHORTEST, fit, in_scope, out_of_scope
from ragassay.embedded.tasks.recovery import recover

LED = "Mildred Fenn led the work on the old lock beside the mill in Dray for 24 months."


def few(document, count=5, seed=0):
    return in_scope(document, count, random.Random(seed))


def test_questions_of_the_demo_have_the_right_length(articles):
    written = [question for article in articles.values() for question in few(article)]
    assert len(written) > 2.5 * len(articles)
    assert all(SHORTEST <= len(question.split()) <= LONGEST and question.endswith("?") for question in written)
    assert all(question[0].isupper() and question.count("?") == 1 for question in written)
    assert not any(re.search("according to (?:the|this) (?:article|report|document)", text) for text in written)


@pytest.mark.parametrize(
    ("text", "openings"),
    [
        (
            LED,
            {"Who led", "For how many months did Mildred Fenn", "What did Mildred Fenn"},
        ),
        ("The mill in Dray on the Osse has been open to all visitors since May 2019.", {"Since when has the mill"}),
        (
            "Orlo Bray said that the price of the old lock on the canal would rise by 40 per cent.",
            {"Who said that the price", "By what percentage would the price"},
        ),
    ],
)
def test_in_scope_questions_ask_for_what_the_text_tells(text, openings):
    asked = [question for seed in range(30) for question in few(text, seed=seed)]
    asked = [re.sub("exactly ", "", question, flags=re.IGNORECASE).lower() for question in asked]
    assert all(any(question.startswith(opening.lower()) for question in asked) for opening in openings), set(asked)


@pytest.mark.parametrize(
    ("text", "decided"),
    [
        ("The council sold the ferry to the yard on the Osse in May.", True),
        ("Mildred Fenn sells tickets for the ferry at the yard on the Osse.", False),
        ("The storm gave the people at the yard on the Osse a fright in May.", False),
    ],
)
def test_decisions_are_asked_for_where_one_was_taken(text, decided):
    assert any("decision" in draft.text for draft in drafts(clause(text))) is decided


def test_no_two_in_scope_questions_ask_for_the_same():
    questions = few(LED)
    assert len(questions) == len(set(questions)) > 1


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
    fitted = fit(text)
    assert fitted is None or SHORTEST <= len(fitted.split()) <= LONGEST
    assert fitted or words > LONGEST or words < SHORTEST


def test_fitting_never_loses_what_is_needed():
    text = "when did the town pay for the gates and for the lock in Dray over the years of the long dispute with Fenn"
    assert fit(text) and "Fenn" not in fit(text)
    assert fit(text, {"Fenn"}) is None


@pytest.mark.parametrize(
    ("claim", "expected"),
    [
        ("Mildred Fenn was advised by Orlo Bray to sell ice cream to tourists.", None),
        ("The council was advised by Orlo Bray to sell the old lock on the canal to Dray.", "advice|advised"),
        ("It was the wish of Orlo Bray that the Quarrel Lock should open again on 3 May 2025.", "wish|request"),
        (
            "Orlo Bray complained in June that the canal museum paid 40 marks for the gates.",
            "complained",
        ),
    ],
)
def test_what_a_claim_invents_is_asked_for(text, claim, expected):
    text += " The council sold the old lock on the canal to Dray. The canal museum paid 40 marks for the gates."
    asked = {out_of_scope(claim, read(text), random.Random(seed)) for seed in range(10)}
    assert asked == {None} if expected is None else all(re.search(expected, question) for question in asked), asked


def test_what_the_text_tells_is_not_asked_for(text):
    claim = "The council was advised by Orlo Bray to sell the old lock on the canal to Dray."
    told = f"{text} The council sold the old lock on the canal to Dray. It was the advice of Wilma Tosk."
    assert out_of_scope(claim, read(told), random.Random(0)) is None


@pytest.mark.parametrize("seed", range(20))
def test_most_words_of_an_out_of_scope_question_are_those_of_its_text(text, seed):
    gaps = {1: "(missing)", 2: "The town of Dray paid 600,000 marks for the old lock on the Osse canal."}
    claim = recover(gaps, random.Random(seed))[1]
    question = out_of_scope(claim, read(text), random.Random(seed))
    have = {word.lower() for word in re.findall(r"\w+", text)}
    assert question is None or sum(word.lower() in have for word in re.findall(r"\w+", question)) >= 7, question
