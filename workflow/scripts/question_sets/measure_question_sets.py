"""Measure judges, detectors and responders on question sets: against what questions were meant to be, and against
people's labels.

They are compared with the overlap control, which knows shared words and similarity alone. A detector is measured only
on documents that it was not trained on, whatever their source.

Rows of the report's section on question sets: how large sets are, how well judges, detectors and the overlap
control tell what is out of scope, how many responses are defused, how often a question's document is found. A
question without a side is an abstention. Intervals are 95 %, from resampled documents.
"""

import json
from collections.abc import Iterator

import numpy as np
import pandas as pd

from ragassay.base import tables
from ragassay.base.errors import AssayError
from ragassay.base.stage import log, run
from ragassay.metrics.panel import Panel
from ragassay.schemas.corpora import NEIGHBOURS, QUERIES
from ragassay.schemas.hardness import OVERLAP
from ragassay.schemas.people import GOLD, HUMAN_LABELS
from ragassay.schemas.report import METRICS, Section
from ragassay.schemas.scope_answers import DEFUSION_LABELS, FOLD_PREDICTIONS
from ragassay.schemas.scope_questions import QUESTIONS, SCOPE_LABELS
from ragassay.search.measures import values
from ragassay.studies.scope import controls
from ragassay.studies.scope.detectors.detector_results import frame, name_of, role_of
from ragassay.studies.scope.question_sets import settled, warn_of_contradictions
from ragassay.studies.scope.votes import DEFUSED, IN, KINDS, NOT_DEFUSED, OUT, RECORDED, TIE, UNCLEAR

EVERY = "(all)"
SECTION = Section("question_sets")
CONTROL, WORDING = "(overlap control)", "(wording control)"
TRUTHS = {"intention": "intended", "people": "people"}  # truth -> column
UNTYPED = "(not said)"


def measure_question_sets(
    questions, human_labels, gold, scope_labels, defusion_labels, overlap, predictions, fold_predictions, queries,
    neighbours, metrics, resamples, seed,
):  # fmt: skip
    """Each argument but the last three is a list of files, of all sets together; `gold` are labels settled on our
    pages.
    """
    if not questions:
        raise AssayError("found no question set in the configuration, expected at least one under question_sets")
    people, features = _people(gold, human_labels), tables.frame(OVERLAP, overlap)
    asked = tables.frame(QUESTIONS, questions).rename(columns={"generator": "set"})
    asked = asked.assign(
        people=[people.get((question, "")) for question in asked["question_id"]],
        question_type=asked["question_type"].fillna(UNTYPED),
    )
    judged = tables.frame(SCOPE_LABELS, scope_labels).rename(columns={"generator": "set"})
    detected, rows, draws = _detected(predictions, fold_predictions), [], (resamples, seed)
    for name, of_set in asked.groupby("set"):
        rows += set_rows(name, of_set)
        for truth, column in TRUTHS.items():
            labelled = of_set[of_set[column].isin(list(KINDS))]
            if labelled.empty:
                continue
            labelled = labelled.assign(out=labelled[column] == OUT)
            controls_here = {which: control(labelled, features, which) for which in (CONTROL, WORDING)}
            methods = [(which, "control", labelled, answers) for which, answers in controls_here.items()]
            for judge, answers in judged[judged["set"] == name].groupby("judge"):
                methods.append((judge, "judge", labelled, answers))
            for method, answers in detected[detected["set"] == name].groupby("method"):
                inside = labelled[labelled["question_id"].isin(answers["question_id"])]
                methods.append((method, role_of(method), inside, answers))
            for judge, role, new, of_method in methods:
                keys = {"set": name, "judge": judge, "truth": truth, "role": role}
                rows += SECTION.rows("accuracy", keys, {"excluded": len(labelled) - len(new)}, len(labelled))
                against = {which: answers for which, answers in controls_here.items() if judge != which}
                rows += logged(measured(keys, new, of_method, *draws, against)) if len(new) else ()
    types = dict(zip(asked["question_id"], asked["question_type"], strict=True))
    responses = tables.frame(DEFUSION_LABELS, defusion_labels).rename(columns={"generator": "set"})
    rows += response_rows(responses.assign(type=responses["question_id"].map(types)), people, *draws)
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


