"""Measure judges, detectors and responders on question sets: against what questions were meant to be, and against
people's labels.

They are compared with the overlap control, which knows shared words and similarity alone. A detector is measured only
on documents that it was not trained on, whatever their source. Intervals are 95 %, from resampled documents.
"""

import pandas as pd

from ragassay.base import tables
from ragassay.base.errors import AssayError
from ragassay.base.stage import run
from ragassay.schemas.corpora import QUERIES
from ragassay.schemas.hardness import OVERLAP
from ragassay.schemas.people import GOLD, HUMAN_LABELS
from ragassay.schemas.report import METRICS, Section
from ragassay.schemas.scope_answers import DEFUSION_LABELS
from ragassay.schemas.scope_questions import QUESTIONS, SCOPE_LABELS
from ragassay.studies.scope.detectors.detector_results import frame
from ragassay.studies.scope.question_sets import settled
from ragassay.studies.scope.question_sets_section import (
    control,
    logged,
    measured,
    response_rows,
    retrieval_rows,
    set_rows,
)
from ragassay.studies.scope.votes import IN, KINDS, OUT

SECTION = Section("question_sets")
CONTROL = "(overlap control)"
TRUTHS = {"intention": "intended", "people": "people"}  # truth -> column


def measure_question_sets(
    questions, human_labels, gold, scope_labels, defusion_labels, overlap, predictions, queries, neighbours, metrics,
    resamples, seed,
):  # fmt: skip
    """Each argument but the last three is a list of files, of all sets together; `gold` are labels settled on our
    pages.
    """
    if not questions:
        raise AssayError("found no question set in the configuration, expected at least one under question_sets")
    people, features = _people(gold, human_labels), tables.frame(OVERLAP, overlap)
    asked = tables.frame(QUESTIONS, questions).rename(columns={"generator": "set"})
    asked = asked.assign(people=[people.get((question, "")) for question in asked["question_id"]])
    judged = tables.frame(SCOPE_LABELS, scope_labels).rename(columns={"generator": "set"})
    detected, rows, draws = _detected(predictions), [], (resamples, seed)
    for name, of_set in asked.groupby("set"):
        rows += set_rows(name, of_set)
        for truth, column in TRUTHS.items():
            labelled = of_set[of_set[column].isin(list(KINDS))]
            if labelled.empty:
                continue
            labelled = labelled.assign(out=labelled[column] == OUT)
            overlapping = control(labelled, features)
            answers = pd.concat([judged[judged["set"] == name], overlapping.assign(judge=CONTROL)])
            methods = [(judge, labelled, of_method) for judge, of_method in answers.groupby("judge")]
            for method, of_method in detected[detected["set"] == name].groupby("method"):
                methods.append((method, labelled[labelled["question_id"].isin(of_method["question_id"])], of_method))
            for judge, new, of_method in methods:
                role = "control" if judge == CONTROL else "judge or detector"
                keys = {"set": name, "judge": judge, "truth": truth, "role": role}
                rows += SECTION.rows("accuracy", keys, {"excluded": len(labelled) - len(new)}, len(labelled))
                against = None if judge == CONTROL else overlapping
                rows += logged(measured(keys, new, of_method, *draws, against)) if len(new) else ()
    responses = tables.frame(DEFUSION_LABELS, defusion_labels).rename(columns={"generator": "set"})
    rows += response_rows(responses, people, *draws)
    searched = tables.frame(QUERIES, queries)
    for path in neighbours:
        rows += retrieval_rows(searched, path, *draws)
    tables.write(METRICS, metrics, rows)


def _people(gold, human_labels):
    """(question, responder) -> people's label; without a responder it is about the question's scope. Votes that came
    with a set take precedence over labels from our pages.
    """
    here = tables.frame(GOLD, gold)
    responders = here["responder"].fillna("")
    labels = dict(zip(zip(here["question_id"], responders, strict=True), here["label"], strict=True))
    return labels | settled(tables.frame(HUMAN_LABELS, human_labels).to_dict("records"))


def _detected(paths):
    """The answers of detectors with each seed, to questions about documents that they were not trained on."""
    rows = frame(paths).rename(columns={"asked": "set", "score": "margin"})
    if rows["source"].nunique() > 1:
        rows["method"] += ", trained on " + rows["source"]
    return rows.assign(label=rows["out_of_scope"].map({1.0: OUT, 0.0: IN}))[rows["new"]]


if __name__ == "__main__":
    run(measure_question_sets, snakemake)
