"""What is left for answers, counted by hand."""

import pandas as pd
import pytest

from ragassay.metrics.panel import Panel
from ragassay.studies.poisoning.measures import costs, detection
from rows import numbers as numbers_of
from scripts.measures import measure_raguard

KEYS = {"dataset": "s", "retriever": "r", "attack": "a", "defence": "d"}


def numbers(rows, *names):
    return numbers_of(rows, "table", *names)


def test_planted_passages_fail_in_retrieval_are_removed_or_stay():
    rows = [
        ("t1", "x1", True, True, None), ("t1", "p1", False, True, None), ("t2", "x2", True, True, None),
        ("t2", "p1", False, False, 1.0), ("t3", "x3", True, False, 1.0), ("t3", "p2", False, True, None),
        ("t4", "p2", False, False, 1.0), ("t4", "p3", False, False, 2.0), ("t4", "x3", False, False, None),
    ]  # fmt: skip
    filtered = pd.DataFrame(rows, columns=["target_id", "passage_id", "poison", "removed", "shown"])
    aimed = pd.DataFrame({"passage_id": [f"x{at}" for at in range(1, 9)]})
    values = numbers(measure_raguard.failure_rows(KEYS, aimed, filtered))
    assert values == {
        ("failures", "not_retrieved"): (5 / 8, 8), ("failures", "not_removed"): (1 / 8, 8),
        ("failures", "removed"): (2 / 8, 8),
    }  # fmt: skip
    assert not list(measure_raguard.failure_rows(KEYS, aimed[:0], filtered))


def test_an_operator_loses_the_best_passages_and_sees_poison():
    """Of t1 nothing is left, t2 is shown a clean passage, t3 poison, and t4 one from below what is looked at."""
    rows = [
        ("t1", 1, "x1", 0.9, True, None), ("t1", 2, "p1", 0.8, True, None),
        ("t2", 1, "p1", 0.7, True, None), ("t2", 2, "p2", 0.1, False, 1.0),
        ("t3", 1, "x3", 0.2, False, 1.0), ("t3", 2, "p3", 0.3, False, 2.0),
        ("t4", 1, "x4", 0.6, True, None), ("t4", 2, "x3", 0.5, True, None), ("t4", 3, "p4", 0.2, False, 1.0),
    ]  # fmt: skip
    filtered = pd.DataFrame(rows, columns=["target_id", "rank", "passage_id", "score", "removed", "shown"])
    planted = filtered["passage_id"].str.startswith("x")
    filtered = filtered.assign(poisoned=planted, aimed_at=filtered["passage_id"].str.replace("x", "t").where(planted))
    looked = detection.marked(filtered[filtered["rank"] <= 2])
    rows = list(detection.operator_rows(KEYS, looked, filtered, 1, Panel(looked["target_id"], 50, 0)))
    assert numbers(rows) == {
        ("operator", "fpr"): (2 / 4, 4), ("operator", "fpr_first"): (1, 1), ("operator", "best_removed"): (2 / 3, 3),
        ("operator", "fnr"): (pytest.approx(1 / 3), 3), ("operator", "fnr_at_equal"): (pytest.approx(2 / 3), 3),
        ("operator", "poison_shown"): (1 / 4, 4), ("operator", "nothing_left"): (1 / 4, 4),
    }  # fmt: skip
    assert all(row["low"] < row["value"] < row["high"] for row in rows if row["metric"] in ("fnr", "poison_shown"))
    by_rank = numbers(detection.rank_rows(KEYS, looked), "rank")
    assert by_rank == {("ranks", "1", "fpr"): (1, 1), ("ranks", "2", "fpr"): (1 / 3, 3)}


def test_the_responder_that_loses_most_stands_beside_what_an_operator_gets():
    rows = [
        measure_raguard.SECTION.row(table, KEYS | {"responder": name}, metric, value, 9)
        for table, metric, by_name in (("answers", "lost", {"x": 0.2, "y": 0.4}), ("calls", "calls", {"x": 3, "y": 1}))
        for name, value in by_name.items()
    ]
    values = numbers(measure_raguard.price_rows(rows, {("s", "a"): 2}), "planted")
    assert values == {("operator", "2", "lost"): (0.4, 9), ("operator", "2", "calls"): (3, 9)}


