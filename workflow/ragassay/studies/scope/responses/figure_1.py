"""The paper's Figure 1 for models that are simply asked ("direct generation"): how often each says rightly whether a
question is in scope. Beside them stands what shared words alone tell, which a detector has to beat.

Right is what people say where they have settled it. Else there are two views: what a question was meant to be, for all
questions; and what it was meant to be among those that the study's own judge agrees on, which says nothing of that
judge itself.
"""

import json

import numpy as np

from ragassay.schemas.report import Section
from ragassay.studies.scope.questions.votes import IN, OUT
from ragassay.studies.scope.responses.verdict_matrix import Questions

SECTION = Section("responses")
OVERLAP = "shared words alone"
SIDES = {OUT: 1.0, IN: 0.0}


def detection_rows(questions: Questions, labels: dict, overlap: dict, hard: set, judge: str, gold: dict, times, seed):
    """The rows of the table detection. `labels` are model -> question -> label, `overlap` is question -> the control's
    score, `hard` the questions where that tells nothing, `gold` question -> what people say.
    """
    ids = questions.ids.tolist()
    said = {model: [SIDES.get(of_model.get(one), np.nan) for one in ids] for model, of_model in labels.items()}
    said[OVERLAP] = [np.nan if overlap.get(one) is None else float(overlap[one] > 0.5) for one in ids]
    models = list(said)
    verdicts = np.array(list(said.values()), float).reshape(len(models), len(ids)).T  # questions x models
    meant = questions.out.astype(float)
    settled = np.array([SIDES.get(gold.get(one), np.nan) for one in ids], float)
    is_hard = questions.are_in(hard)
    has_chosen = np.array([model == judge for model in models], bool)  # which questions are kept
    # Only kept questions have a score, and models may have been asked about some questions only.
    scored = ~np.isnan(verdicts) | np.array([[one in labels.get(model, ()) for model in models] for one in ids], bool)

    def asked(mask, without_judge=False):
        return mask[:, None] & scored & ~(has_chosen & without_judge)

    kept = {"kept": questions.kept, "hard": questions.kept & is_hard}
    sides = {"found": questions.kept & questions.out, "false_alarms": questions.kept & ~questions.out}
    views = {"meant": asked(np.ones(len(ids), bool))} | {name: asked(mask, True) for name, mask in kept.items()}
    panel = questions.panel(times, seed)
    found = panel.means(_right(verdicts, meant), views)
    found |= panel.means(_right(verdicts, settled), {"gold": asked(~np.isnan(settled))})
    found |= panel.means(verdicts, {name: asked(mask, True) for name, mask in sides.items()})
    for at, model in enumerate(models):
        keys = {"at": at, "generator": questions.generator, "model": model}
        for view, estimates in found.items():
            yield SECTION.row("detection", keys, view, **estimates.row(at))


def figure_1(rows):
    """The same rows under the name that the paper has for them, for the one generator that they are about."""
    for row in rows:
        keys = {name: key for name, key in json.loads(row["keys"]).items() if name != "generator"}
        yield row | {"table": "figure_1", "keys": json.dumps(keys, ensure_ascii=False)}


def _right(verdicts, truth):
    """questions x models: whether a verdict is right, NaN where there is none."""
    return np.where(np.isnan(verdicts), np.nan, verdicts == truth[:, None])
