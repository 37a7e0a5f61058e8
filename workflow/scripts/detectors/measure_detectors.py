"""Turn the answers of detectors and judges into the metrics of the report's section: the scope paper's Figure 1, and
what a reader would ask next.

Only documents count that a detector was not trained on. Detectors are compared with judges and responders that were
asked directly, with the overlap control and with the question without its document, all on the same questions: those
that were kept, and gold, which is what people say about the study's questions or about those of a question set.
"""

from functools import partial

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc

from ragassay.base import tables
from ragassay.base.stage import log, run
from ragassay.people.labelling import SCOPE
from ragassay.schemas.documents import DOCUMENTS, NO_TOPIC
from ragassay.schemas.hardness import HARDNESS_SCORES
from ragassay.schemas.people import GOLD, HUMAN_LABELS
from ragassay.schemas.report import METRICS
from ragassay.schemas.scope_answers import DETECTOR_TRAINING, PREDICTIONS
from ragassay.schemas.scope_questions import SCOPE_LABELS, SELECTED_QUESTIONS
from ragassay.studies.scope.detectors.detector_results import (
    SECTION,
    by_topic,
    calibration_rows,
    compared,
    curve_rows,
    frame,
    judged,
)
from ragassay.studies.scope.question_sets import settled
from ragassay.studies.scope.votes import KEPT, OUT

NOTHING = "(nothing)"


def measure_detectors(
    documents, selected_questions, scope_labels, hardness_scores, training, predictions, gold, human_labels, metrics,
    generator, asked_models, resamples, seed,
):  # fmt: skip
    """`gold` are files of settled labels of the study's questions, `human_labels` of votes on question sets."""
    topics = tables.frame(DOCUMENTS, documents, ["doc_id", "topic"]).drop_duplicates("doc_id").set_index("doc_id")
    topics = topics["topic"].fillna(NO_TOPIC)
    detected, people = frame(predictions), _with_truth(_people(gold, human_labels), "label", topics)
    columns, tested = ["question_id", "doc_id", "intended", "status"], detected["question_id"].unique()
    kept = (pc.field("status") == KEPT) & _is_among(tested)
    kept = tables.frame(SELECTED_QUESTIONS, selected_questions, columns, kept).rename(columns={"generator": "asked"})
    kept = _with_truth(kept, "intended", topics)
    hard = tables.frame(HARDNESS_SCORES, hardness_scores, ["question_id", "hard"], pc.field("hard"))["question_id"]
    labels = _is_among([*tested, *people["question_id"]])
    labels = tables.frame(SCOPE_LABELS, scope_labels, ["question_id", "label", "margin", "judge"], labels)
    asked_directly = judged(labels, asked_models)
    rows, draws = [], (resamples, seed)
    pairs = sorted({(keys["generator"], keys["asked"]) for keys in map(partial(tables.keys, PREDICTIONS), predictions)})
    for source, asked in pairs:
        answers = detected[(detected["source"] == source) & (detected["asked"] == asked)]
        questions = _new(kept[kept["asked"] == asked], answers)
        answers = _about(questions, asked_directly, answers)
        strata = {"all": questions, "hard": _among(questions, hard)}
        for stratum, inside in strata.items():
            keys = {"trained_on": source, "asked": asked, "questions": stratum}
            rows += compared("figure_1", keys, inside, answers, *draws)
        if (source, asked) == (generator, generator):
            rows += by_topic("topics", {}, questions, answers)
            tested = {"documents": questions["doc_id"].nunique()}
            rows += SECTION.rows("tested", {"generator": generator}, tested, len(questions))
    for name, settled_ones in people.groupby("asked"):
        of_set = detected[detected["asked"] == name]
        for source in [source for source, asked in pairs if asked == name] or [""]:
            answers = of_set[of_set["source"] == source]
            questions = _new(settled_ones, answers) if source else settled_ones
            answers = _about(questions, asked_directly, answers)
            keys = {"gold": name, "trained_on": source or NOTHING}
            rows += compared("figure_1_gold", keys, questions, answers, *draws)
            rows += by_topic("topics_gold", keys, questions, answers) if source in ("", generator) else ()
    rows += calibration_rows("", "asked", detected, kept, *draws)
    rows += calibration_rows("_gold", "gold", detected, people, *draws)
    rows += curve_rows(tables.frame(DETECTOR_TRAINING, training))
    tables.write(METRICS, metrics, rows)
    log.info("%d numbers", len(rows))


def _is_among(questions):
    return pc.field("question_id").isin(pa.array(questions, pa.string()))


def _people(gold, human_labels):
    """People's labels of questions. Votes that came with a set take precedence over labels from our pages."""
    here = tables.frame(GOLD, gold).rename(columns={"generator": "asked"})
    votes = tables.frame(HUMAN_LABELS, human_labels).rename(columns={"question_set": "asked"})
    people = [here[here["task"] == SCOPE]]
    for _, of_set in votes[votes["task"] == SCOPE].groupby("asked"):
        labels = {question: label for (question, _), label in settled(of_set.to_dict("records")).items() if label}
        people.append(of_set.assign(label=of_set["question_id"].map(labels)).dropna(subset="label"))
    return pd.concat(people).drop_duplicates(["asked", "question_id"], keep="last")


def _with_truth(questions, column, topics):
    return questions.assign(out=questions[column] == OUT, topic=questions["doc_id"].map(topics))


def _new(questions, answers):
    """Those whose documents are new to the detectors."""
    return _among(questions, answers.loc[answers["new"], "question_id"])


def _about(questions, *answers):
    columns = ["method", "question_id", "out_of_scope", "score"]
    return pd.concat([_among(rows, questions["question_id"])[columns] for rows in answers])


def _among(rows, questions):
    """The rows about some of these questions. The `isin` of pandas would make a Python object of each of their ids."""
    ids, wanted = pa.array(rows["question_id"], pa.string()), pa.array(questions, pa.string())
    return rows[np.asarray(pc.is_in(ids, value_set=wanted))]


if __name__ == "__main__":
    run(measure_detectors, snakemake)
