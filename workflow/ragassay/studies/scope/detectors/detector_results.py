"""Detectors, judges and controls compared on the same questions, and whether a detector's probabilities are right on
documents that it was not trained on. All are rows of a frame: method, question_id, out_of_scope and score, one for
each seed; NaN where it gave no answer. A method's result for a question is the mean over its seeds."""

from collections.abc import Iterator

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc

from ragassay.base import tables
from ragassay.metrics.panel import Estimates, Panel
from ragassay.models.heads.scores import BINS, expected_error
from ragassay.models.heads.scores import bins as bins_of
from ragassay.schemas.report import Section
from ragassay.schemas.scope_answers import PREDICTIONS
from ragassay.studies.scope.detectors.detector import TRAINED_ON
from ragassay.studies.scope.votes import KINDS, OUT

SECTION = Section("detectors")
HEADS = {"mlp": "", "logistic": ", regression"}
SINGLE = {"overlap": "overlap control", "question_alone": "question alone", "similarity": "similarity threshold"}
ROLES = {", asked directly": "asked directly", ", recorded": "recorded"}  # by the end of a method's name
CONTROLS = {"over_overlap": SINGLE["overlap"], "over_question": SINGLE["question_alone"]}


def name_of(detector: str, encoder: str, head: str) -> str:
    return f"{SINGLE.get(detector, detector)} ({encoder})" + ("" if detector in SINGLE else HEADS[head])


def frame(paths):
    """All rows about questions whose document is new to some detector, with the `source` that each detector was trained
    on (a generator), the name of its `method`, and whether the document is `new` to it. Without a prediction numbers
    are NaN.
    """
    is_new = ~pc.field("part").isin([*TRAINED_ON])
    tested = [
        rows.filter(is_new)["question_id"] for _, rows in tables.each(PREDICTIONS, paths, ["question_id", "part"])
    ]
    about_new = pc.field("question_id").isin(
        pc.unique(pa.chunked_array([c for ids in tested for c in ids.chunks], pa.string()))
    )
    columns = ["question_id", "doc_id", "head", "part", "probability", "score", "out_of_scope"]
    rows = tables.frame(PREDICTIONS, paths, columns, about_new).rename(columns={"generator": "source"})
    made_by = ["detector", "encoder", "head"]
    methods = rows[made_by].drop_duplicates()
    methods["method"] = [name_of(*names) for names in methods.itertuples(index=False)]
    answers = rows["out_of_scope"].astype(float)
    rows = rows.assign(out_of_scope=answers, new=~rows["part"].isin(TRAINED_ON)).merge(methods, on=made_by, how="left")
    return rows.drop(columns=[*made_by, "part"])


def judged(labels, asked_models: list[str]):
    """The answers of models that were asked directly, and of judges and detectors that came with a question set, from
    rows of scope_labels. A label that is neither kind, such as a tie, is no answer.
    """
    how = labels["judge"].isin(asked_models).map({True: "asked directly", False: "recorded"})
    method = labels["judge"] + ", " + how
    score = labels["margin"].where(labels["label"].isin(list(KINDS)))
    answer = (labels["label"] == OUT).astype(float).where(score.notna())
    return labels.assign(method=method, out_of_scope=answer, score=score)


def role_of(method: str) -> str:
    """Whether a method is a detector, a control, or a model that was asked directly or whose answers were recorded."""
    if method.startswith(tuple(SINGLE.values())):
        return "control"
    return next((role for end, role in ROLES.items() if method.endswith(end)), "detector")


def compared(table: str, keys: dict, questions, answers, times: int, seed: int) -> Iterator[dict]:
    """Accuracy and AUROC of each method, and how much more often it is right than each control. `questions` have
    question_id, doc_id and the truth, `out`; a method that was asked and has no answer abstains. Without questions
    there are no rows.
    """
    if not len(questions):
        return
    methods, asked, right, scores = answered(questions, answers)
    panel = Panel(questions["doc_id"], times, seed)
    accuracy, auroc = panel.mean(right, asked), panel.auroc(scores, questions["out"], asked)
    differences = {name: _over(panel, right, methods, control) for name, control in CONTROLS.items()}
    for at, method in enumerate(methods):
        place, row = {**keys, "method": method, "role": role_of(method)}, accuracy.row(at)
        yield SECTION.row(table, place, "accuracy", **row)
        yield SECTION.row(table, place, "auroc", **auroc.row(at))
        for name, estimates in differences.items():
            numbers = {"value": None} if estimates is None else estimates.row(at)
            yield SECTION.row(table, place, name, **numbers | {"n": row["n"], "abstained": row["abstained"]})


