"""Figures of the paper from a study set of numbers, counted one by one."""

import json
from types import SimpleNamespace

import numpy as np
import pytest
from scipy.stats import ks_2samp

from ragassay.studies.relevance import calibration
from ragassay.studies.relevance.searched_queries import FAR, HELD_OUT, NEAR
from ragassay.studies.relevance.statistics import Setting, mss
from ragassay.studies.relevance.trials import SYNTHETIC, TRUE
from scripts.relevance import measure_relevance
from scripts.relevance.measure_relevance import BINS, HIGHEST, LOWEST, TRIALS, WINDOW


def asked(name, count, mean, seed):
    scores = -np.sort(-np.random.default_rng(seed).normal(mean, 0.1, (count, 6)), axis=1)
    keys = np.array([f"query {name} {at}" for at in range(count)])
    return SimpleNamespace(name=name, ids=list(range(count)), keys=keys, nearest=lambda retriever, k: scores[:, :k])


@pytest.fixture
def study_set():
    options = SimpleNamespace(
        k=4, retriever="dense", searching=["dense"], alpha=0.05, p_values="conformal",
        setting=lambda name: Setting(name, 4, 1.0),
    )  # fmt: skip
    known, unknown = asked("known", 130, 0.6, 0), [(NEAR, asked("a", 40, 0.5, 1)), (FAR, asked("b", 30, 0.2, 2))]
    unknown.append((FAR, asked("c", 25, 0.1, 3)))
    return SimpleNamespace(
        name="one", options=options, known=known, unknown=unknown, synthetic=asked("made", 18, 0.6, 4),
        pairs=lambda: [(HELD_OUT, known, unknown[0][1]), (FAR, known, unknown[1][1])],
    )  # fmt: skip


def values(study_set, statistic):
    of = study_set.options.setting(statistic).of
    parts = {TRUE: [study_set.known], SYNTHETIC: [study_set.synthetic]}
    parts |= {kind: [queries for name, queries in study_set.unknown if name == kind] for kind in (NEAR, FAR)}
    return {kind: np.concatenate([of(part.nearest("dense", 4)) for part in some]) for kind, some in parts.items()}


def test_figure_2_has_shares_in_even_bins_and_critical_values_of_enough_queries(study_set):
    rows = [row | json.loads(row["keys"]) for row in measure_relevance.figure_2(study_set)]
    energies = values(study_set, "energy")
    low, high = min(map(np.min, energies.values())), max(map(np.max, energies.values()))
    for kind, of_kind in energies.items():
        drawn = [row for row in rows if row["metric"] == kind.replace("-", "_")]
        assert len(drawn) == BINS and {row["n"] for row in drawn} == {len(of_kind)}
        for at, row in enumerate(drawn):
            start, end = (low + (high - low) * number / BINS for number in (at, at + 1))
            assert row["energy"] == f"{start:.6f}"
            inside = [start <= value < end or (at == BINS - 1 and value == high) for value in of_kind]
            assert row["value"] == pytest.approx(np.mean(inside))
    critical = [row for row in rows if row["table"] == "figure_2_critical"]
    expected = calibration.critical_value(energies[TRUE], 0.05)
    assert [(row["critical_value"], row["value"], row["n"]) for row in critical] == [(TRUE, expected, 130)], (
        "18 are few"
    )
    without = SimpleNamespace(**vars(study_set) | {"synthetic": asked("made", 19, 0.6, 4), "unknown": []})
    rows = list(measure_relevance.figure_2(without))
    assert len([row for row in rows if row["table"] == "figure_2_critical"]) == 2
    assert {row["value"] for row in rows if row["metric"] in (NEAR, FAR)} == {None}


@pytest.mark.parametrize("first", [True, False])
def test_figures_6_to_8_have_shares_in_standard_units_of_in_knowledge_queries(study_set, first):
    rows = [row | json.loads(row["keys"]) for row in measure_relevance.figure_6_7(study_set, first)]
    assert {row["table"] for row in rows} == {"figure_6" if first else "figure_7"}
    width = (HIGHEST - LOWEST) / BINS
    for statistic, label in (("mss", "MSS"), ("energy", "Energy")):
        of_kinds = values(study_set, statistic)
        inside = of_kinds[TRUE]
        for kind, of_kind in of_kinds.items():
            standard = [min(max((value - inside.mean()) / inside.std(), LOWEST), HIGHEST) for value in of_kind]
            places = [min(int((value - LOWEST) / width), BINS - 1) for value in standard]
            drawn = [row for row in rows if (row["statistic"], row["queries"]) == (label, kind)]
            assert [row["value"] for row in drawn] == pytest.approx(
                [places.count(at) / len(places) for at in range(BINS)]
            )
            assert [row["at"] for row in drawn] == [f"{LOWEST + at * width:+.1f}" for at in range(BINS)]
    fisher = [row["value"] for row in rows if (row["statistic"], row["queries"]) == ("Fisher", TRUE)]
    reference = calibration.combinations(study_set.known.nearest("dense", 4), study_set.known.nearest("dense", 4))
    reference = reference["fisher"][0]
    standard = np.clip((reference - reference.mean()) / reference.std(), LOWEST, HIGHEST)
    assert fisher == pytest.approx(np.histogram(standard, np.linspace(LOWEST, HIGHEST, BINS + 1))[0] / 130)
    assert {row["n"] for row in measure_relevance.figure_8(study_set)} == {130, 18, 40, 55}


