"""Nearness, strata and drift by hand."""

import numpy as np
import pytest

from ragassay.search.nearest import unit
from ragassay.studies.scope.strata import _grade, drift, grade, similarity, stratum, stratum_names

LIMITS = [0.4, 0.6]


def test_similarity_is_the_cosine_to_the_claims():
    claims = unit([[3, 0], [1, 1]])
    assert similarity(unit([2, 0]), claims) == pytest.approx((1, (1 + 0.5**0.5) / 2), abs=1e-5)


@pytest.mark.parametrize(
    ("nearness", "name"),
    [(-1, "below 0.40"), (0.39, "below 0.40"), (0.4, "0.40 to 0.60"), (0.6, "from 0.60"), (1, "from 0.60")],
)
def test_each_nearness_has_a_stratum(nearness, name):
    assert stratum(nearness, LIMITS) == name and name in stratum_names(LIMITS)


def rows(per_kind, seed=0):
    """In the nearest stratum the control is blind, in the farthest it sees all; the middle one is all but empty."""
    draw, found = np.random.default_rng(seed), []
    for name, gap, count in (
        ("below 0.40", 1.0, per_kind),
        ("0.40 to 0.60", 0.0, 2),
        ("from 0.60", 0.0, per_kind // 2),
    ):
        for number in range(2 * count):
            score = draw.random() * 0.5 + gap * (number % 2)
            row = {"doc_id": f"doc-{number // 6}", "out_of_scope": number % 2 == 1, "stratum": name, "score": score}
            found.append(row | {"wording": draw.random()})
    return found


def test_a_stratum_is_hard_where_the_control_is_blind():
    far, middle, near, everything = grade(rows(100), LIMITS, 10, 200)
    assert (far["auroc"], far["hard"], far["n_hard"], far["n_out_of_scope"]) == (1.0, False, 0, 100)
    assert near["auroc_high"] <= 0.75 and near["hard"] and near["n_hard"] == 50
    assert middle["grade"] == "undecided" and middle["n_out_of_scope"] == 2  # too few to tell
    assert [row["grade"] for row in (far, near)] == ["easy", "hard"]
    assert everything["stratum"] == "all" and everything["n_hard"] == 50
    assert everything["share"] == pytest.approx(50 / 152)
    assert everything["share_low"] <= everything["share"] <= everything["share_high"] < 0.5
    assert near["auroc_low"] < near["auroc"] < near["auroc_high"]


@pytest.mark.parametrize(("fewest", "grades"), [(50, ["easy", "hard"]), (51, ["easy", "undecided"])])
def test_a_stratum_needs_its_questions_of_both_kinds(fewest, grades):
    far, _, near, everything = grade(rows(100), LIMITS, fewest, 200)
    assert [row["grade"] for row in (far, near)] == grades
    assert (near["n_out_of_scope"], near["n_in_scope"], everything["n_in_scope"]) == (50, 50, 152)


def test_a_stratum_is_also_held_against_all_in_scope():
    given = rows(100)
    near = [row for row in given if row["out_of_scope"] and row["stratum"] == "from 0.60"]
    wins = [(own["score"] > row["score"]) for own in near for row in given if not row["out_of_scope"]]
    assert grade(given, LIMITS, 10, 0)[2]["auroc_against_all"] == pytest.approx(np.mean(wins))


def test_a_stratum_whose_interval_holds_the_limit_is_undecided():
    small, large = (grade(rows(per_kind, seed=1), LIMITS, 5, 200)[2] for per_kind in (16, 400))
    assert small["auroc_low"] < small["auroc"] <= 0.75 < small["auroc_high"] and small["grade"] == "undecided"
    assert not small["hard"] and large["hard"]


def test_a_stratum_that_the_wording_gives_away_is_easy():
    given = [row | {"wording": row["wording"] / 2 + 0.5 * row["out_of_scope"]} for row in rows(100)]
    near = grade(given, LIMITS, 10, 200)[2]
    assert near["auroc_high"] <= 0.75 and near["question_alone"] == 1.0 and near["grade"] == "easy"


@pytest.mark.parametrize(
    ("ends", "name"),
    [
        ([(0.5, 0.75), (0.4, 0.6)], "hard"),
        ([(0.5, 0.751), (0.4, 0.6)], "undecided"),
        ([(0.75, 0.9), (0.4, 0.6)], "undecided"),
        ([(0.4, 0.6), (0.751, 0.9)], "easy"),
        ([(0.4, 0.6), (None, None)], "undecided"),
    ],
)
def test_the_ends_of_both_intervals_grade_a_stratum(ends, name):
    assert _grade([{"low": low, "high": high} for low, high in ends]) == name


def test_without_scores_nothing_is_known_and_nothing_hard():
    found = grade([row | {"score": None} for row in rows(10)], LIMITS, 1, 10)
    assert [(row["auroc"], row["hard"], row["n_out_of_scope"], row["share"]) for row in found] == [
        (None, False, 0, None)
    ] * 4


VECTORS = {"a": np.array([1, 0]), "b": np.array([0, 1]), "c": np.array([0.6, 0.8])}


def test_each_guess_is_compared_with_first_last_and_nearest():
    claims = [{"slot": 1, "text": "a"}, {"slot": 2, "text": "b"}]
    guesses = [(1, 1, "c"), (2, 1, "b"), (2, 2, "b"), (3, 1, "b")]
    rows = [
        {"recovered_id": f"{turn}{slot}", "doc_id": "d", "round": turn, "slot": slot, "text": text}
        for turn, slot, text in guesses
    ]
    names = ("to_original", "to_previous", "to_nearest")
    found = {row["recovered_id"]: tuple(row[name] for name in names) for row in drift(claims, rows, VECTORS)}
    assert found == {"11": (0.6, 0.6, 0.8), "21": (0, 0.8, 1), "22": (1, 1, 1), "31": (0, 1, 1)}
