"""measure_question_sets: confusion matrices, abstentions beside, the overlap control among the judges."""

import json

import pandas as pd
import pytest

from described import shown
from ragassay.base import tables
from ragassay.base.errors import AssayError
from ragassay.schemas.corpora import NEIGHBOURS, QUERIES
from ragassay.schemas.hardness import OVERLAP
from ragassay.schemas.people import HUMAN_LABELS
from ragassay.schemas.report import METRICS
from ragassay.schemas.scope_answers import DEFUSION_LABELS, PREDICTIONS
from ragassay.schemas.scope_questions import QUESTIONS, SCOPE_LABELS
from ragassay.studies.scope.question_sets import settled
from ragassay.studies.scope.votes import IN, OUT
from rows import metrics_of, place, row, written
from scripts.question_sets.measure_question_sets import CONTROL, UNTYPED, measure_question_sets, set_rows
from scripts.question_sets.measure_question_sets import measured as measured_rows
from study import question

DOCS = 20
DRAWS = {"resamples": 50, "seed": 0}
PROMPTS = ("recorded", "basic")
SAID = {0: "out_of_scope", 1: "in_scope", 2: "tie"}  # of each document's questions: right, right, none


def _searched(folder, asked):
    """Queries of all questions; a retriever finds those in scope at once, the others second."""
    queries, neighbours = [], []
    for asking in asked:
        name, doc = asking["question_id"], asking["doc_id"]
        queries.append(row(QUERIES, query_id=name, passage_id=doc, kind=asking["intended"]))
        ranked = [doc, "other"] if asking["intended"] == "in_scope" else ["other", doc]
        for rank, passage in enumerate(ranked, 1):
            neighbours.append(row(NEIGHBOURS, query_id=name, rank=rank, passage_id=passage, score=-rank))
    keys = {"corpus": "mine", "retriever": "bm25", "query_set": "mine"}
    return {
        table.name: [written(folder, table, rows, **keys)]
        for table, rows in ((QUERIES, queries), (NEIGHBOURS, neighbours))
    }


@pytest.fixture(scope="module")
def measured(tmp_path_factory):
    """Three questions a document; the third is out of scope, and the judge has no side. People think otherwise of the
    first of the first document.
    """
    folder = tmp_path_factory.mktemp("measured")
    asked, labels, overlap, people = [], [], [], []
    for doc in range(DOCS):
        for number, label in SAID.items():
            intended = "in_scope" if number == 1 else "out_of_scope"
            asked.append(question(f"d{doc}", 3 * doc + number, intended) | {"generator": "mine", "slot": number})
            asked[-1]["question_type"] = {0: "near_miss", 2: "far_away"}.get(number)
            same = {name: asked[-1][name] for name in ("question_id", "doc_id")}
            margin = {"out_of_scope": 1.0, "in_scope": -1.0, "tie": 0.0}[label]
            labels.append(row(SCOPE_LABELS, **same, label=label, margin=margin, judge="j"))
            overlap.append(row(OVERLAP, **same, cluster_id=f"c{doc}", missing_words=float(number != 1)))
            if doc == number == 0:
                people.append(row(HUMAN_LABELS, **same, task="scope", annotator="ann", label="in_scope"))
    answered = []
    for doc, label in enumerate(
        ["defused", "not_defused", "tie", "defused", "defused"]
    ):  # people labelled what was recorded
        same = {"question_id": asked[3 * doc]["question_id"], "doc_id": f"d{doc}", "responder": "r"}
        prompt = "basic" if doc == 3 else "recorded"
        answered.append(row(DEFUSION_LABELS, **same, judge="j", label=label, prompt_name=prompt))
        about = {"responder": "x"} if doc == 1 else {}  # another response to the same question
        label = "not_defused" if doc < 2 else "defused"
        people.append(row(HUMAN_LABELS, **same | about, task="defusion", annotator="ann", label=label))
    rows = {QUESTIONS: asked, SCOPE_LABELS: labels, DEFUSION_LABELS: answered, OVERLAP: overlap, HUMAN_LABELS: people}
    keys = {"generator": "mine", "judge": "j", "responder": "r", "prompt": "recorded", "shard": "mine"}
    files = {table.name: [place(folder, table, **keys)] for table in rows if table != DEFUSION_LABELS}
    files["defusion_labels"] = [place(folder, DEFUSION_LABELS, **keys | {"prompt": name}) for name in PROMPTS]
    for table, of_table in rows.items():
        for prompt, path in zip(PROMPTS, files[table.name], strict=False):
            tables.write(table, path, [row for row in of_table if row.get("prompt_name", prompt) == prompt])
    files |= _searched(folder, asked) | {"gold": [], "predictions": [], "fold_predictions": []}
    measure_question_sets(**files, metrics=folder / "metrics.parquet", **DRAWS)
    assert shown("question_sets", folder / "metrics.parquet")[1] == []
    return metrics_of(folder / "metrics.parquet", "role")


