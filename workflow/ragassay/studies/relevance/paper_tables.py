"""Tables 1 to 9 of the paper, as rows of the table metrics, from any study set: 1 and 7 the statistics by AUROC and
AUPRC; 2 and 3 Energy, outlier detectors and a model's score; 4, 8 and 9 critical values from true and synthetic
queries (far sets, first corpus, others), also of the fused statistic; 5 sizes of samples; 6 whole sets."""

from collections.abc import Iterator

import numpy as np

from ragassay.schemas.report import Section
from ragassay.studies.relevance.calibration import combinations
from ragassay.studies.relevance.searched_queries import FAR, HELD_OUT, fits
from ragassay.studies.relevance.statistics import SIMPLE, fused_mss, units_of, with_reader
from ragassay.studies.relevance.study_set import Options, StudySet
from ragassay.studies.relevance.trials import BOTH, NOTHING, SYNTHETIC, TRUE, Pair, Performance, Trial

SECTION = Section("relevance")
LABELS = {
    "mss": "MSS", "knn": "KNN", "avg_knn": "AvgKNN", "entropy": "Entropy", "energy": "Energy", "fisher": "Fisher",
    "simes": "Simes",
}  # fmt: skip
FUSED_MSS = "Fused MSS"  # the statistic of our own that gates use
WORDS = "Words alone"  # the control of all tables: a model of how queries are worded
OUTLIERS = {
    "mahalanobis": "Mahalanobis", "svm": "One-class SVM", "lof": "LOF", "kde": "KDE", "copod": "COPOD, one by one",
    "copod_together": "COPOD, together", "subspace": "Principal components",
}  # fmt: skip


def seven(trial: Trial, options: Options) -> dict[str, np.ndarray]:
    """All statistics of a trial by the first retriever."""
    scores = trial.nearest(options.retriever, options.k)
    simple = {LABELS[name]: options.setting(name).of(scores) for name in SIMPLE}
    return simple | {LABELS[name]: values for name, values in trial.combined(scores, options.p_values).items()}


def fused(pair: Pair, options: Options) -> np.ndarray:
    """The fused statistic of all queries, in units of the fitting part."""
    fitting = pair.known.part(pair.fitting[~pair.positive])
    fitted = [fitting.nearest(retriever, options.k) for retriever in options.fused]
    return fused_mss(fitted, [pair.nearest(retriever, options.k) for retriever in options.fused])


def table_1_7(keys: dict, measured: dict) -> Iterator[dict]:
    """AUROC (1) and AUPRC (7) of each statistic."""
    for statistic, numbers in measured.items():
        for table, name in (("table_1", "auroc"), ("table_7", "auprc")):
            yield SECTION.row(table, {**keys, "statistic": statistic}, name, **numbers[name])
        yield from _above("table_1", keys, numbers, statistic=statistic)


def _above(table, keys, numbers, **method):
    """How much the AUROC of a method is above that of MSS, in a table with a column for each set."""
    if "auroc_above" in numbers:
        place = {name: keys[name] for name in ("corpus", "set")} | method
        yield SECTION.row(f"{table}_above", place, "auroc_above", **numbers["auroc_above"])


def table_2(keys: dict, performance: Performance, outliers: dict, beside: dict, options: Options):
    """Outlier detectors, by what they were fitted on, against the methods `beside` them: AUROC, AUPRC, and what they
    find and cost at level alpha. `outliers` are scores by method and origin.
    """
    trial = performance.trial
    named = {(OUTLIERS[method], origin): scores for (method, origin), scores in outliers.items()}
    named |= {(method, BOTH if method == WORDS else NOTHING): values for method, values in beside.items()}
    rejected = {name: trial.rejected(scores, options.alpha, options.p_values) for name, scores in named.items()}
    decided = performance.decided(rejected)
    for (method, origin), numbers in performance.ranked(named, (LABELS["mss"], NOTHING)).items():
        yield from _above("table_2", keys, numbers, method=method, fitted_on=origin)
        for name, row in (numbers | decided[method, origin]).items():
            if name != "auroc_above":
                yield SECTION.row("table_2", {**keys, "method": method, "fitted_on": origin}, name, **row)


