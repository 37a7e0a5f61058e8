"""How well a judge, a detector or the overlap control tells which questions are out of scope: the confusion matrix, the
accuracy, what abstentions could change, the AUROC. Reads no file.

A detector that was trained with several seeds answers several times and counts with the mean over its answers. A
question without a side is an abstention, never wrong or right. Intervals are 95 %, from resampled documents.
"""

from collections.abc import Iterator

import numpy as np

from ragassay.metrics.panel import Panel, bounds
from ragassay.schemas.report import Section
from ragassay.studies.scope.questions.votes import IN, KINDS, OUT, TIE, UNCLEAR

SECTION = Section("question_sets")


def measured(keys: dict, questions, answers, times: int, seed: int, control=None) -> Iterator[dict]:
    """The rows of the tables matrix and accuracy. `questions` have question_id, doc_id and the truth, `out`; `answers`
    question_id, label and margin (higher = more out of scope), one row for each seed. With answers of the overlap
    `control` there is the difference to its accuracy, too.
    """
    said = questions.merge(answers[["question_id", "label", "margin"]], on="question_id", how="left")
    said = said.fillna({"label": UNCLEAR, "margin": 0.0})  # a question that was not asked about
    by_question = said.groupby("question_id")
    share = 1 / by_question["label"].transform("size")
    cells = share.groupby([said["out"], said["label"]]).sum()
    for is_out, kind in ((True, KINDS[OUT]), (False, KINDS[IN])):
        numbers = {label: round(cells.get((is_out, label), 0), 6) for label in (OUT, IN, TIE, UNCLEAR)}
        yield from SECTION.rows("matrix", {**keys, "meant": kind}, numbers, (questions["out"] == is_out).sum())
    said = said.assign(sided=said["label"].isin(list(KINDS)), right=(said["label"] == OUT) == said["out"])
    means = said.groupby("question_id")[["sided", "right", "margin"]].mean().reindex(questions["question_id"])
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
