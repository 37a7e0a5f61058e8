"""measure_detectors: detectors, baselines and judges on the same questions, without those that were trained on."""

import pytest

from described import shown
from ragassay.base import tables
from ragassay.schemas.documents import DOCUMENTS
from ragassay.schemas.hardness import HARDNESS_SCORES
from ragassay.schemas.people import GOLD, HUMAN_LABELS
from ragassay.schemas.scope_answers import PREDICTIONS
from ragassay.schemas.scope_questions import SCOPE_LABELS, SELECTED_QUESTIONS
from rows import metrics_of, place, row, written
from scripts.detectors.measure_detectors import measure_detectors


def moved(study, table, **keys):
    """A table of the study, where its path says that it lies."""
    path = place(study.folder, table, **keys)
    path.parent.mkdir(parents=True)
    return study.path(f"{table.name}.parquet").rename(path)


@pytest.fixture(scope="module")
def measured(new_study, tmp_path_factory):
    """The predictions of one detector, and all metrics by table, keys and name; the judge is right but for one tie."""
    study, places = new_study(tmp_path_factory.mktemp("measured")), {}
    for kind in ("sentence_pair", "question_alone", "overlap"):
        settings = study.settings(kind)
        study.train(settings, f"detectors/{kind}/e/g/j")
        made = study.apply(settings, f"detectors/{kind}/e/g/j")
        places[kind] = study.path(f"predictions/{kind}/e/g/j/g/s.parquet")
        places[kind].parent.mkdir(parents=True)
        made.replace(places[kind])
    rows = tables.read(PREDICTIONS, places["overlap"]).to_pylist()
    pairs = tables.read(PREDICTIONS, places["sentence_pair"]).to_pylist()
    unread = next(one["question_id"] for one in rows if one["part"] == "test")
    for one in pairs:
        if one["question_id"] == unread:
            one |= dict.fromkeys(("score", "probability", "out_of_scope")) | {"reason": "too_long"}
    states = study.path("predictions/states/e/g/j/g/s.parquet")
    tables.write(PREDICTIONS, states, pairs)
    labels = [{"question_id": one["question_id"], "doc_id": one["doc_id"], "label": one["intended"]} for one in rows]
    labels[0]["label"] = "tie"
    labels.append({"question_id": "q-mine", "doc_id": "doc-00", "label": "out_of_scope"})
    judged = [
        written(study.folder, SCOPE_LABELS, [row(SCOPE_LABELS, judge=judge, **one) for one in own], judge=judge)
        for judge, own in (("j", labels), ("k", labels[-1:]))
    ]
    hard = [row(HARDNESS_SCORES, question_id=one["question_id"], hard=one["doc_id"] < "doc-15") for one in rows]
    same = {"task": "scope", "label": "in_scope"}
    settled = [
        row(GOLD, item_id=one["question_id"], question_id=one["question_id"], doc_id=one["doc_id"], **same)
        for one in rows
    ]
    votes = {"question_id": "q-mine", "doc_id": "doc-00", "task": "scope", "annotator": "ann", "label": "out_of_scope"}
    pair = {"generator": "g", "judge": "j"}
    files = {
        "documents": moved(study, DOCUMENTS),
        "selected_questions": moved(study, SELECTED_QUESTIONS, **pair),
        "hardness_scores": written(study.folder, HARDNESS_SCORES, hard, **pair),
        "gold": written(study.folder, GOLD, settled, **pair),
        "human_labels": written(study.folder, HUMAN_LABELS, [row(HUMAN_LABELS, **votes)], question_set="mine"),
    }
    measure_detectors(
        **{name: [path] for name, path in files.items()},
        scope_labels=judged,
        training=[study.path(f"detectors/{kind}/e/g/j/training.parquet") for kind in places],
        predictions=[*places.values(), states],
        metrics=study.path("metrics.parquet"),
        generator="g",
        asked_models=["j"],
        resamples=20,
        seed=0,
    )
    for name in ("detectors", "detectors_numbers", "detectors_gold"):
        assert shown(name, study.path("metrics.parquet"))[1] == []
    return rows, metrics_of(study.path("metrics.parquet"), "role")


