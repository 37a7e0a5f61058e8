"""Predictions of detectors as a pandas frame: who made them about which question, and whether its document is new."""

from ragassay.base import tables
from ragassay.schemas.scope_answers import PREDICTIONS
from ragassay.studies.scope.detectors.training_documents import TRAINED_ON

HEADS = {"mlp": "", "logistic": ", regression"}
SINGLE = {"overlap": "overlap control", "question_alone": "question alone", "similarity": "similarity threshold"}


def name_of(detector: str, encoder: str, head: str) -> str:
    return f"{SINGLE.get(detector, detector)} ({encoder})" + ("" if detector in SINGLE else HEADS[head])


def frame(paths):
    """All rows, with the `source` that each detector was trained on (a generator), the name of its `method`, and
    whether it is `new` to it, which is the question's document. Without a prediction numbers are NaN.
    """
    rows = tables.frame(PREDICTIONS, paths).rename(columns={"generator": "source"})
    made_by = zip(rows["detector"], rows["encoder"], rows["head"], strict=True)
    answers = rows["out_of_scope"].astype(float)
    return rows.assign(
        out_of_scope=answers, method=[name_of(*names) for names in made_by], new=~rows["part"].isin(TRAINED_ON)
    )
