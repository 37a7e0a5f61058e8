"""Turn what detectors and judges say into the metrics of the report's section: the scope paper's Figure 1, and what a
reader would ask next.

Only documents count that a detector was not made with. Detectors stand beside what judges and responders say when they
are asked (direct generation), beside the overlap control and beside the question without its document, all on the same
questions: those that were kept, and gold, which is what people say of the study's questions or of those of a question
set.
"""

from collections import defaultdict
from pathlib import Path

import numpy as np

from ragassay import tables
from ragassay.annotation.tasks import SCOPE
from ragassay.detectors import calibration, predicted
from ragassay.detectors.comparison import Method, Questions
from ragassay.metrics import clustered
from ragassay.question_sets.measures import settled
from ragassay.schemas.detector_training import DETECTOR_TRAINING
from ragassay.schemas.documents import DOCUMENTS
from ragassay.schemas.gold import GOLD
from ragassay.schemas.hardness_scores import HARDNESS_SCORES
from ragassay.schemas.human_labels import HUMAN_LABELS
from ragassay.schemas.metrics import METRICS, metric
from ragassay.schemas.scope_labels import SCOPE_LABELS
from ragassay.schemas.selected_questions import SELECTED_QUESTIONS
from ragassay.scope.votes import IN, KEPT, OUT
from ragassay.stage import log, run

NO_TOPIC, NOTHING = "(none)", "(nothing)"
ALL, HARD = "all", "hard"
CONTROLS = {
    f"over_{name}": predicted.SINGLE[kind] for name, kind in (("overlap", "overlap"), ("question", "question_alone"))
}


def measure_detectors(
    documents, selected_questions, scope_labels, hardness_scores, training, predictions, gold, human_labels, metrics,
    generator, asked_models, resamples, seed,
):  # fmt: skip
    """`gold` are files of what people settled about the study's questions, `human_labels` of votes on question sets."""
    topics = {row["doc_id"]: row["topic"] or NO_TOPIC for row in _rows(DOCUMENTS, documents)}
    hard = {row["question_id"] for row in _rows(HARDNESS_SCORES, hardness_scores) if row["hard"]}
    kept = defaultdict(list)
    for row in _rows(SELECTED_QUESTIONS, selected_questions):
        if row["status"] == KEPT:
            kept[row["generator"]].append(row)
    said, new = _said(predictions)
    judges = _judges(_rows(SCOPE_LABELS, scope_labels), asked_models)
    rows, draws = [], (resamples, seed)
    for (source, asked), methods in sorted(said.items()):
        mine = [row for row in kept[asked] if new[source, asked].get(row["question_id"])]
        methods = {who: one for who, one in {**judges, **methods}.items() if one.knows(mine)}
        for stratum in (ALL, HARD):
            own = [row for row in mine if stratum == ALL or row["question_id"] in hard]
            if not own:
                continue  # as in small studies, whose few left out documents may have no hard questions
            keys = {"learnt_from": source, "asked": asked, "questions": stratum}
            rows += _compared("figure_1", keys, Questions(own, *draws), methods)
        if (source, asked) == (generator, generator):
            rows += _by_topic("topics", {}, mine, methods, topics)
    people = _people(gold, human_labels)
    for name, settled_ones in people.items():
        for source in sorted({source for source, asked in said if asked == name}) or [""]:
            own = [row for row in settled_ones.values() if not source or new[source, name].get(row["question_id"])]
            methods = {**judges, **said.get((source, name), {})}
            methods = {who: one for who, one in methods.items() if one.knows(own)}
            if own and methods:
                keys = {"gold": name, "learnt_from": source or NOTHING}
                rows += _compared("figure_1_gold", keys, Questions(own, *draws), methods)
                rows += _by_topic("topics_gold", keys, own, methods, topics) if source in ("", generator) else ()
    meant = {name: {row["question_id"]: row for row in own} for name, own in kept.items()}
    rows += _calibrated("", "asked", predictions, meant, draws)
    rows += _calibrated("_gold", "gold", predictions, people, draws)
    rows += _curve(training)
    tables.write(METRICS, metrics, rows)
    log.info("%d numbers", len(rows))


def _people(gold, human_labels):
    """generator or question set -> question -> its row, with what people say in the place of the intention. Votes that
    came with a set count before those that were given here.
    """
    found = defaultdict(dict)
    for path in gold:
        for row in tables.read(GOLD, path).to_pylist():
            if row["task"] == SCOPE:
                found[Path(path).parent.name][row["question_id"]] = _as_meant(row, row["label"])
    for path in human_labels:
        rows = [row for row in tables.read(HUMAN_LABELS, path).to_pylist() if row["task"] == SCOPE]
        owners = {row["question_id"]: row for row in rows}
        for (name, _), label in settled(rows).items():
            if label:
                found[Path(path).stem][name] = _as_meant(owners[name], label)
    return found