def test_only_documents_count_that_no_detector_was_made_with(measured):
    rows, found = measured
    left_out = [one for one in rows if one["part"] == "test"]
    own = found["figure_1", "g", "overlap control (e)", "all", "g", "accuracy"]
    assert own["n"] == len(left_out) > 0
    right = sum(one["out_of_scope"] == (one["intended"] == "out_of_scope") for one in left_out)
    assert own["value"] == pytest.approx(right / own["n"])
    assert own["low"] <= own["value"] <= own["high"]


def test_documents_that_test_are_counted(measured):
    rows, found = measured
    left_out = [one for one in rows if one["part"] == "test"]
    own = found["tested", "g", "documents"]
    assert (own["value"], own["n"]) == (len({one["doc_id"] for one in left_out}), len(left_out))


def test_every_detector_stands_beside_judges_and_both_controls(measured):
    _, found = measured
    judge = found["figure_1", "g", "j, asked directly", "all", "g", "accuracy"]
    assert judge["value"] == 1.0
    for name in ("sentence_pair (e)", "sentence_pair (e), regression"):
        own = found["figure_1", "g", name, "all", "g", "accuracy"]["value"]
        for over, control in (("over_overlap", "overlap control (e)"), ("over_question", "question alone (e)")):
            beside = found["figure_1", "g", name, "all", "g", over]["value"]
            assert beside == pytest.approx(own - found["figure_1", "g", control, "all", "g", "accuracy"]["value"])


def test_gold_is_what_people_say_and_only_of_documents_that_are_new(measured):
    rows, found = measured
    left_out = [one for one in rows if one["part"] == "test"]
    own = found["figure_1_gold", "g", "overlap control (e)", "g", "accuracy"]
    assert own["n"] == len(left_out) and own["value"] == pytest.approx(
        sum(not one["out_of_scope"] for one in left_out) / len(left_out)
    )
    judge = found["figure_1_gold", "g", "j, asked directly", "g", "accuracy"]
    assert judge["value"] == pytest.approx(0.5) and judge["low"] <= 0.5 <= judge["high"]
    assert found["topics_gold", "g", "j, asked directly", "food", "g", "accuracy"]["n"] == judge["n"]


def test_a_set_without_detectors_is_measured_for_judges_alone(measured):
    _, found = measured
    for judge in ("j, asked directly", "k, recorded"):
        assert found["figure_1_gold", "mine", judge, "(nothing)", "accuracy"]["value"] == 1
    assert not [key for key in found if key[:2] == ("figure_1_gold", "mine") and "overlap control (e)" in key]


def test_who_says_nothing_of_the_questions_is_not_beside_them(measured):
    _, found = measured
    assert not [key for key in found if key[0] == "figure_1" and "k, recorded" in key]


def test_curve_topics_and_reliability_are_told(measured):
    _, found = measured
    twice = ("figure_1", "topics", "calibration", "reliability")
    assert {key[0] for key in found} == {"learning_curve", "tested", *twice, *(f"{name}_gold" for name in twice)}
    assert ("topics", "overlap control (e)", "food", "accuracy") in found
    on_gold = [key for key in found if key[0] == "reliability_gold" and key[-1] == "observed"]
    assert on_gold and all(found[key]["value"] == 0 for key in on_gold)  # people say that all are in scope
    assert found["calibration_gold", "g", "overlap control (e)", "g", "expected_error"]["value"] > 0.2
    shares = {key[1] for key in found if key[0] == "learning_curve" and "overlap control (e)" in key}
    assert len(shares) == 2
    bins = {key[1:-1]: row for key, row in found.items() if key[0] == "reliability" and key[-1] == "observed"}
    assert any(row["low"] is None for row in bins.values()), "bins with questions on one document"
    bins = {key: row for key, row in bins.items() if row["low"] is not None}
    assert bins and all(0 <= row["low"] <= row["value"] <= row["high"] <= 1 for row in bins.values())
    assert all(row["low"] < row["value"] < row["high"] for row in bins.values() if 0.2 < row["value"] < 0.8)


def test_a_question_that_a_detector_could_not_read_is_an_abstention(measured):
    rows, found = measured
    left_out = sum(one["part"] == "test" for one in rows)
    for name in ("states (e)", "states (e), regression"):
        for metric in ("accuracy", "auroc"):
            own = found["figure_1", "g", name, "all", "g", metric]
            assert (own["n"], own["abstained"]) == (left_out - 1, 1)
    binned = [row for key, row in found.items() if key[0] == "reliability" and "states (e), regression" in key]
    assert sum(row["n"] for row in binned if row["metric"] == "observed") == left_out - 1
