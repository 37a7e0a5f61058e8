"""Whether a detector's probabilities are right on documents that it was not trained on, over all seeds, and how
accuracy grows with the number of training documents.
"""

from collections.abc import Iterator

import numpy as np

from ragassay.metrics.panel import Panel
from ragassay.models.heads import calibration
from ragassay.schemas.report import Section
from ragassay.studies.scope.detectors.predictions import name_of

SECTION = Section("detectors")


def calibration_rows(suffix: str, whose: str, predictions, truths, times: int, seed: int) -> Iterator[dict]:
    """The rows of the tables calibration and reliability. `truths` have the truth, `out`, by asked and question_id."""
    truths = truths[["asked", "question_id", "out"]]
    found = predictions[predictions["new"] & predictions["score"].notna()].merge(truths, on=["asked", "question_id"])
    for (asked, source, method), rows in found.groupby(["asked", "source", "method"]):
        keys = {whose: asked, "trained_on": source, "method": method}
        out, predicted = rows["out"].to_numpy(bool), rows["probability"].to_numpy()
        raw = 1 / (1 + np.exp(-rows["score"].to_numpy()))
        for name, probabilities in (("expected_error", predicted), ("before_temperature", raw)):
            error = calibration.expected_error(probabilities, out)
            yield SECTION.row(f"calibration{suffix}", keys, name, error, rows["question_id"].nunique())
        bins = calibration.bins(predicted)
        masks = {number: bins == number for number in np.unique(bins)}
        means = Panel(rows["doc_id"], times, seed).means(np.stack([predicted, out], axis=1), masks)
        for number, estimates in means.items():
            n = rows["question_id"][masks[number]].nunique()
            own = {**keys, "probability": f"{number / calibration.BINS:.1f}"}
            yield SECTION.row(f"reliability{suffix}", own, "predicted", estimates.row(0)["value"], n)
            yield SECTION.row(f"reliability{suffix}", own, "observed", **estimates.row(1) | {"n": n})


def curve_rows(training) -> Iterator[dict]:
    """Accuracy on the test part by the number of documents trained on: mean, least and most over seeds."""
    kept = training[training["kept"] & training["test_accuracy"].notna()]
    for (detector, encoder, head, documents), rows in kept.groupby(["detector", "encoder", "head", "documents"]):
        keys, values = (
            {"method": name_of(detector, encoder, head), "documents": f"{documents:05}"},
            rows["test_accuracy"],
        )
        numbers = values.mean(), len(values), values.min(), values.max()
        yield SECTION.row("learning_curve", keys, "accuracy", *numbers)
