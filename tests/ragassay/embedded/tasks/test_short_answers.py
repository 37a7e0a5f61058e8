"""Short answers from passages: what is asked for, near the question's words; nothing where the evidence is thin."""

import random

import pytest

from project import ROOT
from ragassay.calls.prompts import Prompt
from ragassay.embedded.reader import respond
from ragassay.embedded.tasks.short_answers import NO_ANSWER, SHORT, reply, short_answer

OUTSIDE = "Which orchestra played for the ministers at the ceremony with fireworks?"
HERONS = "Herons eat fish. They nest in trees."
MUSEUM = [
    "The brick museum in Dunmoor opened on 4 May 1931. Its first director was Olga Trench, a retired surveyor of Pell.",
    "Trench kept the drawings in an iron chest in the cellar, and sold twelve of them for 900 marks in 1940.",
    "The museum is shut on Mondays because the guard, who is 71, goes fishing. A tug brings visitors from the island.",
]


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("When was the museum in Dunmoor opened?", "on 4 May 1931"),
        ("Who was the first to run the brick museum?", "Olga Trench"),
        ("What was Olga Trench's job before?", "a retired surveyor of Pell"),
        ("Where were the drawings kept?", "in the cellar"),
        ("How many of the drawings were sold?", "twelve"),
        ("How much money did the drawings bring?", "900 marks"),
        ("What kind of vessel brings people from the island to the museum?", "A tug"),
        ("Why is the museum shut on Mondays?", "because the guard, who is 71, goes fishing"),
        ("How old is the guard of the museum?", "71"),
        ("What kind of furniture did Trench keep drawings in?", "an iron chest"),
    ],
)
def test_it_names_what_is_asked_for(question, answer):
    assert reply(MUSEUM, question, alone=True) == answer


def test_it_says_so_where_nothing_answers(text):
    assert reply([HERONS, text], OUTSIDE, alone=False) == NO_ANSWER
    assert reply([], "Who?", alone=True) == reply([""], "Who?", alone=True) == NO_ANSWER


@pytest.mark.parametrize("end", ["?", "."])
def test_the_question_itself_is_no_answer(end):
    asked = "Who steered the heron boat"
    assert reply([f"{asked}{end} Ada Vance steered the boat."], f"{asked}?", alone=True) == "Ada Vance"
    assert reply([f"{asked}{end}"], f"{asked}?", alone=True) == NO_ANSWER


def test_what_the_question_names_is_no_answer():
    passage = "Ada Vance and Orlo Bray steered the heron boat together."
    assert reply([passage], "Who steered the heron boat with Ada Vance?", alone=True) == "Orlo Bray"


def test_what_stands_behind_a_preposition_did_nothing():
    assert reply(["A bridge over the river fell in the storm."], "What fell in the storm?", alone=True) == "A bridge"


def test_a_surname_becomes_the_name_that_another_passage_gives():
    passages = ["Vance steered the heron boat.", "Ada Vance lives in Dray, where she mends nets."]
    assert reply(passages, "Who steered the heron boat?", alone=True) == "Ada Vance"


def test_passages_vote():
    said = ["The ferry at Dray carries 40 cars.", "Up to 60 cars fit on the ferry at Dray."]
    question = "How many cars does the ferry at Dray carry?"
    votes = ["At Dray the ferry takes 60 cars.", "Its rival takes 60 cars on the ferry."]
    alone, voted = (short_answer(passages, question).evidence for passages in (said[1:], [*said[1:], *votes]))
    assert alone.votes == 0 and voted.votes > 0


def test_of_a_long_sentence_the_part_with_the_answer_is_said():
    passage = (
        "The lock at Dray was rebuilt by 60 men in two summers; Mildred Fenn, an engineer who had learnt her trade at"
        " the ironworks of Pell and never wore a hat, led the work on the gates, which are of oak."
    )
    said = reply([passage], "Who led the work on the lock at Dray?", alone=False)
    assert said.startswith("Mildred Fenn, an engineer") and len(passage.split()) > SHORT and "summers" not in said
    short = "Mildred Fenn led the work on the lock at Dray."
    assert reply([short], "Who led the work on the lock?", alone=False) == short


def test_samples_differ_where_it_is_close():
    passages = ["Ada Vance and Orlo Bray steered the boat. Orlo Bray and Ada Vance built it."]
    said = {reply(passages, "Who built the heron?", True, random.Random(seed)) for seed in range(40)}
    assert {"Ada Vance", "Orlo Bray"} <= said


@pytest.mark.parametrize(
    ("prompt", "passages", "said"),
    [
        ("respond_lines", f"{HERONS}\nAda Vance steered the heron boat.", "Ada Vance"),
        ("answer_briefly", [HERONS, "Ada Vance steered the heron boat."], "Ada Vance"),
        ("respond_passages", [HERONS, "Ada Vance steered the heron boat."], "Ada Vance steered the heron boat."),
    ],
)
def test_a_prompt_gets_the_answer_alone_if_it_asks_for_that(prompt, passages, said):
    asked = Prompt.load(ROOT / f"resources/prompts/{prompt}.yaml")
    messages = asked.messages(passages=passages, question="Who steered the heron boat?")
    assert respond(messages, {"temperature": 0}) == said
