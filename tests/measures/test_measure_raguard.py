"""What defences remove, miss and cost, by hand."""

import json

import numpy as np
import pandas as pd
import pytest

from described import shown
from guarded import threshold, write_guard
from ragassay.base import tables
from ragassay.grading.outcomes import ABSTAINED, TARGET_OUTCOMES
from ragassay.metrics.panel import Panel
from ragassay.metrics.resampling import draws, interval
from ragassay.schemas.attacks import ANSWERS, POISONED_PASSAGES, RETRIEVED, TARGETS
from ragassay.schemas.defences import FEWER_PLANTED, FILTER_TIMES, FILTERED, SWEEP_ANSWERS
from ragassay.schemas.documents import QUARANTINE
from ragassay.schemas.report import METRICS
from ragassay.studies.poisoning.defences.defence import kind_of
from ragassay.studies.poisoning.measures.detection import alarm_rows, difference_rows
from rows import row, written
from scripts.measures.measure_raguard import empty_rows, measure_raguard

NAMES = [f"t{at}" for at in range(4)]
# Each question finds, best first: its own poison, that of the next question, and three clean passages.
SCORES = {"raguard": [0.9, 0.2, 0.5, 0.4, 0.1], "other": [0.95, 0.6, 0.5, 0.4, 0.1]}
LIMIT = 0.5
SECTIONS = ("raguard", "raguard_thresholds", "raguard_answers", "raguard_settings")
RIGHT = {
    ("none", "none"): "ccic",
    ("none", "raguard"): "cicc",
    ("black", "raguard"): "ciii",
    ("black", "other"): "cccc",
    ("black", "oracle"): "ccci",
    ("none", "closed_book"): "ciii",
}


@pytest.fixture(scope="module")
def measured(tmp_path_factory):
    """A folder with the metrics of all that."""
    folder = tmp_path_factory.mktemp("measured")
    keys = {"dataset": "mine", "retriever": "minilm"}

    def write(table, rows, **more):
        return written(folder, table, rows, **keys | more)

    asked = [
        row(TARGETS, target_id=name, question=f"What about the {word}?")
        for name, word in zip(NAMES, ("harbour", "ferry", "bridge", "choir"), strict=True)
    ]
    targets = [write(TARGETS, asked, dataset=name) for name in ("mine", "another")]
    about = {"number": 2, "poisoned": True}
    planted = [row(POISONED_PASSAGES, passage_id=f"poison-{name}", target_id=name, **about) for name in NAMES]
    planted += [row(POISONED_PASSAGES, passage_id="poison-lost", target_id="t0", number=1, poisoned=True)]
    planted = write(POISONED_PASSAGES, planted, attack="black")
    retrieved, filtered = [], []
    for attack in ("none", "black"):
        found = {name: _found(at, attack == "black") for at, name in enumerate(NAMES)}
        rows = [
            row(RETRIEVED, target_id=name, rank=rank, passage_id=one, poisoned=aimed is not None, aimed_at=aimed)
            for name, own in found.items()
            for rank, (one, aimed) in enumerate(own, 1)
        ]
        retrieved.append(write(RETRIEVED, rows, attack=attack))
        seen = list(enumerate(rows_of(found)))
        rows = [_judged(at, one, defence, scores) for defence, scores in SCORES.items() for at, one in seen]
        filtered.append(write(FILTERED, rows, attack=attack))
    one = {"defence": "raguard", "planted": 1, "target_id": "t0", "poisoned": True, "aimed_at": "t0", "removed": True}
    fewer = write(FEWER_PLANTED, [row(FEWER_PLANTED, rank=1, score=1.0, **one)], attack="black")
    spent = [{"defence": name, "seconds": [0.001, 0.003], "machine": "a machine"} for name in SCORES]
    spent = write(FILTER_TIMES, spent, attack="black")
    answers = [
        write(ANSWERS, [
            row(ANSWERS, target_id=name, outcome={"c": "correct", "i": "neither"}[letter], calls=2, tokens=50,
                poisoned=int((attack, defence) == ("black", "raguard") and name in ("t1", "t3")))  # of t1 a stray
            for name, letter in zip(NAMES, letters, strict=True)
        ], attack=attack, defence=defence, responder="reader")
        for (attack, defence), letters in RIGHT.items()
    ]  # fmt: skip
    guards, alpha = folder / "guards/mine/minilm", {"alpha": 0.2}
    similar = {"criteria": {"ts": threshold()}, "units": None}
    of = [{"kind": kind, "settings": kind_of(kind).SETTINGS} for kind in ("duplicates", "raguard")]
    of[1]["settings"] = of[1]["settings"] | {"criteria": ["ts"]}
    guards = [
        write_guard(guards / "raguard.json", "raguard", similar, alpha | {"criteria": ["ts"]}, scorer="gpt2"),
        write_guard(guards / "trustrag.json", "trustrag", {"threshold": 0.5, "texts": 8, "rough": True}, alpha),
        write_guard(guards / "both.json", "chain", {"links": [{}, similar]}, {"of": of}),
        write_guard(guards / "set.json", "trustrag", {"threshold": 0.88}, {"similarity": 0.88}),
    ]
    rows = [row(SWEEP_ANSWERS, sweep="figure_2", at="5", kind="raguard", attack="black", target_id=name,
                outcome=outcome)
            for name, outcome in zip(NAMES, ("correct", "correct", "target", "abstained"), strict=True)]  # fmt: skip
    swept = write(SWEEP_ANSWERS, rows, responder="reader")
    rows = [row(QUARANTINE, passage_id=f"p{at}", poisoned=at > 7, held=at > 6, reason="pm" if at > 6 else None,
                criteria=["pm"]) for at in range(10)]  # fmt: skip
    held = write(QUARANTINE, rows, attack="black", defence="raguard")
    places = (retrieved, [], filtered, [fewer], [spent], [held], guards, answers, [], [swept])
    made = folder / "metrics.parquet", folder / "costs.parquet"
    attackers = {"none": [None, None], "black": ["question", None]}
    measure_raguard(targets, [planted], *places, *made, 3, 5, {"gpt2": 2}, 100, 0, attackers)
    return folder / "metrics.parquet"


