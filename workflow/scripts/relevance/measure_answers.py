"""Measure what the passages of a corpus are worth in answers, and what a gate before the responder is: numbers of the
report's section on relevance, and a few examples.
"""

from ragassay.base import tables
from ragassay.base.stage import log, run
from ragassay.schemas.report import ANSWER_EXAMPLES, ANSWER_METRICS
from ragassay.studies.relevance import gated_answers, methods
from ragassay.studies.relevance.study_set import Options, StudySet
from ragassay.studies.relevance.trials import Performance


def measure_answers(
    passages, held_out_documents, queries, neighbours, passage_answers, direct_answers, answer_metrics,
    answer_examples,sets, options, alphas, responders, resamples, seed,
):  # fmt: skip
    """The settings are those of measure_relevance, except that the retrievers are those of answers, and
    each set has an alpha.
    """
    files = {"passages": passages, "held_out_documents": held_out_documents, "queries": queries}
    files |= {"neighbours": neighbours}
    rows, shown, draws = [], [], (resamples, seed)
    for name, entry in sets.items():
        study_set = StudySet(name, entry, Options(**options | {"alpha": alphas[name]}), files)
        for responder in responders:
            outcomes_of = gated_answers.Outcomes(responder, passage_answers, direct_answers)
            rows += gated_answers.equation_1(study_set, outcomes_of, *draws)
            rows += gated_answers.accuracies(study_set, outcomes_of, *draws)
            for numbers, examples in _trials(study_set, outcomes_of, queries, *draws):
                rows += numbers
                shown = shown or examples
    tables.write(ANSWER_METRICS, answer_metrics, rows)
    tables.write(ANSWER_EXAMPLES, answer_examples, shown)
    log.info("%d numbers", len(rows))


def _trials(study_set, outcomes_of, queries, resamples, seed):
    """Numbers and examples of each trial whose queries were asked."""
    options = study_set.options
    for place, trial in study_set.trials():
        by_strategy = gated_answers.answers(study_set, trial, outcomes_of)
        if not by_strategy:
            continue
        values = methods.statistics(trial, options, trained=False)
        rejected = {
            name: trial.rejected(by_query, options.alpha, options.p_values) for name, by_query in values.items()
        }
        keys = place | {"responder": outcomes_of.responder, "retriever": options.retriever, "alpha": options.alpha}
        rows = list(gated_answers.gate_rows(keys, Performance(trial, resamples, seed), by_strategy, rejected))
        fused = (gated_answers.CHART, values[gated_answers.CHART])
        yield rows, list(gated_answers.example_rows(study_set, trial, outcomes_of, queries, *fused))


if __name__ == "__main__":
    run(measure_answers, snakemake)
