"""Turn what detectors and judges say into the metrics of the report's section: the scope paper's Figure 1, and what a
reader would ask next.

Only documents count that a detector was not made with. Detectors stand beside each judge's own verdicts (direct
generation) and beside the overlap control, all on the same questions.
"""

from collections import defaultdict

import numpy as np

from ragassay import tables
from ragassay.detectors import calibration
from ragassay.detectors.comparison import Method, Questions
from ragassay.schemas.detector_training import DETECTOR_TRAINING
from ragassay.schemas.documents import DOCUMENTS
from ragassay.schemas.hardness_scores import HARDNESS_SCORES
from ragassay.schemas.metrics import METRICS, metric
from ragassay.schemas.predictions import PREDICTIONS
from ragassay.schemas.scope_labels import SCOPE_LABELS
from ragassay.schemas.selected_questions import SELECTED_QUESTIONS
from ragassay.stage import log, run

MADE_WITH = ("train", "validation")
HEADS = {"mlp": "", "logistic": ", regression"}
SINGLE = {"overlap": "overlap control", "similarity": "similarity threshold"}
NO_TOPIC = "(none)"
ALL, HARD = "all", "hard"


def measure_detectors(
    documents,
    selected_questions,
    scope_labels,
    hardness_scores,
    training,
    predictions,
    metrics,
    generator,
    judge,
    resamples,
    seed,
):
    topics = {row["doc_id"]: row["topic"] or NO_TOPIC for row in _rows(DOCUMENTS, documents)}
    hard = {row["question_id"] for row in _rows(HARDNESS_SCORES, hardness_scores) if row["hard"]}
    kept = defaultdict(list)
    for row in _rows(SELECTED_QUESTIONS, selected_questions):
        if row["status"] == "kept":
            kept[row["generator"]].append(row)
    said, parts = _said(predictions)
    judges = _judges(_rows(SCOPE_LABELS, scope_labels))
    rows = []
    for (source, asked), methods in sorted(said.items()):
        mine = [row for row in kept[asked] if parts[source, asked].get(row["question_id"]) not in (None, *MADE_WITH)]
        methods = {**{f"{name}, asked directly": one for name, one in judges.items()}, **methods}
        for stratum in (ALL, HARD):
            own = [row for row in mine if stratum == ALL or row["question_id"] in hard]
            if not own:
                continue  # as in small studies, whose few left out documents may have no hard questions
            questions = Questions(own, resamples, seed)
            keys = {"learnt_from": source, "asked": asked, "questions": stratum}
            rows += _compared(keys, questions, methods)
        if (source, asked) == (generator, generator):
            rows += _by_topic(mine, methods, topics)
    rows += _calibrated(predictions, {row["question_id"]: row for row in kept[generator]}, generator)
    rows += _curve(training)
    tables.write(METRICS, metrics, rows)
    log.info("%d numbers", len(rows))


def name_of(detector: str, encoder: str, head: str) -> str:
    return f"{SINGLE.get(detector, detector)} ({encoder})" + ("" if detector in SINGLE else HEADS[head])


def _said(paths):
    """What each method says, and the part of each question, both by where the method learnt and who asked."""
    said, parts = defaultdict(dict), defaultdict(dict)
    for path, detector, encoder, source in _places(paths):
        for row in tables.read(PREDICTIONS, path).to_pylist():
            place = source, row["asked"]
            method = said[place].setdefault(name_of(detector, encoder, row["head"]), Method())
            method.add(row["question_id"], row["out_of_scope"], row["score"])
            parts[place][row["question_id"]] = row["part"]
    return said, parts


def _places(paths):
    for path in paths:
        detector, encoder, source, _judge, _asked = str(path).replace("\\", "/").split("/")[-5:]
        yield path, detector, encoder, source


def _judges(labels):
    found = defaultdict(Method)
    for row in labels:
        if row["label"] in ("in_scope", "out_of_scope"):
            found[row["judge"]].add(row["question_id"], row["label"] == "out_of_scope", row["margin"])
    return dict(sorted(found.items()))


def _compared(keys, questions, methods):
    control = next((one for name, one in methods.items() if name.startswith(SINGLE["overlap"])), None)
    for name, method in methods.items():
        right, own = method.right(questions), {**keys, "method": name}
        n = int((~np.isnan(right)).sum())
        missing = len(questions) - n
        yield _row("figure_1", own, "accuracy", questions.accuracy(right), n, missing)
        yield _row("figure_1", own, "auroc", questions.auroc(method.score(questions)), n, missing)
        if control is not None and method is not control:
            beside = questions.difference(right, control.right(questions))
            yield _row("figure_1", own, "over_overlap", beside, n, missing)


def _by_topic(mine, methods, topics):
    for topic in sorted({topics[row["doc_id"]] for row in mine}):
        questions = Questions([row for row in mine if topics[row["doc_id"]] == topic], 0, 0)
        for name, method in methods.items():
            right = method.right(questions)
            n = int((~np.isnan(right)).sum())
            yield _row("topics", {"method": name, "topic": topic}, "accuracy", questions.accuracy(right), n)


def _calibrated(paths, kept, generator):
    """Reliability of the study's own detectors on documents they were not made with, all seeds together."""
    for path, detector, encoder, source in _places(paths):
        rows = [row for row in tables.read(PREDICTIONS, path).to_pylist() if row["part"] not in MADE_WITH]
        rows = [row for row in rows if (source, row["asked"]) == (generator, generator) and row["question_id"] in kept]
        for head in sorted({row["head"] for row in rows}):
            own = [row for row in rows if row["head"] == head]
            labels = [row["intended"] == "out_of_scope" for row in own]
            said, keys = [row["probability"] for row in own], {"method": name_of(detector, encoder, head)}
            raw = [1 / (1 + np.exp(-row["score"])) for row in own]
            n = len({row["question_id"] for row in own})
            error = (calibration.expected_error(said, labels), None, None)
            yield _row("calibration", keys, "expected_error", error, n)
            before = (calibration.expected_error(raw, labels), None, None)
            yield _row("calibration", keys, "before_temperature", before, n)
            for place in calibration.reliability(said, labels):
                at = {**keys, "probability": f"{place['bin'] / calibration.BINS:.1f}"}
                yield _row("reliability", at, "said", (place["said"], None, None), int(place["n"]))
                yield _row("reliability", at, "true", (place["true"], None, None), int(place["n"]))


def _curve(paths):
    """Accuracy on the test part by the number of documents learnt from: mean, least and most over seeds."""
    for path in paths:
        detector, encoder, *_ = str(path).replace("\\", "/").split("/")[-5:]
        groups = defaultdict(list)
        for row in tables.read(DETECTOR_TRAINING, path).to_pylist():
            if row["kept"] and row["test_accuracy"] is not None:
                groups[row["head"], row["documents"]].append(row["test_accuracy"])
        for (head, count), values in sorted(groups.items()):
            keys = {"method": name_of(detector, encoder, head), "documents": f"{count:05}"}
            found = (float(np.mean(values)), min(values), max(values))
            yield _row("learning_curve", keys, "accuracy", found, len(values))


def _rows(table, paths):
    return tables.read_all(table, paths).to_pylist()


def _row(table, keys, name, found, n, abstained=0):
    value, low, high = (None if number is None else float(number) for number in found)
    return metric("detectors", table, keys, name, value, n, low, high, abstained)


if __name__ == "__main__":
    run(measure_detectors, snakemake)