def table_3(keys: dict, performance: Performance, rated: dict, beside: dict, prices: dict) -> Iterator[dict]:
    """Relevance scores of language models, by model and the retriever whose passages it saw, alone and with the fused
    statistic, as a gate with a reader has them; against the methods `beside` them on the queries that have a score. A
    model has a price for a thousand queries, by the names of metrics.
    """
    fitting = performance.trial.fitting
    for (model, retriever), scores in rated.items():
        same = {method: np.where(np.isnan(scores), np.nan, values) for method, values in beside.items()}
        of_model = {model: scores}
        scored = fitting & ~np.isnan(scores)
        if scored.any():
            units = [units_of(values[scored]) for values in (beside[FUSED_MSS], scores)]
            of_model[f"{FUSED_MSS} and {model}"] = with_reader(same[FUSED_MSS], scores, units)
        for method, numbers in performance.ranked(of_model | same, LABELS["mss"]).items():
            place = {**keys, "method": method, "compared_with": LABELS["mss"] if method in of_model else model}
            for name, row in numbers.items():
                yield SECTION.row("table_3", place | {"passages_by": retriever}, name, **row)
            for name, row in prices[model, retriever].items() if method in of_model else ():
                yield SECTION.row("table_3", place | {"passages_by": retriever}, name, **row)


def table_4_8_9(
    keys: dict, performance: Performance, statistics: dict, study_set: StudySet, first: bool
) -> Iterator[dict]:
    """What is found and wrongly rejected with critical values from true and from synthetic in-knowledge queries."""
    trial, options = performance.trial, study_set.options
    level, statistics = (options.alpha, options.p_values), statistics | {FUSED_MSS: fused(trial, options)}
    sources = {TRUE: {name: trial.rejected(values, *level) for name, values in statistics.items()}}
    if study_set.synthetic and trial.kind != HELD_OUT:
        sources[SYNTHETIC] = _by_synthetic(trial, statistics, study_set)
    tables = [*(["table_4"] if trial.kind == FAR else []), "table_8" if first else "table_9"]
    for source, rejected in sources.items():
        for statistic, numbers in performance.decided(rejected).items():
            for name, row in numbers.items():
                for table in tables:
                    place = {**keys, "critical_value": source, "measure": name.upper(), "statistic": statistic}
                    yield SECTION.row(table, place, "share", **row)


def _by_synthetic(trial, statistics, study_set):
    """Decisions with synthetic queries in the place of those that calibrate."""
    options, synthetic = study_set.options, study_set.synthetic
    reference_scores = synthetic.nearest(options.retriever, options.k)
    scores, runs = trial.nearest(options.retriever, options.k), trial.tested.shape[1]
    pairs = {name: (options.setting(name).of(reference_scores), statistics[LABELS[name]]) for name in SIMPLE}
    pairs |= combinations(reference_scores, scores, options.p_values)
    decisions = {}
    for name, (reference, values) in pairs.items():
        decisions[LABELS[name]] = trial.rejected(values, options.alpha, options.p_values, [reference] * runs)
    asked = [trial.nearest(retriever, options.k) for retriever in options.fused]
    reference_scores = [synthetic.nearest(retriever, options.k) for retriever in options.fused]
    fitting = fits(synthetic.keys)
    if fitting.any():  # units and calibration come from different queries, as in a gate
        part = [scores[fitting] for scores in reference_scores]
        reference, values = fused_mss(part, [scores[~fitting] for scores in reference_scores]), fused_mss(part, asked)
        decisions[FUSED_MSS] = trial.rejected(values, options.alpha, options.p_values, [reference] * runs)
    return decisions


def table_5(study_set: StudySet, words: dict[int, np.ndarray], resamples: int, seed: int) -> Iterator[dict]:
    """Energy with samples of other sizes, over half as many runs. A size that a set has not enough queries for, and
    that would test the same ones as a smaller size, has no rows. `words` are the values of that control by trial.
    """
    options, tested = study_set.options, {}
    for size in sorted(options.sizes):
        for keys, trial in study_set.trials(size, max(options.runs // 2, 1)):
            if np.array_equal(tested.get(keys["at"]), trial.tested):
                continue
            tested[keys["at"]] = trial.tested
            count = round(trial.tested[trial.positive].sum(axis=0).mean())  # of each kind; a mean over runs
            performance = Performance(trial, resamples, seed)
            yield from _energy("table_5", {**keys, "samples": count}, performance, words[keys["at"]], options)


def table_6(study_set: StudySet, words: dict[int, np.ndarray], resamples: int, seed: int) -> Iterator[dict]:
    """Energy on whole sets: all queries but those that fit something."""
    for keys, trial in study_set.trials(runs=1):
        trial.tested = (~trial.fitting)[:, None]
        performance = Performance(trial, resamples, seed)
        yield from _energy("table_6", keys, performance, words[keys["at"]], study_set.options)


def _energy(table, keys, performance, words, options):
    scores = performance.trial.nearest(options.retriever, options.k)
    values = {name: options.setting(name).of(scores) for name in ("energy", "mss")} | {WORDS: words}
    ranked = performance.ranked(values, "mss")
    for name, row in (ranked["energy"] | {"words": ranked[WORDS]["auroc"]}).items():
        yield SECTION.row(table, keys, name, **row)
