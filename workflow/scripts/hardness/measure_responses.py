"""Turn responses, judges' labels of them, closed-book answers and direct detection into the metrics of the report's
section. Asks no model. Questions count if the study's own judge, the first, agrees with their intention.

Whether one responder or prompt is better than another (on questions with both verdicts, signs flipped by document,
Holm's correction, abstentions set against the difference and for it), and how a responder does without the document:
whether it declines is read from its words, whether it knows from what it shares with its answer from the document,
beside that to another question.
"""

from itertools import combinations

import numpy as np

from ragassay.base import tables
from ragassay.base.stage import run
from ragassay.grading.declines import declines
from ragassay.metrics.paired import holm
from ragassay.metrics.panel import bounds
from ragassay.metrics.sums import number
from ragassay.people.labelling import DEFUSION, SCOPE
from ragassay.schemas.hardness import HARDNESS_SCORES
from ragassay.schemas.people import GOLD
from ragassay.schemas.report import METRICS
from ragassay.schemas.scope_answers import CLOSED_BOOK_ANSWERS, DEFUSION_LABELS, RESPONSES
from ragassay.schemas.scope_questions import SCOPE_LABELS
from ragassay.studies.scope.response_tables import (
    SECTION,
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
from ragassay.studies.scope.verdict_matrix import (
    AFTER,
    BEFORE,
    UNASKED,
    UNKNOWN,
    JudgedCell,
    Questions,
    defused,
    judges_on_gold,
    period,
    read_questions,
    read_verdicts,
)
from ragassay.text.words import content, stem


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


def comparison_rows(questions: Questions, cells: dict, times: int, flips: int, seed: int):
    """The rows of the table comparisons, for each judge among the cells."""
    wanted = questions.out & questions.kept
    panel = questions.panel(times, seed).part(wanted)
    for judge in dict.fromkeys(cell.judge for cell in cells):
        judged = {cell: codes[wanted] for cell, codes in cells.items() if cell.judge == judge}
        pairs = list(_pairs(judged))
        if not pairs:
            continue
        firsts, seconds = (np.stack([judged[pair[at]] for _, _, pair in pairs], axis=1) for at in (0, 1))
        asked = (firsts != UNASKED) & (seconds != UNASKED)
        firsts, seconds = defused(firsts), defused(seconds)
        differences = panel.difference(firsts - seconds, asked)
        tested = panel.p(firsts - seconds, flips)
        adjusted = holm(tested)
        (least_first, most_first), (least_second, most_second) = bounds(firsts, asked), bounds(seconds, asked)
        lowest, highest = least_first - most_second, most_first - least_second
        for at, (compared, within, (first, second)) in enumerate(pairs):
            difference = differences.row(at)
            keys = {"generator": questions.generator, "judge": judge, "compared": compared, "within": within}
            keys |= {"first": getattr(first, compared), "second": getattr(second, compared)}
            numbers = {"p": float(tested[at]), "p_holm": float(adjusted[at])}
            numbers |= {"at_least": number(lowest[at]), "at_most": number(highest[at])}
            numbers["unsettled"] = float(not (lowest[at] > 0 or highest[at] < 0))
            yield SECTION.row("comparisons", keys, "difference", **difference)
            counts = {name: difference[name] for name in ("n", "abstained")}
            for name, value in numbers.items():
                yield SECTION.row("comparisons", keys, name, value, **counts)


def _pairs(cells):
    """(what is compared, within which, the two cells)"""
    for compared, within in (("responder", "prompt"), ("prompt", "responder")):
        for pair in combinations(cells, 2):
            if getattr(pair[0], within) == getattr(pair[1], within):
                yield compared, getattr(pair[0], within), pair


def closed_book_rows(questions: Questions, responder, answers, responses, codes, cutoff, times: int, seed: int):
    """The rows of the table closed_book, for one responder and the kept questions. `answers` and `responses` are
    question -> text, without the document and with it; `codes` are the verdicts on these responses.
    """
    ids = questions.ids.tolist()
    declined = np.array([declines(answers.get(question, "")) for question in ids], bool)
    asked = questions.kept & questions.are_in(answers)
    periods = np.array([period(questions.published[owner], cutoff) for owner in questions.owners], object)
    knows, chance = _known(questions, ids, asked & ~questions.out & ~declined, answers, responses)
    judged = np.where(questions.out, defused(codes), np.nan)
    values = {
        "answered": ~declined,
        "defused_if_answered": np.where(declined, np.nan, judged),
        "defused_if_declined": np.where(declined, judged, np.nan),
        "known": knows,
        "known_by_chance": chance,
    }
    values, titles = np.stack(list(values.values()), axis=1), list(values)
    masks = {
        (name, kind): asked & (periods == name) & of_kind
        for name in (BEFORE, AFTER, UNKNOWN)
        for kind, of_kind in (("out of scope", questions.out), ("in scope", ~questions.out))
    }
    counted = {keys: mask[:, None] & ~np.isnan(values) for keys, mask in masks.items() if mask.any()}
    for (name, kind), estimates in questions.panel(times, seed).means(values, counted).items():
        keys = {"generator": questions.generator, "responder": responder, "published": name, "questions": kind}
        for at, title in enumerate(titles):
            yield SECTION.row("closed_book", keys, title, **estimates.row(at))


def _known(questions, ids, wanted, answers, responses):
    """Of answered in-scope questions: what the answer shares with that from the document, and with another's."""
    knows, chance = np.full(len(ids), np.nan), np.full(len(ids), np.nan)
    for document in np.unique(questions.owners[wanted]):
        of_document = np.flatnonzero((questions.owners == document) & questions.kept & ~questions.out)
        for at, place in enumerate(of_document):
            if not wanted[place]:
                continue
            answer, text = answers[ids[place]], questions.texts[place]
            for target, other in ((knows, place), (chance, of_document[at - 1])):
                if (target is knows or other != place) and ids[other] in responses:
                    share = shared(answer, responses[ids[other]], text)
                    target[place] = np.nan if share is None else share
    return knows, chance


def shared(answer: str, other: str, question: str) -> float | None:
    """The share of the other answer's content words, without the question's, that this answer has; nothing of none."""
    asked = _words(question)
    wanted = _words(other) - asked
    return len(wanted & _words(answer)) / len(wanted) if wanted else None


def _words(text):
    return {stem(word) for word in content(text)}


if __name__ == "__main__":
    run(measure_responses, snakemake)