def test_figure_5_mixes_windows_of_fifty_and_counts_what_the_test_rejects(study_set):
    rows = [row | json.loads(row["keys"]) for row in measure_relevance.figure_5(study_set, 5)]
    assert {(row["at"], row["set"], row["window"]) for row in rows} == {("0", HELD_OUT, "40"), ("1", "b", "30")}
    inside, outside = (
        study_set.options.setting("energy").of(queries.nearest("dense", 4))
        for queries in (study_set.known, study_set.unknown[0][1])
    )
    dice = np.random.default_rng(5)
    drawn = [inside[dice.choice(130, 80, replace=False)] for _ in range(TRIALS)]
    dice = np.random.default_rng(6)
    others = [outside[dice.choice(40, 40, replace=False)] for _ in range(TRIALS)]
    for tenths in (0, 7, 10):
        count = 4 * tenths
        p = [
            ks_2samp(one[:40], [*one[40 : 40 + count], *other[count:]], method="exact").pvalue
            for one, other in zip(drawn, others, strict=True)
        ]
        of_ratio = {row["metric"]: row for row in rows if (row["set"], row["ratio"]) == (HELD_OUT, f"{tenths / 10}")}
        assert of_ratio["rejected"]["value"] == pytest.approx(np.mean(np.array(p) <= 0.05), abs=0.003)
        assert of_ratio["p_value"]["value"] == pytest.approx(np.median(p)) and of_ratio["p_value"]["n"] == TRIALS
        assert of_ratio["rejected"]["low"] <= of_ratio["rejected"]["value"] <= of_ratio["rejected"]["high"]
    large = SimpleNamespace(**vars(study_set) | {"pairs": lambda: [(FAR, study_set.known, asked("x", 90, 0, 1))]})
    assert {json.loads(row["keys"])["window"] for row in measure_relevance.figure_5(large, 0)} == {str(WINDOW)}


def test_the_interval_of_figure_5_allows_for_other_documents_and_not_for_other_queries_alone(study_set):
    """Ten queries about each document that are all alike make the interval wider than as many about others."""
    widths = []
    for about in (10, 1):
        pair = [asked("known", 13, 0.6, 0), asked("a", 6, 0.5, 1)]
        for queries in pair:
            scores = np.repeat(queries.nearest("dense", 6), 10, axis=0)
            queries.ids = list(range(len(scores)))
            queries.keys = np.array([f"{queries.name} {at // about}" for at in queries.ids])
            queries.nearest = lambda retriever, k, scores=scores: scores[:, :k]
        alike = SimpleNamespace(**vars(study_set) | {"pairs": lambda pair=pair: [(NEAR, *pair)]})
        rows = [row for row in measure_relevance.figure_5(alike, 0) if row["metric"] == "rejected"]
        widths.append(np.mean([row["high"] - row["low"] for row in rows]))
    assert widths[0] > 1.5 * widths[1], widths


def test_figure_3_stands_beside_the_answers_of_the_same_corpus_and_retriever():
    def row(metric, table="figure_3", **keys):
        return {"table": table, "metric": metric, "keys": json.dumps(keys)}

    figure_3 = [row(metric, corpus=corpus, retriever=retriever, set="s") for metric in ("auroc", "recall")
                for corpus in "ab" for retriever in "xy"]  # fmt: skip
    answers = [row("accuracy", "accuracy", corpus="a", retriever="y", responder="m")]
    found = list(measure_relevance.figure_3_answers(figure_3, answers))
    assert [one["metric"] for one in found] == ["auroc", "accuracy", "recall"]
    expected = {"corpus": "a", "responder": "m", "retriever": "y", "set": "s"}
    assert all(json.loads(one["keys"]) == expected and one["table"] == "figure_3_answers" for one in found)


def test_the_setting_of_a_figure_takes_the_first_k():
    scores = np.array([[0.9, 0.5, 0.1]])
    assert Setting("knn", 2, 1.0).of(scores) == [-0.5] and mss(scores) == [-0.9]
