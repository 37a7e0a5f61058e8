"""Let a model make targets of queries: it answers each from the passage that holds the answer and by heart; where both
agree, it proposes a wrong answer and texts. What cannot be used is a row of the rejects, with its reason.
"""

from ragassay.base import chance, tables
from ragassay.base.errors import AssayError
from ragassay.base.stage import log, run
from ragassay.base.tally import Tally
from ragassay.calls.complete import converse, estimating
from ragassay.calls.model import Model
from ragassay.calls.prompts import Prompt
from ragassay.schemas.corpora import QUERIES
from ragassay.studies.poisoning.targets.hygiene import Problem
from ragassay.studies.poisoning.targets.interview import CLOSED_BOOK, Interview, Prompts, Settings, gold_texts, named
from ragassay.studies.poisoning.targets.target_tables import TargetTables


class NoTargets(AssayError):
    """No question of a query set can become a target."""


def write_targets(
    queries, passages, answer_prompt, propose_prompt, text_prompt, targets, rejects, calls, model, ledger, dataset,
    count, seed, agreement, texts, words, tries, answering, writing, most_rejected, trigger=None,
):  # fmt: skip
    prompts = Prompts(*(Prompt.load(path) for path in (answer_prompt, propose_prompt, text_prompt)))
    model = Model(**model)
    settings = Settings(model.name, agreement, texts, words, tries, answering, writing, estimating())
    tally = Tally.of_answers(model.name, "targets and texts", most_rejected)
    with TargetTables("write_targets", dataset, targets, rejects, tally, trigger) as made:
        usable, gold = _askable(queries, passages, count, seed, agreement, made)

        async def interviewed(query, ask):
            interview = Interview(query, gold[named(query)], prompts, settings, ask)
            return await interview.target(), interview

        for row, one in converse(usable, interviewed, model, ledger, calls, tally):
            tally.hear(one.query["query_id"], one.answers)
            made.take(row, one.problems, one.answers[-1])
            for problem in one.excluded:
                made.exclude(problem)
    made.tell()
    if not made.kept.written:
        log.info("%s: no question of %d became a target; the rejects say why", dataset, len(usable))


def _askable(queries, passages, count, seed, agreement, made):
    """The drawn queries that can be asked, and what answers each; the others are rejects."""
    rows = tables.read(QUERIES, queries).to_pylist()
    rows = sorted(rows, key=lambda row: chance.lot(None, seed, row["query_id"]))[:count]  # most stay as the set grows
    gold, askable = gold_texts(passages, {named(row) for row in rows} - {None}), []
    for row in rows:
        if named(row) not in gold:
            detail = f"{named(row)!r} is no passage or document of the corpus" if named(row) else "no passage is named"
            made.exclude(Problem(row["query_id"], "no_gold_passage", detail))
        elif agreement != CLOSED_BOOK and not any(answer.strip() for answer in row["answers"] or []):
            made.exclude(Problem(row["query_id"], "no_answer", "the query set has no answer to it"))
        else:
            askable.append(row)
    if not askable:
        wanted = "a passage or document of the corpus" + (" and answers" if agreement != CLOSED_BOOK else "")
        raise NoTargets(
            f"{queries}: found {len(rows)} queries and none with {wanted}; name the columns in query_sets, or take"
            " another query set or corpus"
        )
    return askable, gold


if __name__ == "__main__":
    run(write_targets, snakemake)