def _detected(paths, in_folds):
    """The answers of detectors with each seed, to questions about documents that they were not trained on."""
    rows = frame(paths).rename(columns={"asked": "set", "score": "margin"})
    if rows["source"].nunique() > 1:
        rows["method"] += ", trained on " + rows["source"]
    folded = tables.frame(FOLD_PREDICTIONS, in_folds).rename(columns={"asked": "set", "score": "margin"})
    made_by = zip(folded["detector"], folded["encoder"], folded["head"], strict=True)
    methods = pd.Series([f"{name_of(*names)}, in folds" for names in made_by], folded.index, dtype=object)
    folded = folded.assign(out_of_scope=folded["out_of_scope"].astype(float), method=methods)
    rows = pd.concat([rows[rows["new"].astype(bool)], folded])
    return rows.assign(label=rows["out_of_scope"].map({1.0: OUT, 0.0: IN}))


def set_rows(name: str, questions) -> Iterator[dict]:
    """How many questions and documents a set has, and of how many labels people say the opposite."""
    numbers = {"questions": len(questions), "documents": questions["doc_id"].nunique()}
    numbers |= {label: int((questions["intended"] == label).sum()) for label in KINDS}
    numbers["labelled_by_people"] = int(questions["people"].isin(list(KINDS)).sum())
    numbers["opposite"] = warn_of_contradictions(
        name, list(zip(questions["intended"], questions["people"], strict=True))
    )
    yield from SECTION.rows("sets", {"set": name}, numbers)


def control(questions, features, which=CONTROL):
    """The answers of a control, each by a fit on other documents; `questions` have the truth, `out`."""
    rows = features.set_index("question_id").loc[questions["question_id"]]
    rows = rows.assign(text=questions["text"].to_numpy()).to_dict("records")
    scored = controls.overlap_scores if which == CONTROL else controls.wording_scores
    scores = pd.Series(scored(rows, questions["out"].tolist()), dtype=float)
    labels = np.select([scores.isna(), scores > 0.5], [UNCLEAR, OUT], IN)
    answers = {"question_id": questions["question_id"].to_numpy(), "label": labels}
    return pd.DataFrame(answers | {"margin": (2 * scores - 1).fillna(0)})


def measured(keys: dict, questions, answers, times: int, seed: int, against: dict) -> Iterator[dict]:
    """The rows of the tables matrix, accuracy and types. `questions` have question_id, doc_id, question_type and the
    truth, `out`; `answers` question_id, label and margin (higher = more out of scope), one row for each seed. `against`
    are answers of controls, to which there are differences in accuracy.
    """
    given = questions.merge(answers[["question_id", "label", "margin"]], on="question_id", how="left")
    given = given.fillna({"label": UNCLEAR, "margin": 0.0})  # a question that was not asked about
    by_question = given.groupby("question_id")
    share = 1 / by_question["label"].transform("size")
    cells = share.groupby([given["out"], given["label"]]).sum()
    for is_out, kind in ((True, KINDS[OUT]), (False, KINDS[IN])):
        numbers = {label: round(cells.get((is_out, label), 0), 6) for label in (OUT, IN, TIE, UNCLEAR)}
        yield from SECTION.rows("matrix", {**keys, "meant": kind}, numbers, (questions["out"] == is_out).sum())
    given = given.assign(sided=given["label"].isin(list(KINDS)), right=(given["label"] == OUT) == given["out"])
    means = given.groupby("question_id")[["sided", "right", "margin"]].mean().reindex(questions["question_id"])
    out, owners, sided = questions["out"].to_numpy(bool), questions["doc_id"].to_numpy(), means["sided"].to_numpy() == 1
    right, margins = np.where(sided, means["right"], np.nan), means["margin"].to_numpy()
    (least,), (most,) = Panel(owners).mean(right, np.full(len(out), True)).bounds()
    numbers = {"asked": len(out), "abstentions": (~sided).sum(), "at_least": least, "at_most": most}
    yield from SECTION.rows("accuracy", keys, numbers, len(out))
    masks = {"accuracy": np.ones(len(out), bool), f"right_on_{OUT}": out, f"right_on_{IN}": ~out}
    for name, mask in masks.items():
        counted = mask & sided
        estimates = Panel(owners[counted], times, seed).mean(right[counted])
        yield SECTION.row("accuracy", keys, name, **estimates.row() | {"abstained": (mask & ~sided).sum()})
    for which, theirs in against.items():
        difference = _difference(questions, right, theirs, times, seed)
        yield SECTION.row("accuracy", keys, f"minus_{which[1:-1].split()[0]}", **difference)
    area = Panel(owners[sided], times, seed).auroc(margins[sided], out[sided]).row()
    yield SECTION.row("accuracy", keys, "auroc", **area | {"abstained": (~sided).sum()})
    types = questions["question_type"].to_numpy()
    for name in sorted({*types} - {UNTYPED}):
        of_type, place = types == name, {**keys, "type": name}
        share = Panel(owners[of_type & sided], times, seed).mean(right[of_type & sided]).row()
        yield SECTION.row("types", place, "right", **share | {"abstained": (of_type & ~sided).sum()})
        compared = sided & (of_type | ~out) if out[of_type].all() else np.zeros(len(out), bool)
        area = Panel(owners[compared], times, seed).auroc(margins[compared], out[compared]).row()
        yield SECTION.row("types", place, "auroc", **area)


