"""Rows of the report's section on question sets: how large sets are, how well judges, detectors and the overlap
control tell what is out of scope, how many responses are defused, how often a question's document is found. A
question without a side is an abstention. Intervals are 95 %, from resampled documents."""

import json
from collections.abc import Iterator

import numpy as np
import pandas as pd

from ragassay.base import tables
from ragassay.base.stage import log
from ragassay.metrics.panel import Panel, bounds
from ragassay.schemas.corpora import NEIGHBOURS
from ragassay.schemas.report import Section
from ragassay.search.measures import values
from ragassay.studies.scope import controls
from ragassay.studies.scope.question_sets import warn_of_contradictions
from ragassay.studies.scope.votes import DEFUSED, IN, KINDS, NOT_DEFUSED, OUT, RECORDED, TIE, UNCLEAR

SECTION = Section("question_sets")
EVERY = "(all)"


def set_rows(name: str, questions) -> Iterator[dict]:
    """How many questions and documents a set has, and of how many labels people say the opposite."""
    numbers = {"questions": len(questions), "documents": questions["doc_id"].nunique()}
    numbers |= {label: int((questions["intended"] == label).sum()) for label in KINDS}
    numbers["labelled_by_people"] = int(questions["people"].isin(list(KINDS)).sum())
    numbers["opposite"] = warn_of_contradictions(
        name, list(zip(questions["intended"], questions["people"], strict=True))
    )
    yield from SECTION.rows("sets", {"set": name}, numbers)


def control(questions, features):
    """The answers of the overlap control, each by a fit on other documents; `questions` have the truth, `out`."""
    rows = features.set_index("question_id").loc[questions["question_id"]]
    scores = pd.Series(controls.overlap_scores(rows.to_dict("records"), questions["out"].tolist()), dtype=float)
    labels = np.select([scores.isna(), scores > 0.5], [UNCLEAR, OUT], IN)
    answers = {"question_id": questions["question_id"].to_numpy(), "label": labels}
    return pd.DataFrame(answers | {"margin": (2 * scores - 1).fillna(0)})


def measured(keys: dict, questions, answers, times: int, seed: int, control=None) -> Iterator[dict]:
    """The rows of the tables matrix and accuracy. `questions` have question_id, doc_id and the truth, `out`; `answers`
    question_id, label and margin (higher = more out of scope), one row for each seed. With answers of the overlap
    `control` there is the difference to its accuracy, too.
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
    (least,), (most,) = bounds(right)
    numbers = {"asked": len(out), "abstentions": (~sided).sum(), "at_least": least, "at_most": most}
    yield from SECTION.rows("accuracy", keys, numbers, len(out))
    masks = {"accuracy": np.ones(len(out), bool), f"right_on_{OUT}": out, f"right_on_{IN}": ~out}
    for name, mask in masks.items():
        counted = mask & sided
        estimates = Panel(owners[counted], times, seed).mean(right[counted])
        yield SECTION.row("accuracy", keys, name, **estimates.row() | {"abstained": (mask & ~sided).sum()})
    if control is not None:
        yield SECTION.row("accuracy", keys, "minus_control", **_difference(questions, right, control, times, seed))
    area = Panel(owners[sided], times, seed).auroc(margins[sided], out[sided]).row()
    yield SECTION.row("accuracy", keys, "auroc", **area | {"abstained": (~sided).sum()})


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
        for at, name in enumerate(columns):
            yield SECTION.row("retrieval", keys, name, **estimates.row(at))
