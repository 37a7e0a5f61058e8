"""What attacks reach, by hand: how much of what is planted is found, also with fewer texts, and the success of answers
of a known kind.
"""

import json

import numpy as np
import pandas as pd
import pytest

from ragassay.studies.poisoning.attacks.attack import ANSWER, DECLINING, ERROR
from scripts.measures.measure_attacks import found_numbers, outcome_rows, sweep_rows

TARGETS, TEXTS, OTHERS, DEEP, K = 6, 4, 30, 40, 5
ASKED = pd.DataFrame(index=[f"t{number}" for number in range(TARGETS)])
PLANTED = [(f"poison-{target}-{number}", target, number) for target in ASKED.index for number in range(1, TEXTS + 1)]
AIMED = pd.DataFrame(PLANTED, columns=["passage_id", "target_id", "number"])


def searched(scores, planted):
    """The best DEEP of clean and planted passages for each target, as rows of the table retrieved."""
    rows = []
    for target in ASKED.index:
        known = [(-score, name) for name, score in scores[target].items() if name in planted or name.startswith("p-")]
        rows += [(target, rank, name) for rank, (_, name) in enumerate(sorted(known)[:DEEP], 1)]
    found = pd.DataFrame(rows, columns=["target_id", "rank", "passage_id"])
    found["poisoned"] = found["passage_id"].str.startswith("poison")
    owners = AIMED.set_index("passage_id")["target_id"]
    return found.assign(aimed_at=found["passage_id"].map(owners))


def test_what_is_left_of_one_search_is_what_a_search_without_the_other_texts_finds():
    dice = np.random.default_rng(0)
    names = [*AIMED["passage_id"], *(f"p-{number}" for number in range(OTHERS))]
    scores = {target: dict(zip(names, dice.normal(size=len(names)), strict=True)) for target in ASKED.index}
    everything = searched(scores, set(names)).sample(frac=1, random_state=0)  # rows may come in any order
    found = {}
    for row in sweep_rows({"attack": "a"}, ASKED, AIMED, everything, K, [1, 2, 9], 0, 0):
        found[json.loads(row["keys"])["texts"], row["metric"]] = row["value"]
    assert {texts for texts, _ in found} == {"1", "2", "4"}, "all that was planted is measured, and no more"
    for texts in (1, 2, 4):
        fewer = AIMED[AIMED["number"] <= texts]
        again = found_numbers(ASKED, fewer, searched(scores, set(fewer["passage_id"])), K).mean()
        assert {name: found[str(texts), name] for name in again.index} == again.to_dict()
    assert found["1", "poisoned"] < found["4", "poisoned"]


NAMES = ["a", "b", "c", "d"]


def cell(*outcomes, poisoned=(5, 5, 0, 1)):
    return pd.DataFrame({"outcome": outcomes, "poisoned": poisoned}, index=NAMES)


CLEAN = cell("correct", "correct", "neither", "refusal", poisoned=(0, 0, 0, 0))


def numbers(own, wants, clean=CLEAN):
    rows = list(outcome_rows({"attack": "mine"}, own, clean, wants, 50, 0))
    assert all(json.loads(row["keys"]) == {"attack": "mine"} for row in rows)
    assert {row["table"] for row in rows} == ({"outcomes", "success"} if wants else {"outcomes"})
    return {row["metric"]: (row["value"], row["n"], row["abstained"]) for row in rows}


@pytest.mark.parametrize(("outcome", "success"), [("target", 1), ("correct", 0), ("both", 0), ("refusal", 0)])
def test_an_attack_that_always_or_never_succeeds_has_a_success_of_one_or_none(outcome, success):
    found = numbers(cell(*[outcome] * 4), ANSWER)
    assert found["success"] == (success, 4, 0) and found["success_if_retrieved"] == (success, 3, 0)
    assert found[outcome][0] == 1 and sum(found[name][0] for name in ("correct", "target", "both", "refusal")) == 1


def test_the_wanted_answer_beside_the_right_one_is_said_and_no_success():
    found = numbers(cell("both", "target", "target", "correct"), ANSWER)
    assert found["success"][0] == 0.5 and found["said"][0] == 0.75
    assert found["success_if_retrieved"] == (pytest.approx(1 / 3), 3, 0)


def test_attacks_without_an_answer_count_questions_that_are_answered_right_without_them():
    found = numbers(cell("refusal", "neither", "refusal", "refusal"), DECLINING)
    assert found["success"] == (0.5, 2, 0) and found["said"] == (None, 0, 0)
    assert numbers(cell("refusal", "neither", "refusal", "refusal"), ERROR)["success"] == (1, 2, 0)
    assert numbers(cell("refusal", "refusal", "refusal", "refusal"), DECLINING, None)["success"] == (None, 0, 0)


def test_an_abstention_is_no_outcome_and_is_counted():
    found = numbers(cell("target", "abstained", "abstained", "correct"), ANSWER)
    assert found["success"] == (0.5, 2, 2) and found["correct"] == (0.5, 2, 2)


def test_only_targets_that_a_success_is_asked_of_count_as_abstained():
    found = numbers(cell("target", "abstained", "abstained", "correct", poisoned=(5, 5, 0, 0)), ANSWER)
    assert found["success_if_retrieved"] == (1, 1, 1), "the third target abstains, but saw no poison"
    found = numbers(cell("refusal", "abstained", "abstained", "abstained"), DECLINING)
    assert found["success"] == (1, 1, 1), "only the first two are answered right without attack"
    assert found["success_if_retrieved"] == (1, 1, 1)


def test_without_attack_there_is_no_success():
    assert not {"success", "said"} & numbers(CLEAN, None).keys()
