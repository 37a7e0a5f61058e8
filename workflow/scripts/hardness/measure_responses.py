"""Turn responses, judges' labels of them, closed-book answers and direct detection into the metrics of the report's
section. Asks no model. Questions count if the study's own judge, the first, agrees with their intention. It reads one
shard at a time, and tables keep sums: so memory does not grow with the shards.
"""

import operator
from collections.abc import Iterator

import numpy as np
import pyarrow as pa

from ragassay.base import tables
from ragassay.base.stage import run
from ragassay.metrics.resampling import Judge
from ragassay.people.labelling import DEFUSION, SCOPE
from ragassay.schemas.documents import DOCUMENTS
from ragassay.schemas.people import GOLD
from ragassay.schemas.report import METRICS
from ragassay.schemas.scope_answers import CLOSED_BOOK_ANSWERS, DEFUSION_LABELS, DEFUSION_VOTES, RESPONSES
from ragassay.schemas.scope_questions import SCOPE_LABELS, SELECTED_QUESTIONS
from ragassay.studies.scope.response_comparisons import ClosedBook, Comparisons
from ragassay.studies.scope.response_tables import (
    Detection,
    Table2,
    Table3,
    basis_rows,
    figure_1,
    judge_rows,
    matrix,
    parts_of,
    response_name,
    votes_by_way,
    way_of,
)
from ragassay.studies.scope.strata import scores_by_shard
from ragassay.studies.scope.verdict_matrix import (
    NO_GOLD,
    SCOPE_SIDES,
    JudgedCell,
    Questions,
    aligned,
    cells_of,
    judges_on_gold,
    read_questions,
    read_verdicts,
)


def measure_responses(
    documents, selected_questions, responses, defusion_labels, defusion_votes, scope_labels, hardness_scores,
    closed_book_answers, gold, metrics, generator, judge, by_rules, prompt, cutoffs, least_share, resamples, flips,
    seed,
):  # fmt: skip
    """`generator` and `judge` are the study's own, the latter perhaps a set of rules; with responses to `prompt`
    closed-book answers are compared.
    """
    draws = {"times": resamples, "seed": seed}
    people = tables.frame(GOLD, gold).rename(columns={"prompt_name": "prompt"})
    on_scope, on_defusion = (people[people["task"] == task] for task in (SCOPE, DEFUSION))
    names = response_name(
        *(pa.array(on_defusion[name], pa.string()) for name in ("question_id", "responder", "prompt"))
    )
    settled = dict(zip(names.to_pylist(), on_defusion["label"], strict=True))
    of_scope = [pa.array(on_scope[name], pa.string()) for name in ("question_id", "label")]
    cells, models, scores = cells_of(defusion_labels), _models(scope_labels), scores_by_shard(hardness_scores)
    ways = (way_of(tables.keys(DEFUSION_VOTES, path)["variant"]) for path in defusion_votes)
    by_votes, studies, judges, responders, asked_of_all = Table3(ways, least_share, **draws), {}, {}, set(), 0
    files = {DOCUMENTS: documents, SELECTED_QUESTIONS: selected_questions, RESPONSES: responses}
    files |= {DEFUSION_LABELS: defusion_labels, DEFUSION_VOTES: defusion_votes, SCOPE_LABELS: scope_labels}
    for shard, parts in tables.by_shard(files | {CLOSED_BOOK_ANSWERS: closed_book_answers}).items():
        by_votes.add(votes_by_way(parts[DEFUSION_VOTES]), settled)
        if len(on_defusion):
            judged = tables.frame(DEFUSION_LABELS, parts[DEFUSION_LABELS], ["question_id", "label"])
            for name, counts in judges_on_gold(judged, on_defusion).items():
                judges[name] = Judge(*map(operator.add, judges.get(name, NO_GOLD), counts))
        given = _by_generator(RESPONSES, parts, ["prompt", "responder"], "finish_reason", "truncated", "text")
        labels = _by_generator(SCOPE_LABELS, parts, ["judge"], "label")
        closed_book = _by_generator(CLOSED_BOOK_ANSWERS, parts, ["responder"], "text")
        responders |= {cell[1] for of_cells in given.values() for cell, rows in of_cells.items() if rows.num_rows}
        questions = read_questions(parts[DOCUMENTS], parts[SELECTED_QUESTIONS])
        verdicts = read_verdicts(questions, parts[DEFUSION_LABELS])
        for name, asked in questions.items():
            asked_of_all += len(asked.ids)
            if name not in studies:
                of_name = name, cells.get(name, []), models.get(name, []), judge, prompt, cutoffs, flips
                studies[name] = Answers(*of_name, **draws)
            of_shard = (rows.get(name, {}) for rows in (given, labels, closed_book))
            of_people = asked.codes(*of_scope, SCOPE_SIDES)
            studies[name].add(asked, verdicts[name], *of_shard, scores(name, shard), of_people)
    rows = list(judge_rows({cell.judge for name in studies for cell in cells.get(name, [])}, judges))
    rows += [*by_votes.rows(), *basis_rows(judge, by_rules, responders, len(people), asked_of_all)]
    for name, study in studies.items():
        rows += study.rows(judges)
        rows += figure_1(study.detection.rows()) if name == generator else []
    tables.write(METRICS, metrics, rows)