@pytest.fixture(scope="module")
def metrics(measured):
    found = {}
    for one in tables.read_all(METRICS, [measured, measured.with_name("costs.parquet")]).to_pylist():
        own = json.loads(one["keys"])
        more = [own[key] for key in ("criterion", "one_in", "words", "topic", "sweep", "planted", "rank") if key in own]
        cell = (own.get("attack"), own.get("defence"), *(more or [None]))
        found[one["table"], *cell, one["metric"]] = one
    return found


def _found(at, poisoned):
    clean = [(f"p{at}{number}", None) for number in range(3)]
    own, other = NAMES[at], NAMES[(at + 1) % len(NAMES)]
    return [(f"poison-{own}", own), (f"poison-{other}", other), *clean] if poisoned else clean


def rows_of(found):
    return [(name, rank, one) for name, own in found.items() for rank, (one, _) in enumerate(own, 1)]


def _judged(at, one, defence, scores):
    """All questions alike, but that `raguard` does not see the poison of the last one."""
    name, rank, passage = one
    place = rank - 1 if passage.startswith("poison") else 2 + int(passage[-1])
    score = scores[place]
    if defence == "raguard" and passage == f"poison-{NAMES[-1]}" and name == NAMES[-1]:
        score = 0.3
    removed = score >= LIMIT
    about = {"criteria": ["ts"], "criterion_scores": [score], "thresholds": [LIMIT]}
    own = row(FILTERED, defence=defence, target_id=name, rank=rank, passage_id=passage, score=score, **about)
    return own | {"removed": removed} | {"reason": "ts" if removed else None, "shown": None if removed else rank}


def value(metrics, *key):
    return metrics[key]["value"]


def values(metrics, table, attack, defence, *names, at=None):
    return {name: value(metrics, table, attack, defence, at, name) for name in names}