def test_a_confusion_matrix_counts_every_question(measured):
    cells = {
        key[2:]: one["value"] for key, one in measured.items() if key[:2] == ("matrix", "j") and key[4] == "intention"
    }
    assert {key[0::3]: value for key, value in cells.items() if value} == {
        ("out of scope", "out_of_scope"): 20,
        ("out of scope", "tie"): 20,
        ("in scope", "in_scope"): 20,
    }


def test_abstentions_are_neither_right_nor_wrong_and_bounds_say_what_they_could_change(measured):
    own = {key[4]: one for key, one in measured.items() if key[:4] == ("accuracy", "j", "mine", "intention")}
    assert own["accuracy"]["value"] == 1 and (own["accuracy"]["n"], own["accuracy"]["abstained"]) == (40, 20)
    assert own["at_least"]["value"] == pytest.approx(2 / 3) and own["at_most"]["value"] == 1
    assert own["right_on_out_of_scope"]["abstained"] == 20 and own["right_on_in_scope"]["abstained"] == 0
    assert own["auroc"]["value"] == 1


def test_the_overlap_control_is_measured_on_documents_that_it_has_not_seen(measured):
    own = measured["accuracy", "(overlap control)", "mine", "intention", "accuracy"]
    assert own["value"] == 1 and own["n"] == 60 and 0.8 < own["low"] < 1 == own["high"]


def test_a_judge_stands_beside_the_control_on_the_questions_that_both_answer(measured):
    own = measured["accuracy", "j", "mine", "intention", "minus_overlap"]
    assert (own["value"], own["n"], own["abstained"]) == (0, 40, 20)
    assert ("accuracy", "(overlap control)", "mine", "intention", "minus_overlap") not in measured


def test_each_type_of_question_is_counted_by_itself_and_against_the_questions_in_scope(measured):
    near, far = (
        {
            key[-1]: one
            for key, one in measured.items()
            if key[:2] == ("types", "j") and {one_type, "intention"} < {*key}
        }
        for one_type in ("near_miss", "far_away")
    )
    right, area = near["right"], near["auroc"]
    assert (right["value"], right["n"]) == (1, 20) and (area["value"], area["n"]) == (1, 40)
    assert (far["right"]["value"], far["right"]["n"], far["right"]["abstained"]) == (None, 0, 20)


def test_the_wording_control_knows_the_question_alone(measured):
    """Nothing in the words of these questions tells what is out of scope."""
    own = measured["accuracy", "(wording control)", "mine", "intention", "auroc"]
    assert own["n"] == 60 and own["low"] < 0.6
    assert ("accuracy", "j", "mine", "intention", "minus_wording") in measured


def test_the_difference_to_the_control_is_paired():
    questions = pd.DataFrame(
        {
            "question_id": list("abcd"),
            "doc_id": list("wxyz"),
            "out": [True, True, False, False],
            "question_type": UNTYPED,
        }
    )
    labels = {"judge": [OUT, IN, IN, OUT], "control": [OUT, OUT, OUT, OUT]}
    answers = {
        name: pd.DataFrame({"question_id": list("abcd"), "label": own, "margin": [0.0] * 4})
        for name, own in labels.items()
    }
    rows = measured_rows({}, questions, answers["judge"], 200, 0, {CONTROL: answers["control"]})
    found = next(row for row in rows if row["metric"] == "minus_overlap")
    assert (found["value"], found["n"]) == (0, 4) and -1 <= found["low"] < 0 < found["high"] <= 1


def test_people_are_a_truth_of_their_own(measured):
    own = measured["accuracy", "j", "mine", "people", "accuracy"]
    assert (own["value"], own["n"]) == (0, 1)
    assert measured["accuracy", "(overlap control)", "mine", "people", "abstentions"]["value"] == 1


