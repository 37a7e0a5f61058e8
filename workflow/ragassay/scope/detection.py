"""The paper's Figure 1 for models that are simply asked ("direct generation"): how often each says rightly whether a
question is in scope. Beside them stands what shared words alone tell, which a detector has to beat.

Right is what people say where they have settled it. Else there are two views: what a question was meant to be, for all
questions; and what it was meant to be among those that the study's own judge agrees on, which says nothing of that
judge itself.
"""

import json

import numpy as np

from ragassay.metrics.clustered import mean
from ragassay.schemas.metrics import metric
from ragassay.scope.verdicts import Questions
from ragassay.scope.votes import IN, OUT

OVERLAP = "shared words alone"
SIDES = {OUT: True, IN: False}


def detection_rows(questions: Questions, labels: dict, overlap: dict, hard: set, judge: str, gold: dict, times, seed):
    """The rows of the table detection. `labels` are model -> question -> label, `overlap` is question -> the control's
    score, `hard` the questions where that tells nothing, `gold` question -> what people say.
    """
    ids = questions.ids.to_pylist()
    said = {name: [SIDES.get(own.get(one)) for one in ids] for name, own in labels.items()}
    said[OVERLAP] = [None if overlap.get(one) is None else overlap[one] > 0.5 for one in ids]
    settled = [SIDES.get(gold.get(one)) for one in ids]
    meant = questions.out.tolist()
    views = {
        "meant": (np.ones(len(ids), bool), meant),
        "kept": (questions.kept, meant),
        "hard": (questions.kept & np.array([one in hard for one in ids], bool), meant),
        "gold": (np.array([side is not None for side in settled], bool), settled),
    }
    for at, (name, verdicts) in enumerate(said.items()):
        keys = {"at": at, "generator": questions.generator, "model": name}
        told = np.array([verdict is not None for verdict in verdicts], bool)
        for view, (wanted, truth) in views.items():
            asked = np.zeros_like(wanted) if view in ("kept", "hard") and name == judge else wanted
            asked = asked & told if name == OVERLAP else asked  # it has no score for questions that were not kept
            right = np.array([a == b for a, b in zip(verdicts, truth, strict=True)], bool)
            yield metric("responses", "detection", keys, view, **_share(questions, asked, told, right, times, seed))
        sides = {"found": questions.kept & questions.out, "false_alarms": questions.kept & ~questions.out}
        for view, asked in sides.items():
            out = np.array([verdict is True for verdict in verdicts], bool)
            asked = np.zeros_like(asked) if name == judge else asked
            yield metric("responses", "detection", keys, view, **_share(questions, asked, told, out, times, seed))


def figure_1(rows):
    """The same rows under the name that the paper has for them, for the one generator that they are about."""
    for row in rows:
        keys = {name: key for name, key in json.loads(row["keys"]).items() if name != "generator"}
        yield row | {"table": "figure_1", "keys": json.dumps(keys, ensure_ascii=False)}


def _share(questions, asked, told, hits, times, seed):
    """The share of hits among the questions that were asked about and have a verdict."""
    counted = asked & told
    found = mean(questions.owners[counted], hits[counted], len(questions.documents), times, seed)
    return found | {"abstained": int(asked.sum()) - found["n"]}