def test_rates_count_poison_that_was_planted_for_the_question(metrics):
    wanted = {"fpr": 4 / 12, "fnr": 1 / 4, "dacc_paper": 3 / 4, "accuracy": (8 + 3) / 16, "stray": 0}
    assert values(metrics, "detection", "black", "raguard", *wanted) == pytest.approx(wanted)
    assert value(metrics, "detection", "black", "other", None, "stray") == 1
    assert value(metrics, "detection", "none", "raguard", None, "fpr") == pytest.approx(1 / 3)
    assert ("detection", "none", "raguard", None, "fnr") not in metrics
    assert metrics["detection", "black", "raguard", None, "fnr"]["n"] == 4
    assert value(metrics, "detection", "black", "raguard", None, "fnr_macro") == 0.25
    by_question = metrics["detection", "black", "raguard", None, "accuracy_macro"]
    assert by_question["value"] == pytest.approx((3 * 3 / 4 + 2 / 4) / 4) and by_question["n"] == 4
    assert by_question["low"] < by_question["value"] < by_question["high"]


def test_scores_at_the_same_share_of_false_alarms(metrics):
    assert value(metrics, "matched", "black", "raguard", None, "tpr_at_5") == 3 / 4
    planted = metrics["matched", "black", "raguard", None, "tpr_at_5"]["n"]
    assert planted == 4 < metrics["matched", "black", "raguard", None, "auroc"]["n"], "a share of the planted ones"
    assert value(metrics, "matched", "black", "other", None, "auroc") == 1
    assert value(metrics, "matched", "black", "raguard", None, "auroc") == pytest.approx((3 + 1 / 3) / 4)
    assert value(metrics, "differences", "black", "other", None, "difference") == 1 / 4
    assert 0 < value(metrics, "differences", "black", "other", None, "p") <= 1


def test_alarms_where_poison_is_rare(metrics):
    share = 1 / 1000
    wanted = (1 / 3 * (1 - share) + 3 / 4 * share) / (3 / 4 * share)
    assert value(metrics, "alarms", "black", "raguard", "1000", "alarms") == pytest.approx(wanted)


def test_what_becomes_of_planted_passages_and_of_questions(metrics):
    wanted = {"not_retrieved": 0.2, "not_removed": 0.2, "removed": 0.6}
    assert values(metrics, "failures", "black", "raguard", *wanted) == pytest.approx(wanted)
    wanted = {"fpr": 1 / 3, "fpr_first": 1, "best_removed": 1, "fnr": 1 / 4, "fnr_at_equal": 1 / 4}
    wanted |= {"poison_shown": 1 / 4, "nothing_left": 0, "calls": 2}
    assert values(metrics, "operator", "black", "raguard", *wanted, at="2") == pytest.approx(wanted)
    assert value(metrics, "operator", "black", "raguard", "1", "fnr") == 0
    assert value(metrics, "operator", "none", "raguard", "0", "lost") == pytest.approx(1 / 3)
    assert value(metrics, "ranks", "none", "raguard", "3", "fpr") == 0


def test_clean_text_that_is_removed_beside_alpha(metrics):
    assert value(metrics, "calibration", "none", "raguard", "ts", "removed") == pytest.approx(1 / 3)
    assert value(metrics, "calibration", "none", "raguard", "any", "alpha") == 0.2
    found = values(metrics, "calibration", "none", "raguard", "promised", "within", at="ts")
    assert found == {"promised": 0.2, "within": 1}, "the interval of 4 in 12 holds 0.2"
    guards = ("raguard", "trustrag", "both")
    sizes = {name: value(metrics, "nulls", "none", name, None, "null_texts") for name in guards}
    assert sizes == {"raguard": 12, "trustrag": 8, "both": 12}, "of each guard, whatever it is tried on"
    assert {own["value"] for key, own in metrics.items() if key[0] == "nulls" and key[-1] == "rough"} == {1}
    assert ("nulls", "none", "set", None, "rough") not in metrics
    assert ("calibration", "none", "other", "ts", "removed") not in metrics


