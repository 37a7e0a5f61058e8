"""Measure how well queries that are out of a corpus's knowledge are recognized: the tables and figures of the paper,
and methods that do better.
"""

import numpy as np

from ragassay.base import tables
from ragassay.base.stage import log, run
from ragassay.schemas.corpora import LM_RELEVANCE
from ragassay.schemas.relevance import OUTLIER_SCORES
from ragassay.schemas.report import ANSWER_METRICS, METRICS
from ragassay.studies.relevance import methods, paper_figures, paper_tables
from ragassay.studies.relevance.paper_tables import LABELS, seven
from ragassay.studies.relevance.study_set import Options, StudySet, by_keys
from ragassay.studies.relevance.trials import Performance


def measure_relevance(
    passages, held_out_documents, queries, neighbours, outlier_scores, lm_relevance, answer_metrics, metrics,
    sets, options, resamples, flips, seed,
):  # fmt: skip
    """`sets` are the entries of `relevance.sets`, `options` what they share; the rest are files of all of them, and
    `answer_metrics` no file where no responder is asked.
    """
    outliers = by_keys(OUTLIER_SCORES, outlier_scores)
    votes = tables.frame(LM_RELEVANCE, lm_relevance)
    files = {"passages": passages, "held_out_documents": held_out_documents, "queries": queries}
    files |= {"neighbours": neighbours}
    rows, draws = [], (resamples, seed)
    for number, (name, entry) in enumerate(sets.items()):
        study_set = StudySet(name, entry, Options(**options), files)
        rated = votes[votes["corpus"] == entry["corpus"]]
        rows += _trials(study_set, outliers.get(name), rated, number == 0, resamples, flips, seed)
        rows += paper_tables.table_5(study_set, *draws)
        rows += paper_tables.table_6(study_set, *draws)
        rows += paper_figures.figure_2(study_set) if number == 0 else ()
        rows += paper_figures.figure_3(study_set, *draws)
        rows += paper_figures.figure_4(study_set, *draws)
        rows += paper_figures.figure_5(study_set, seed)
        rows += paper_figures.figure_6_7(study_set, number == 0)
        rows += paper_figures.figure_8(study_set) if number == 0 else ()
        rows += methods.choices(study_set)
    of_answers = tables.read_all(ANSWER_METRICS, answer_metrics).to_pylist()
    figure_3 = [row for row in rows if row["table"] == "figure_3"]
    rows += paper_figures.figure_3_answers(figure_3, [row for row in of_answers if row["table"] == "accuracy"])
    rows += [row for row in of_answers if row["table"] != "accuracy"]
    tables.write(METRICS, metrics, rows)
    log.info("%d numbers", len(rows))


def _trials(study_set, outlier_scores, rated, first, resamples, flips, seed):
    outliers = tables.read(OUTLIER_SCORES, outlier_scores).to_pandas() if outlier_scores else None
    for keys, trial in study_set.trials():
        performance = Performance(trial, resamples, seed)
        statistics = seven(trial, study_set.options)
        ranked = performance.ranked(statistics)
        yield from paper_tables.table_1_7(keys, ranked)
        energy = statistics[LABELS["energy"]]
        if outliers is not None:
            scores = _aligned(outliers, ["method", "fitted_on"], trial)
            yield from paper_tables.table_2(keys, performance, scores, energy, study_set.options)
        yield from paper_tables.table_3(keys, performance, _aligned(rated, ["rater", "retriever"], trial), energy)
        yield from paper_tables.table_4_8_9(keys, performance, statistics, study_set, first)
        yield from methods.methods(keys, performance, study_set.options, flips, seed)
        shown = {statistic: numbers["auroc"]["value"] for statistic, numbers in ranked.items()}
        best = max(shown, key=shown.get)
        log.info(
            "%s, %s: AUROC of %s %.3f, of %s %.3f",
            keys["corpus"], keys["set"], best, shown[best], LABELS["energy"], shown[LABELS["energy"]],
        )  # fmt: skip


def _aligned(scores, names, trial):
    """The columns that name a scorer -> its mean score of each query of a trial, if it scored both sides."""
    asked = (trial.known, trial.unknown)
    means = scores.groupby([*names, "query_set", "query_id"])["value"].mean()
    by_scorer = {}
    for scorer in dict.fromkeys(zip(*(scores[name] for name in names), strict=True)):
        of_scorer = means.loc[scorer]
        sides = [
            of_scorer.reindex([(asked_set.name, query) for query in asked_set.ids]).to_numpy() for asked_set in asked
        ]
        if all(np.isfinite(side).any() for side in sides):
            by_scorer[scorer] = np.concatenate(sides)
    return by_scorer


if __name__ == "__main__":
    run(measure_relevance, snakemake)