def test_costs_are_means_over_questions_and_passes():
    filtered = pd.DataFrame({"target_id": ["t1", "t1", "t2"]})
    assert numbers(costs.cost_rows(KEYS, filtered, 2, 4)) == {
        ("costs", "passages"): (1.5, 2), ("costs", "forwards"): (6.0, 2),
    }  # fmt: skip
    assert numbers(costs.cost_rows(KEYS, filtered[:0], 0, 4))["costs", "passages"] == (0, 0)
    answers = pd.DataFrame({"calls": [1.0, 3.0, None], "tokens": [None, None, None]})
    assert numbers(measure_raguard.asking_rows(KEYS, answers)) == {("calls", "calls"): (2, 2)}


def cell(**outcomes):
    return pd.DataFrame({"outcome": outcomes.values(), "poisoned": 0}, index=list(outcomes))


def test_bounds_are_those_of_the_same_questions_whatever_the_attack():
    of = ("s", "r", "a", "d", "m")
    floor = cell(t1="correct", t2="neither", t3="abstained", t5="correct")
    given = {
        ("s", "r", "b", "closed_book", "m"): floor, ("s", "r", "a", "closed_book", "other"): cell(t1="neither"),
        ("s", "r", "none", "none", "m"): cell(t1="neither", t2="neither"), ("s", "x", "a", "oracle", "m"): floor,
    }  # fmt: skip
    targets = pd.Index(["t1", "t2", "t3", "t4"])
    assert numbers(measure_raguard.bound_rows("answers", KEYS, given, of, targets)) == {
        ("answers", "floor"): (1 / 2, 2), ("answers", "ceiling"): (0, 2),
    }  # fmt: skip
    given["s", "r", "a", "oracle", "m"] = cell(t1="correct", t4="correct")
    assert numbers(measure_raguard.bound_rows("answers", KEYS, given, of, targets))["answers", "ceiling"] == (1, 2)
    assert not list(measure_raguard.bound_rows("answers", KEYS, {}, of, targets))


def test_lost_answers_are_those_that_were_right_without_a_defence():
    """By the number of words of their questions, too."""
    lengths = {"t1": 1, "t2": 7, "t3": 8, "t4": 12, "t5": 13, "t6": 2, "t7": 2}
    texts = {name: " ".join(["harbour", "ferry", "bridge", "choir", "storm"][at % 5] for at in range(count))
             for name, count in lengths.items()}  # fmt: skip
    targets = pd.DataFrame({"dataset": "s", "target_id": texts.keys(), "question": texts.values()})
    before = dict.fromkeys(texts, "correct") | {"t6": "neither"}
    after = before | {"t2": "neither", "t5": "target", "t6": "correct", "t7": "abstained"}
    given = {("s", "r", "none", defence, "m"): cell(**outcomes) for defence, outcomes in
             (("none", before), ("d", after))}  # fmt: skip
    rows = [row for row in measure_raguard.answer_rows(given, {}, targets, 0, 0) if '"defence": "d"' in row["keys"]]
    lost = [row for row in rows if row["table"] == "lost"]
    assert numbers(lost, "words") == {
        ("lost", "up to 7", "lost"): (1 / 2, 2), ("lost", "8 to 12", "lost"): (0, 2),
        ("lost", "13 and more", "lost"): (1, 1),
    }  # fmt: skip
    values = numbers([row for row in rows if row["table"] == "answers"])
    assert values["answers", "lost"] == (2 / 5, 5) and values["answers", "oacc"] == (4 / 6, 6)
    assert values["answers", "ceiling"] == (6 / 7, 7) and ("answers", "not_restored") not in values


@pytest.mark.parametrize(("shown", "fate"), [(1.0, "not_removed"), (None, "not_restored")])
def test_without_what_a_defence_looked_at_all_poison_counts_as_shown(shown, fate):
    given = {("s", "r", "none", "none", "m"): cell(t1="correct", t2="correct"),
             ("s", "r", "a", "d", "m"): cell(t1="neither", t2="correct").assign(poisoned=[1, 0])}  # fmt: skip
    targets = pd.DataFrame({"dataset": ["s"] * 2, "target_id": ["t1", "t2"], "question": ["Who?"] * 2})
    values = numbers(
        row for row in measure_raguard.answer_rows(given, {}, targets, 0, 0) if '"attack": "a"' in row["keys"]
    )
    assert values["answers", "not_restored"] == (0, 1) and not [key for key in values if key[0] == "fates"]
    judged = pd.DataFrame({"target_id": ["t1"], "poison": [True], "shown": [shown]})
    rows = measure_raguard.answer_rows(given, {("s", "r", "a", "d"): judged}, targets, 0, 0)
    fates = {key[1]: value for key, (value, _) in numbers(rows).items() if key[0] == "fates"}
    expected = dict.fromkeys(("not_removed", "not_restored", "restored"), 0) | {"not_retrieved": 1 / 2, fate: 1 / 2}
    assert fates == expected
