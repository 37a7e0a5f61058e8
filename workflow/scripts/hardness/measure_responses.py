"""Turn responses, judges' labels of them, closed-book answers and direct detection into the metrics of the report's
section. Asks no model. Questions count if the study's own judge, the first, agrees with their intention.
"""

import numpy as np

from ragassay.base import tables
from ragassay.base.stage import run
from ragassay.people.labelling import DEFUSION, SCOPE
from ragassay.schemas.hardness import HARDNESS_SCORES
from ragassay.schemas.people import GOLD
from ragassay.schemas.report import METRICS
from ragassay.schemas.scope_answers import CLOSED_BOOK_ANSWERS, DEFUSION_LABELS, RESPONSES
from ragassay.schemas.scope_questions import SCOPE_LABELS
from ragassay.studies.scope.response_comparisons import closed_book_rows, comparison_rows
from ragassay.studies.scope.response_tables import (
    basis_rows,
    counts_of,
    detection_rows,
    figure_1,
    judge_rows,
    parts_of,
    refusal_rows,
    table_2,
    table_3,
    votes_by_way,
)
from ragassay.studies.scope.verdict_matrix import UNASKED, JudgedCell, judges_on_gold, read_questions, read_verdicts


def measure_responses(
    documents, selected_questions, responses, defusion_labels, defusion_votes, scope_labels, hardness_scores,
    closed_book_answers, gold, metrics, generator, judge, by_rules, prompt, cutoffs, least_share, resamples, flips,
    seed,
):  # fmt: skip
    """`generator` and `judge` are the study's own, the latter perhaps a set of rules; with responses to `prompt`
    closed-book answers are compared.
    """
    questions = read_questions(documents, selected_questions)
    verdicts = read_verdicts(questions, defusion_labels)
    people = tables.frame(GOLD, gold).rename(columns={"prompt_name": "prompt"})
    on_scope, on_defusion = (people[people["task"] == task] for task in (SCOPE, DEFUSION))
    judged = tables.frame(DEFUSION_LABELS, defusion_labels if len(on_defusion) else [], ["question_id", "label"])
    judges, draws = judges_on_gold(judged, on_defusion), {"times": resamples, "seed": seed}
    settled = on_defusion.set_index(["question_id", "responder", "prompt"])["label"].to_dict()
    rows = list(judge_rows({cell.judge for cells in verdicts.values() for cell in cells}, judges))
    rows += table_3(*votes_by_way(defusion_votes), settled, least_share, **draws)
    response_rows = tables.frame(RESPONSES, responses, ["question_id", "text", "finish_reason", "truncated"])
    asked_of_all = sum(len(asked.ids) for asked in questions.values())
    rows += basis_rows(judge, by_rules, set(response_rows["responder"]), len(people), asked_of_all)
    labels = tables.frame(SCOPE_LABELS, scope_labels, ["question_id", "label"])
    closed_book = tables.frame(CLOSED_BOOK_ANSWERS, closed_book_answers, ["question_id", "text"])
    scores = tables.frame(HARDNESS_SCORES, hardness_scores, ["question_id", "score", "hard"])
    for name, asked in questions.items():
        cells, answers, near = verdicts[name], _of(response_rows, name), _of(scores, name)
        hard, overlap = (
            near.loc[near["hard"].eq(True), "question_id"],
            _by_question(near.dropna(subset="score"), "score"),
        )
        if cells:
            parts = parts_of(asked, cells, hard, cutoffs)
            rows += table_2(asked, cells, parts, counts_of(asked, answers), judges, **draws)
            rows += refusal_rows(asked, cells, answers, **draws)
            rows += comparison_rows(asked, cells, flips=flips, **draws)
        models = {
            model: _by_question(of_model, "label") for model, of_model in _of(labels, name).groupby("judge", sort=False)
        }
        detected = list(detection_rows(asked, models, overlap, hard, judge, _by_question(on_scope, "label"), **draws))
        rows += detected
        if name == generator:
            rows += figure_1(detected)
        for responder, of_model in _of(closed_book, name).groupby("responder"):
            codes = cells.get(JudgedCell(judge, prompt, responder), np.full(len(asked.ids), UNASKED, np.int8))
            with_document = answers[(answers["responder"] == responder) & (answers["prompt"] == prompt)]
            texts = _by_question(of_model, "text"), _by_question(with_document, "text")
            rows += closed_book_rows(asked, responder, *texts, codes, cutoffs.get(responder), **draws)
    tables.write(METRICS, metrics, rows)


def _of(rows, generator):
    return rows[rows["generator"] == generator]


def _by_question(rows, column):
    return dict(zip(rows["question_id"], rows[column], strict=True))


if __name__ == "__main__":
    run(measure_responses, snakemake)