class Answers:
    """What one generator's questions were answered, by all responders, and what models said of their scope."""

    def __init__(self, generator, cells, models, judge, prompt, cutoffs, flips, times, seed):
        self.generator, self.cells, self.judge, self.prompt = generator, cells, judge, prompt
        self.cutoffs, self.draws = cutoffs, {"times": times, "seed": seed}
        self.table_2 = Table2(generator, cells, **self.draws)
        self.comparisons = Comparisons(generator, cells, flips, **self.draws)
        self.detection = Detection(generator, models, judge, **self.draws)
        self.closed_book = {}  # responder -> ClosedBook

    def add(self, questions: Questions, verdicts, responses, labels, closed_book, scores, gold):
        """The rows of one shard, by prompt and responder, by model, and by responder; `gold` are codes of what people
        say of the scope of questions.
        """
        hard = questions.are_in(scores["question_id"].filter(scores["hard"]))
        if self.cells:
            self.table_2.add(questions, verdicts, parts_of(questions, self.cells, hard, self.cutoffs), responses)
            self.comparisons.add(questions, verdicts)
        by_model = {model: questions.codes(*rows.columns, SCOPE_SIDES) for (model,), rows in labels.items()}
        overlap = aligned(questions.ids, scores["question_id"], scores["score"].to_numpy(), np.nan)
        self.detection.add(questions, by_model, overlap, hard, gold)
        for (responder,), answers in closed_book.items():
            codes = matrix(questions, verdicts, [JudgedCell(self.judge, self.prompt, responder)])[:, 0]
            if responder not in self.closed_book:
                cutoff = self.cutoffs.get(responder)
                self.closed_book[responder] = ClosedBook(self.generator, responder, cutoff, **self.draws)
            way = self.prompt, responder
            from_document = responses[way] if way in responses else RESPONSES.schema.empty_table()
            texts = map(questions.texts_of, (answers, from_document))
            self.closed_book[responder].add(questions, *texts, codes)

    def rows(self, judges) -> Iterator[dict]:
        if self.cells:
            yield from self.table_2.rows(judges)
        for table in (self.comparisons, self.detection, *self.closed_book.values()):
            yield from table.rows()


def _models(scope_labels):
    """generator -> the models that were asked about its questions, in the order of the files."""
    models = {}
    for path in scope_labels:
        keys = tables.keys(SCOPE_LABELS, path)
        models.setdefault(keys["generator"], {})[keys["judge"]] = None
    return models


def _by_generator(table, parts, names, *columns):
    """generator -> these keys of paths -> questions and columns."""
    by_generator, columns = {}, ("question_id", *columns)
    for (generator, *keys), rows in tables.by_keys(table, parts[table], ["generator", *names], columns).items():
        by_generator.setdefault(generator, {})[tuple(keys)] = rows
    return by_generator


if __name__ == "__main__":
    run(measure_responses, snakemake)