@pytest.fixture
def detected(tmp_path):
    """What a detector with two seeds says of two questions a document; the first of four was trained on, the last was
    too long for it.
    """
    asked, predictions, overlap = [], [], []
    for doc in range(4):
        for number, kind in enumerate(["out_of_scope", "in_scope"]):
            asked.append(question(f"d{doc}", 2 * doc + number, kind) | {"generator": "mine"})
            same = {name: asked[-1][name] for name in ("question_id", "doc_id")}
            overlap.append(row(OVERLAP, **same, cluster_id=same["doc_id"]))
            for seed in range(2):
                out = number == 0 and (doc, seed) != (1, 1)  # of the second document one seed is wrong
                answer = {"out_of_scope": out, "score": 1.0 if out else -1.0} if doc < 3 else {"reason": "too_long"}
                answer |= {"head": "mlp", "seed": seed, "part": "train" if doc == 0 else "unseen"}
                predictions.append(row(PREDICTIONS, **same, **answer, intended=kind, asked="mine"))
    folder = tmp_path / "predictions/nli/e/g/j/mine"
    tables.write(PREDICTIONS, folder / "mine.parquet", predictions)
    files = {"questions": [written(tmp_path, QUESTIONS, asked, generator="mine")]}
    files["overlap"] = [written(tmp_path, OVERLAP, overlap)]
    others = "human_labels gold scope_labels defusion_labels queries neighbours fold_predictions"
    files |= {key: [] for key in others.split()}
    measure_question_sets(**files, predictions=[folder / "mine.parquet"], metrics=tmp_path / "metrics.parquet", **DRAWS)
    rows = tables.read(METRICS, tmp_path / "metrics.parquet").to_pylist()
    return {(json.loads(one["keys"]).get("judge"), one["table"], one["metric"]): one for one in rows}


def test_a_detector_counts_with_the_mean_of_its_seeds_on_documents_that_it_was_not_made_with(detected):
    own = {name: one for (judge, table, name), one in detected.items() if (judge, table) == ("nli (e)", "accuracy")}
    assert own["excluded"]["value"] == 2 and own["asked"]["value"] == 6 and own["abstentions"]["value"] == 2
    assert own["accuracy"]["value"] == pytest.approx(3.5 / 4) and own["accuracy"]["n"] == 4
    assert own["right_on_out_of_scope"]["value"] == pytest.approx(0.75) and own["auroc"]["value"] == 1
    assert detected["(overlap control)", "accuracy", "asked"]["value"] == 8


def test_recorded_responses_are_counted_and_compared_with_what_people_say(measured):
    defused = measured["responses", "j", "recorded", "r", "mine", "defused"]
    assert (defused["value"], defused["n"], defused["abstained"]) == (pytest.approx(2 / 3), 3, 1)
    assert measured["responses", "j", "recorded", "r", "mine", "responses"]["value"] == 4
    same = measured["responses", "j", "recorded", "r", "mine", "as_people_say"]
    assert (same["value"], same["n"], same["abstained"]) == (0.5, 2, 1)


def test_people_are_asked_about_recorded_responses_alone(measured):
    assert measured["responses", "j", "basic", "r", "mine", "defused"]["value"] == 1
    same = measured["responses", "j", "basic", "r", "mine", "as_people_say"]
    assert (same["value"], same["n"]) == (None, 0)


def test_the_documents_of_a_set_are_searched_for_its_questions(measured):
    found = {kind: measured["retrieval", kind, "bm25", "mine", "mrr"] for kind in ("(all)", "in scope", "out of scope")}
    values = {kind: (one["value"], one["n"]) for kind, one in found.items()}
    assert values == {"(all)": (pytest.approx(2 / 3), 60), "in scope": (1, 20), "out of scope": (0.5, 40)}
    assert found["(all)"]["low"] > 0.5


def test_what_people_agreed_on_counts_before_their_majority_and_a_tie_is_no_truth():
    def vote(name, annotator, label, responder=""):
        return {"question_id": name, "annotator": annotator, "label": label, "responder": responder}

    votes = [vote("a", "x", "in_scope"), vote("a", "y", "in_scope"), vote("a", "", "out_of_scope")]
    votes += [vote("b", "x", "in_scope"), vote("b", "y", "out_of_scope"), vote("b", "x", "defused", "m")]
    votes += [vote("d", "x", "in_scope"), vote("d", "y", "out_of_scope"), vote("d", "z", "out_of_scope")]
    assert settled(votes) == {
        ("a", ""): "out_of_scope",
        ("b", ""): None,
        ("b", "m"): "defused",
        ("d", ""): "out_of_scope",
    }


def test_without_a_set_there_is_nothing_to_measure(tmp_path):
    with pytest.raises(AssayError, match="no question set in the configuration"):
        measure_question_sets(*[[]] * 10, tmp_path / "metrics.parquet", **DRAWS)


def test_a_set_is_described_with_the_labels_that_people_contradict(measured, caplog):
    names = ("questions", "out_of_scope", "in_scope", "labelled_by_people", "opposite")
    assert [measured["sets", "mine", name]["value"] for name in names] == [60, 40, 20, 1, 1]
    labels = {"intended": [OUT, OUT, IN, "unlabelled"], "people": [IN, IN, IN, OUT]}
    questions = pd.DataFrame({"doc_id": list("aabb")} | labels)
    counts = {row["metric"]: row["value"] for row in set_rows("other", questions)}
    assert counts["labelled_by_people"] == 4 and counts["opposite"] == 2
    assert "question set other: people say the opposite of 2 of the 3 labels" in caplog.text