def _as_meant(row, label):
    return {"question_id": row["question_id"], "doc_id": row["doc_id"], "intended": label}


def _said(paths):
    """What each method says, and the questions whose documents are new to it, both by where it learnt and who asked."""
    said, new = defaultdict(dict), defaultdict(dict)
    for place, name, rows in predicted.read(paths):
        method = said[place.source, place.asked].setdefault(name, Method())
        for row in rows:
            method.add(row["question_id"], row["out_of_scope"], row["score"])
            new[place.source, place.asked][row["question_id"]] = predicted.is_new(row)
    return said, new


def _judges(labels, asked):
    """What models say that are asked, and judges and detectors whose verdicts came with a question set."""
    found = defaultdict(Method)
    for row in labels:
        if row["label"] in (IN, OUT):
            how = "asked directly" if row["judge"] in asked else "recorded"
            found[f"{row['judge']}, {how}"].add(row["question_id"], row["label"] == OUT, row["margin"])
    return dict(sorted(found.items()))


def _compared(table, keys, questions, methods):
    controls = {
        metric: one for metric, start in CONTROLS.items() for name, one in methods.items() if name.startswith(start)
    }
    for name, method in methods.items():
        right, own = method.right(questions), {**keys, "method": name}
        n = int((~np.isnan(right)).sum())
        missing = len(questions) - n
        yield _row(table, own, "accuracy", questions.accuracy(right), n, missing)
        yield _row(table, own, "auroc", questions.auroc(method.score(questions)), n, missing)
        for over in CONTROLS:  # without a value where the control is not used or is the method itself
            control, beside = controls.get(over), (None, None, None)
            if control not in (None, method):
                beside = questions.difference(right, control.right(questions))
            yield _row(table, own, over, beside, n, missing)


def _by_topic(table, keys, mine, methods, topics):
    for topic in sorted({topics[row["doc_id"]] for row in mine}):
        questions = Questions([row for row in mine if topics[row["doc_id"]] == topic], 0, 0)
        for name, method in methods.items():
            right = method.right(questions)
            n = int((~np.isnan(right)).sum())
            yield _row(table, {**keys, "method": name, "topic": topic}, "accuracy", questions.accuracy(right), n)


def _calibrated(suffix, whose, paths, truths, draws):
    """Reliability of detectors on documents they were not made with, all seeds together. `truths` are rows by question,
    by whose they are.
    """
    for place, name, rows in predicted.read(paths):
        truth = truths.get(place.asked, {})
        own = [row for row in rows if predicted.is_new(row) and row["question_id"] in truth]
        if not own:
            continue
        labels = [truth[row["question_id"]]["intended"] == OUT for row in own]
        said, raw = [row["probability"] for row in own], [1 / (1 + np.exp(-row["score"])) for row in own]
        keys = {whose: place.asked, "learnt_from": place.source, "method": name}
        n = len({row["question_id"] for row in own})
        for metric_name, probabilities in (("expected_error", said), ("before_temperature", raw)):
            error = calibration.expected_error(probabilities, labels)
            yield _row(f"calibration{suffix}", keys, metric_name, (error, None, None), n)
        documents = np.unique([row["doc_id"] for row in own], return_inverse=True)[1]
        places = calibration.bins(said)
        for found in calibration.reliability(said, labels):
            inside = np.flatnonzero(places == found["bin"])
            n = len({own[number]["question_id"] for number in inside})
            true = clustered.mean(documents[inside], np.array(labels)[inside], documents.max() + 1, *draws)
            at = {**keys, "probability": f"{found['bin'] / calibration.BINS:.1f}"}
            yield _row(f"reliability{suffix}", at, "said", (found["said"], None, None), n)
            yield _row(f"reliability{suffix}", at, "true", (true["value"], true["low"], true["high"]), n)


def _curve(paths):
    """Accuracy on the test part by the number of documents learnt from: mean, least and most over seeds."""
    for path in paths:
        detector, encoder, *_ = str(path).replace("\\", "/").split("/")[-5:]
        groups = defaultdict(list)
        for row in tables.read(DETECTOR_TRAINING, path).to_pylist():
            if row["kept"] and row["test_accuracy"] is not None:
                groups[row["head"], row["documents"]].append(row["test_accuracy"])
        for (head, count), values in sorted(groups.items()):
            keys = {"method": predicted.name_of(detector, encoder, head), "documents": f"{count:05}"}
            found = (float(np.mean(values)), min(values), max(values))
            yield _row("learning_curve", keys, "accuracy", found, len(values))


def _rows(table, paths):
    return tables.read_all(table, paths).to_pylist()


def _row(table, keys, name, found, n, abstained=0):
    value, low, high = (None if number is None else float(number) for number in found)
    return metric("detectors", table, keys, name, value, n, low, high, abstained)


if __name__ == "__main__":
    run(measure_detectors, snakemake)