def _difference(questions, right, control, times, seed):
    """How much more often a judge is right than the control, over the questions to which both have an answer."""
    labels = control.set_index("question_id")["label"].reindex(questions["question_id"]).to_numpy()
    theirs = np.where(np.isin(labels, list(KINDS)), (labels == OUT) == questions["out"].to_numpy(bool), np.nan)
    difference, owners = right - theirs, questions["doc_id"].to_numpy()
    both = ~np.isnan(difference)
    row = Panel(owners[both], times, seed).difference(difference[both]).row()
    return row | {"abstained": int((~both).sum())}


def logged(rows) -> Iterator[dict]:
    """Passes rows on and logs the accuracies among them."""
    for row in rows:
        if row["metric"] == "accuracy":
            keys = json.loads(row["keys"])
            shown = [f"{100 * row[name]:.1f}" if row[name] is not None else "-" for name in ("value", "low", "high")]
            where = (keys["set"], keys["judge"], keys["truth"], *shown, row["n"], row["abstained"])
            log.info("%s, %s against %s: right on %s %% [%s, %s] of %d, %d abstained", *where)
        yield row


def response_rows(labels, people: dict, times: int, seed: int) -> Iterator[dict]:
    """How many responses are defused, and how often people agree. `people` are their labels by question and responder,
    for the responses that they were shown: the recorded ones.
    """
    groups = labels.groupby(["set", "responder", "prompt", "judge"])
    for names, rows in groups:
        keys = dict(zip(groups.keys, names, strict=True))
        sided = rows[rows["label"].isin([DEFUSED, NOT_DEFUSED])]
        shown = sided if keys["prompt"] == RECORDED else sided[:0]
        truths = [people.get(item) for item in zip(shown["question_id"], shown["responder"], strict=True)]
        shown = shown.assign(truth=pd.Series(truths, shown.index, dtype=object)).dropna(subset="truth")
        yield SECTION.row("responses", keys, "responses", len(rows), len(rows))
        for name, of_type in sided[sided["type"] != UNTYPED].groupby("type"):
            share = Panel(of_type["doc_id"], times, seed).mean(of_type["label"] == DEFUSED).row()
            yield SECTION.row("declined", {**keys, "type": name}, "declined", **share)
        shares = {"defused": (sided, sided["label"] == DEFUSED)}
        shares["as_people_say"] = shown, shown["label"] == shown["truth"]
        for name, (counted, hits) in shares.items():
            share = Panel(counted["doc_id"], times, seed).mean(hits).row()
            if share["n"]:
                where = (keys["set"], keys["responder"], keys["prompt"], 100 * share["value"], share["n"], name)
                log.info("%s, %s, %s: %.1f %% of %d %s, says %s", *where, keys["judge"])
            abstained = len(rows) - len(sided)
            yield SECTION.row("responses", keys, name, **share | {"abstained": abstained})


def retrieval_rows(queries, neighbours, times: int, seed: int) -> Iterator[dict]:
    """How often a retriever finds the document of a question among those of the set; `neighbours` is a file."""
    place = tables.keys(NEIGHBOURS, neighbours)
    asked = queries[queries["query_set"] == place["query_set"]]
    masks = {EVERY: np.ones(len(asked), bool)}
    masks |= {shown: (asked["kind"] == kind).to_numpy() for kind, shown in KINDS.items()}
    relevant = [{document: 1} for document in asked["passage_id"]]
    columns = values(list(asked["query_id"]), relevant, neighbours, {})
    means = Panel(asked["passage_id"], times, seed).means(np.column_stack(list(columns.values())), masks)
    for kind, estimates in means.items():
        keys = {"set": place["query_set"], "retriever": place["retriever"], "kind": kind}
        yield from SECTION.estimates("retrieval", keys, columns, estimates)


if __name__ == "__main__":
    run(measure_question_sets, snakemake)