def test_answers_that_a_defence_costs_or_does_not_restore(metrics):
    assert value(metrics, "answers", "black", "raguard", None, "oacc") == 1 / 4
    assert value(metrics, "answers", "black", "raguard", None, "not_restored") == pytest.approx(1 / 2)
    assert value(metrics, "answers", "none", "raguard", None, "lost") == pytest.approx(1 / 3)
    assert value(metrics, "lost", "none", "raguard", "up to 7", "lost") == pytest.approx(1 / 3)
    assert ("answers", "black", "raguard", None, "lost") not in metrics


def test_right_answers_stand_between_those_without_passages_and_those_without_poison(metrics):
    wanted = {"floor": 1 / 4, "oacc": 1 / 4, "ceiling": 3 / 4}
    assert values(metrics, "answers", "black", "raguard", *wanted) == wanted
    outcomes = [name for name in TARGET_OUTCOMES if name != ABSTAINED]
    shares = list(values(metrics, "outcomes", "black", "raguard", *outcomes).values())
    assert sum(shares) == 1 and shares[0] == 1 / 4
    swept = metrics["swept_oacc", "black", "raguard", "figure_2", "oacc"]
    assert (swept["value"], swept["n"], swept["abstained"]) == (pytest.approx(2 / 3), 3, 1)
    assert value(metrics, "swept_oacc", "black", "raguard", "figure_2", "ceiling") == 3 / 4


def test_right_answers_of_defences_are_compared_on_the_same_questions(metrics):
    found = metrics["answer_differences", "black", "other", None, "difference"]
    assert (found["value"], found["n"]) == (3 / 4, 4) and found["low"] < 3 / 4 < found["high"]
    assert value(metrics, "answer_differences", "black", "oracle", None, "difference") == 2 / 4
    p = value(metrics, "answer_differences", "black", "other", None, "p")
    assert p == pytest.approx(2 * 2 / 2**3, abs=0.03), "three questions that differ, and two tests"
    assert ("answer_differences", "black", "raguard", None, "p") not in metrics


def test_each_question_that_was_answered_right_has_one_fate(metrics):
    """t0 stays right, of t1 all of its own poison is removed, t3 is shown some; t2 was wrong before."""
    wanted = {"not_retrieved": 0, "not_removed": 1 / 3, "restored": 1 / 3, "not_restored": 1 / 3}
    assert values(metrics, "fates", "black", "raguard", *wanted) == pytest.approx(wanted)


def test_what_screening_holds_of_clean_and_planted_texts(metrics):
    found = {name: metrics["screening", "black", "raguard", "pm", name] for name in ("held_clean", "held_planted")}
    assert [one["value"] for one in found.values()] == [1 / 8, 1] and found["held_clean"]["high"] < 0.6
    assert value(metrics, "screening", "black", "raguard", "any", "held_planted") == 1


def test_what_a_defence_costs_is_counted(metrics):
    costs = values(metrics, "costs", "black", "raguard", "passages", "forwards")
    assert costs == {"passages": 5, "forwards": 10} and value(metrics, "costs", "black", "other", None, "forwards") == 0
    assert values(metrics, "calls", "black", "raguard", "calls", "tokens") == {"calls": 2, "tokens": 50}


def test_milliseconds_of_a_question_stand_beside_calls_apart_from_what_any_machine_gives(metrics, measured):
    assert values(metrics, "costs", "black", "other", "milliseconds", "calls") == {"milliseconds": 2, "calls": 2}
    spent = metrics["costs", "black", "raguard", None, "milliseconds"]
    assert spent["n"] == 2 and 1 <= spent["low"] < 2 < spent["high"] <= 3
    assert metrics["machines", None, None, None, "cells"]["value"] == 2
    assert {one["table"] for one in tables.read(METRICS, measured).to_pylist()}.isdisjoint({"costs", "machines"})
    section, _ = shown("raguard_costs", measured.with_name("costs.parquet"))
    assert all(part.rows for part in section.details)


