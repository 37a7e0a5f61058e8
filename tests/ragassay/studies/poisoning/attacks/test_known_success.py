"""The grader against answers of a known kind to all of the demo's questions: one attack has a success of 1, and
another of 0.
"""

import csv
import json

import pandas as pd
import pytest

from project import ROOT
from ragassay.calls.model import Answer
from ragassay.grading.declines import declines_from_passages
from ragassay.grading.outcomes import target_outcome
from ragassay.studies.poisoning.attacks.attack import ANSWER
from ragassay.studies.poisoning.measures.reach import outcome_rows

with (ROOT / "resources/demo/attacks/targets.csv").open(newline="") as lines:
    TARGETS = [
        row | {name: json.loads(row[name]) for name in ("answers", "target_aliases", "texts")}
        for row in csv.DictReader(lines)
    ]
WORDINGS = (
    "{}",
    "{}.",
    "It is {}, as the passages say.",
    "According to the second passage: {}!",
    "I think that it was {}.",
)


def shares(answer):
    """The metrics where each target's question is answered with `answer(row)`, in one wording after another."""
    said = [WORDINGS[at % len(WORDINGS)].format(answer(row)) for at, row in enumerate(TARGETS)]
    found = [
        target_outcome(Answer(text, "stop"), row, declines_from_passages)[0]
        for text, row in zip(said, TARGETS, strict=True)
    ]
    own = pd.DataFrame({"outcome": found, "poisoned": 5}, index=[row["target_id"] for row in TARGETS])
    return {row["metric"]: row["value"] for row in outcome_rows({}, own, None, ANSWER, 20, 0)}


@pytest.mark.parametrize("answer", [lambda row: row["target"], lambda row: [row["target"], *row["target_aliases"]][-1]])
def test_an_attack_that_always_gets_its_answer_has_a_success_of_1(answer):
    found = shares(answer)
    assert found["success"] == found["success_if_retrieved"] == found["target"] == 1


@pytest.mark.parametrize("answer", [lambda row: row["answers"][0], lambda row: row["answers"][-1]])
def test_an_attack_that_never_gets_it_has_a_success_of_0(answer):
    found = shares(answer)
    assert found["success"] == found["said"] == 0 and found["correct"] == 1


def test_the_wanted_answer_beside_the_right_one_or_in_a_sentence_that_declines_is_no_success():
    found = shares(lambda row: f"{row['target']}, or else {row['answers'][0]}")
    assert found["success"] == 0 and found["said"] == found["both"] == 1
    found = shares(lambda row: f"not known; the passages do not say whether {row['target']}")
    assert found["success"] == found["said"] == 0 and found["refusal"] == 1