def by_topic(table: str, keys: dict, questions, answers) -> Iterator[dict]:
    """The accuracy of each method in each topic. Without questions there are no rows."""
    if not len(questions):
        return
    methods, _, right, _ = answered(questions, answers)
    topics = questions["topic"].to_numpy()
    masks = {topic: (topics == topic)[:, None] & ~np.isnan(right) for topic in sorted(set(topics))}
    for topic, estimates in Panel(questions["doc_id"]).means(right, masks).items():
        for at, method in enumerate(methods):
            yield SECTION.row(table, {**keys, "method": method, "topic": topic}, "accuracy", **estimates.row(at))


def answered(questions, answers):
    """The methods, and as arrays of questions x methods whether they were asked, the share of seeds that are right and
    the mean scores; NaN where a method has no answer.
    """
    methods, out = list(answers["method"].unique()), questions["out"].to_numpy(bool)[:, None]
    places = pd.Index(questions["question_id"]).get_indexer(answers["question_id"])
    by = [places, pd.Categorical(answers["method"], methods).codes]
    means = answers[["out_of_scope", "score"]].groupby(by).mean().drop(-1, errors="ignore")  # of other questions
    cells = tuple(means.index.get_level_values(level) for level in (0, 1))
    asked, numbers = np.zeros((len(questions), len(methods)), bool), np.full((2, len(questions), len(methods)), np.nan)
    asked[cells] = True
    for column, of_column in zip(means, numbers, strict=True):
        of_column[cells] = means[column]
    shares, scores = numbers
    return methods, asked, np.where(out, shares, 1 - shares), scores


def _over(panel, right, methods, control) -> Estimates | None:
    """How much more often each method is right than the control, which has no number; None without the control."""
    places = [at for at, method in enumerate(methods) if method.startswith(control)]
    if not places:
        return None
    difference = right - right[:, places[-1:]]
    difference[:, places[-1]] = np.nan
    return panel.difference(difference)


def calibration_rows(suffix: str, whose: str, predictions, truths, times: int, seed: int) -> Iterator[dict]:
    """The rows of the tables calibration and reliability. `truths` have the truth, `out`, by asked and question_id."""
    truths = truths[["asked", "question_id", "out"]]
    both = predictions[predictions["new"] & predictions["score"].notna()].merge(truths, on=["asked", "question_id"])
    for (asked, source, method), rows in both.groupby(["asked", "source", "method"]):
        keys = {whose: asked, "trained_on": source, "method": method}
        out, predicted = rows["out"].to_numpy(bool), rows["probability"].to_numpy()
        raw = 1 / (1 + np.exp(-rows["score"].to_numpy()))
        for name, probabilities in (("expected_error", predicted), ("before_temperature", raw)):
            error = expected_error(probabilities, out)
            yield SECTION.row(f"calibration{suffix}", keys, name, error, rows["question_id"].nunique())
        bins = bins_of(predicted)
        masks = {number: bins == number for number in np.unique(bins)}
        means = Panel(rows["doc_id"], times, seed).means(np.stack([predicted, out], axis=1), masks)
        for number, estimates in means.items():
            n = rows["question_id"][masks[number]].nunique()
            place = {**keys, "probability": f"{number / BINS:.1f}"}
            yield SECTION.row(f"reliability{suffix}", place, "predicted", estimates.row(0)["value"], n)
            yield SECTION.row(f"reliability{suffix}", place, "observed", **estimates.row(1) | {"n": n})


def curve_rows(training) -> Iterator[dict]:
    """Accuracy on the test part by the number of documents trained on: mean, least and most over seeds."""
    kept = training[training["kept"] & training["test_accuracy"].notna()]
    for (detector, encoder, head, documents), rows in kept.groupby(["detector", "encoder", "head", "documents"]):
        keys = {"method": name_of(detector, encoder, head), "documents": f"{documents:05}"}
        values = rows["test_accuracy"]
        yield SECTION.row("learning_curve", keys, "accuracy", values.mean(), len(values), values.min(), values.max())