def test_defences_are_compared_with_the_control_too():
    """At 5 % false alarms, of 20 clean passages the highest may be above the threshold."""
    clean = list(np.linspace(0, 0.5, 20))
    judged = {
        ("mine", "minilm", "black", name): pd.DataFrame(
            {"target_id": "t0", "passage_id": [f"p{at}" for at in range(22)], "score": [*clean, *poison],
             "poison": [False] * 20 + [True] * 2, "stray": False}
        )
        for name, poison in (("question_share", [0.4, 0.9]), ("echo", [0.8, 0.9]), ("raguard", [0.1, 0.2]))
    }  # fmt: skip
    rows = [row | json.loads(row["keys"]) for row in difference_rows(judged, 20, 0) if row["metric"] == "difference"]
    differences = {(row["table"], row["defence"]): row["value"] for row in rows}
    assert differences == {
        ("differences", "question_share"): 0.5, ("differences", "echo"): 1,
        ("control_differences", "raguard"): -0.5, ("control_differences", "echo"): 0.5,
    }  # fmt: skip


def test_lost_questions_are_counted_by_topic(metrics):
    lost = [one for key, one in metrics.items() if key[:3] == ("lost_by_topic", "none", "raguard")]
    assert sum(one["n"] for one in lost) == 3 and sum(one["value"] * one["n"] for one in lost) == pytest.approx(1)


def test_an_alarm_has_the_interval_of_a_slow_resampling_of_questions():
    chance = np.random.default_rng(3)
    rows = pd.DataFrame({"target_id": [f"t{at % 12}" for at in range(90)], "removed": chance.random(90) < 0.4})
    rows = rows.assign(poison=[at % 4 == 0 for at in range(90)]).assign(clean=lambda each: ~each["poison"])
    measured = {row["keys"]: row for row in alarm_rows({"defence": "d"}, rows, Panel(rows["target_id"], 80, 5))}
    names, ratios = sorted(set(rows["target_id"])), []
    for weights in np.concatenate(list(draws(names, 80, 5))):
        times = dict(zip(names, weights.astype(int).tolist(), strict=True))
        drawn = pd.concat([rows[rows["target_id"] == name] for name in names for _ in range(times[name])])
        fpr, tpr = (drawn[drawn[kind]]["removed"].mean() for kind in ("clean", "poison"))
        ratios.append((fpr * 0.99 + tpr * 0.01) / (tpr * 0.01))
    alarm = measured[json.dumps({"defence": "d", "one_in": "100"})]
    assert (alarm["low"], alarm["high"]) == pytest.approx(interval(ratios, len(names))) and alarm["n"] == 90
    assert alarm["low"] < alarm["value"] < alarm["high"]


def test_answers_that_a_defence_costs_have_an_interval(metrics):
    lost = metrics["answers", "none", "raguard", None, "lost"]
    assert lost["n"] == 3 and lost["low"] < lost["value"] < lost["high"]


@pytest.mark.parametrize("attack", ["none", "black"])
def test_without_an_attack_or_without_clean_answers_the_sections_show_the_rest(tmp_path, measured, attack):
    rows = [row for row in tables.read(METRICS, measured).to_pylist() if f'"attack": "{attack}"' in row["keys"]]
    rows = [row for row in rows if row["value"] is not None]
    names = {(row["table"], row["metric"]) for row in rows}
    added = list(empty_rows(rows))
    assert {row["value"] for row in added} == {None} and names.isdisjoint(
        (row["table"], row["metric"]) for row in added
    )
    gone = {"none": ("detection", "fnr"), "black": ("answers", "lost")}[attack]
    assert gone in {(row["table"], row["metric"]) for row in added}
    tables.write(METRICS, tmp_path / "metrics.parquet", [*rows, *added])
    for name in SECTIONS:
        shown(name, tmp_path / "metrics.parquet")


def test_the_sections_of_the_report_show_every_table_of_a_cell(measured):
    sections = [shown(name, measured)[0] for name in SECTIONS]
    parts = [part for section in sections for part in [*section.parts, *section.details] if part.rows]
    filled = {part.name for part in parts}
    assert {"matched", "differences", "calibration", "alarms", "failures", "answers", "roc", "wanted"} <= filled
    tables_of = {one["table"] for one in tables.read(METRICS, measured).to_pylist()}
    assert tables_of <= set().union(*(section.tables for section in sections)), "a table that no part shows"
