"""Measure how well queries that are out of a corpus's knowledge are recognized: the tables and figures of the paper,
and methods that do better.

Figures 2 to 8 of the paper, as rows of the table metrics, from any study set: 2 Energy with its critical values, 3
telling apart beside finding, 4 k, 5 how soon a change is seen, 6 and 7 all statistics (first corpus, others), 8 KNN
by retriever. 6 to 8 are in standard units of in-knowledge queries, so that they share an axis.
"""

import json
from collections.abc import Iterator

import numpy as np

from ragassay.base import tables
from ragassay.base.stage import log, run
from ragassay.metrics.panel import Panel
from ragassay.metrics.resampling import clopper_pearson
from ragassay.schemas.corpora import LM_RELEVANCE, QUERIES
from ragassay.schemas.relevance import OUTLIER_SCORES
from ragassay.schemas.report import ANSWER_METRICS, CALLS, METRICS
from ragassay.studies.relevance import calibration, methods, paper_tables
from ragassay.studies.relevance.divisions import divisions, still_answered
from ragassay.studies.relevance.drift import ks_p_values
from ragassay.studies.relevance.paper_tables import FUSED_MSS, LABELS, SECTION, WORDS, fused, seven
from ragassay.studies.relevance.searched_queries import FAR, HELD_OUT, NEAR, of_held_out
from ragassay.studies.relevance.statistics import COMBINED, SIMPLE
from ragassay.studies.relevance.study_set import Options, StudySet, by_keys
from ragassay.studies.relevance.trials import SYNTHETIC, TRUE, Performance, resampled

WINDOW, TRIALS = 50, 500  # of figure 5
RESAMPLES, FEWER = 20, 50  # of its queries, and trials with each
BINS = 24
LOWEST, HIGHEST = -3.0, 9.0  # standard units; what lies beyond is in the bins at the ends


def measure_relevance(
    passages, held_out_documents, queries, neighbours, outlier_scores, lm_relevance, calls, answer_metrics, metrics,
    sets, options, resamples, flips, seed,
):  # fmt: skip
    """`sets` are the entries of `relevance.sets`, `options` what they share; the rest are files of all of them, and
    `answer_metrics` no file where no responder is asked. `calls` are those of `lm_relevance`, in its order.
    """
    outliers = by_keys(OUTLIER_SCORES, outlier_scores)
    votes = tables.frame(LM_RELEVANCE, lm_relevance)
    files = {"passages": passages, "held_out_documents": held_out_documents, "queries": queries}
    files |= {"neighbours": neighbours}
    rows, draws, texts = [], (resamples, seed), _texts(queries)
    paid = list(zip(lm_relevance, calls, strict=True))
    for number, (name, entry) in enumerate(sets.items()):
        study_set = StudySet(name, entry, Options(**options).of_set(entry), files)
        rated = votes[votes["corpus"] == entry["corpus"]]
        setting = methods.selected(study_set)
        words = {keys["at"]: methods.words_alone(trial, texts) for keys, trial in study_set.trials(runs=1)}
        rows += _trials(study_set, outliers.get(name), rated, paid, words, setting, number == 0, resamples, flips, seed)
        rows += divisions(study_set, texts, setting, *draws)
        rows += still_answered(study_set, *draws)
        rows += paper_tables.table_5(study_set, words, *draws)
        rows += paper_tables.table_6(study_set, words, *draws)
        rows += figure_2(study_set) if number == 0 else ()
        rows += figure_3(study_set, *draws)
        rows += figure_4(study_set, *draws)
        rows += figure_5(study_set, seed)
        rows += figure_6_7(study_set, number == 0)
        rows += figure_8(study_set) if number == 0 else ()
        rows += methods.choices(study_set, setting)
    of_answers = tables.read_all(ANSWER_METRICS, answer_metrics).to_pylist()
    dots = [row for row in rows if row["table"] == "figure_3"]
    rows += figure_3_answers(dots, [row for row in of_answers if row["table"] == "accuracy"])
    rows += [row for row in of_answers if row["table"] != "accuracy"]
    tables.write(METRICS, metrics, rows)
    log.info("%d numbers", len(rows))


def _texts(queries):
    """The text of each query, by its set and id; those of a set are asked without held-out documents, too."""
    texts = {}
    for path in queries:
        name = tables.keys(QUERIES, path)["query_set"]
        for row in tables.read(QUERIES, path, ["query_id", "text"]).to_pylist():
            for asked in (name, of_held_out(name)):
                texts[asked, row["query_id"]] = row["text"]
    return texts


def _trials(study_set, outlier_scores, rated, paid, words, setting, first, resamples, flips, seed):
    outliers = tables.read(OUTLIER_SCORES, outlier_scores).to_pandas() if outlier_scores else None
    options, mss, energy = study_set.options, LABELS["mss"], LABELS["energy"]
    prices = _prices(paid, study_set.entry["corpus"])
    for at, (keys, trial) in enumerate(study_set.trials()):
        performance = Performance(trial, resamples, seed)
        statistics = seven(trial, options) | {WORDS: words[at]}
        ranked = performance.ranked(statistics, mss)
        yield from paper_tables.table_1_7(keys, ranked)
        beside = {name: statistics[name] for name in (mss, energy, WORDS)}
        if outliers is not None:
            scores = _aligned(outliers, ["method", "fitted_on"], trial)
            yield from paper_tables.table_2(keys, performance, scores, beside, options)
        scores, beside = _aligned(rated, ["rater", "retriever"], trial), beside | {FUSED_MSS: fused(trial, options)}
        yield from paper_tables.table_3(keys, performance, scores, beside, prices)
        yield from paper_tables.table_4_8_9(keys, performance, statistics, study_set, first)
        yield from methods.methods(keys, performance, words[at], setting, options, flips, seed)
        yield from methods.rates(keys, performance, options, with_known=at == 0)
        shown = {statistic: numbers["auroc"]["value"] for statistic, numbers in ranked.items()}
        best = max(shown, key=shown.get)
        log.info(
            "%s, %s: AUROC of %s %.3f, of %s %.3f",
            keys["corpus"], keys["set"], best, shown[best], energy, shown[energy],
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


def _prices(paid, corpus):
    """(rater, retriever) -> calls, tokens and dollars for a thousand queries of a corpus."""
    totals = {}
    for votes, calls in paid:
        keys = tables.keys(LM_RELEVANCE, votes)
        if keys["corpus"] == corpus:
            asked = len(tables.read(LM_RELEVANCE, votes, ["query_id"])["query_id"].unique())
            rows = tables.read(CALLS, calls).to_pylist()
            tokens = sum(row["prompt_tokens"] + row["completion_tokens"] for row in rows)
            paid_for = [asked, sum(row["requests"] for row in rows), tokens, sum(row["dollars"] for row in rows)]
            totals.setdefault((keys["rater"], keys["retriever"]), []).append(paid_for)
    prices = {}
    for scorer, parts in totals.items():
        asked, *amounts = np.sum(parts, axis=0).tolist()
        named = zip(("calls", "tokens", "dollars"), amounts, strict=True)
        if asked:  # without any vote there is no row that could have a price
            prices[scorer] = {name: {"value": 1000 * amount / asked, "n": int(asked)} for name, amount in named}
    return prices


def _scores(study_set: StudySet, retriever: str) -> dict[str, np.ndarray]:
    """queries x k similarities by kind of query, in-knowledge ones first."""
    by_kind = {TRUE: [study_set.known]} | ({SYNTHETIC: [study_set.synthetic]} if study_set.synthetic else {})
    for kind, asked in study_set.unknown:
        by_kind.setdefault(kind, []).append(asked)
    k = study_set.options.k
    return {kind: np.concatenate([asked.nearest(retriever, k) for asked in sets]) for kind, sets in by_kind.items()}


def figure_2(study_set: StudySet) -> Iterator[dict]:
    """Shares of queries by Energy, and the critical values by in-knowledge and by synthetic queries."""
    options = study_set.options
    energy = options.setting("energy")
    values = {kind: energy.of(scores) for kind, scores in _scores(study_set, options.retriever).items()}
    together = np.concatenate(list(values.values()))
    edges = np.linspace(together.min(), together.max(), BINS + 1)
    for kind in (TRUE, SYNTHETIC, NEAR, FAR):
        of_kind = values.get(kind, np.empty(0))  # without such queries its shares are empty
        for start, count in zip(edges, np.histogram(of_kind, edges)[0], strict=False):
            keys = {"corpus": study_set.name, "energy": f"{start:.6f}"}
            share = count / len(of_kind) if len(of_kind) else None
            yield SECTION.row("figure_2", keys, kind.replace("-", "_"), share, len(of_kind))
    for kind in (TRUE, SYNTHETIC):
        if kind in values and len(values[kind]) >= calibration.fewest_for(options.alpha):
            critical = calibration.critical_value(values[kind], options.alpha, options.p_values)
            keys = {"corpus": study_set.name, "critical_value": kind}
            yield SECTION.row("figure_2_critical", keys, "energy", critical, len(values[kind]))


def figure_3(study_set: StudySet, resamples: int, seed: int) -> Iterator[dict]:
    """For each retriever, the AUROC of KNN in each trial and the recall of in-knowledge queries' documents."""
    options, queries = study_set.options, study_set.known
    panel = Panel(queries.keys, resamples, seed)
    recall = {retriever: panel.mean(queries.recall(retriever, options.k)).row() for retriever in options.searching}
    for keys, trial in study_set.trials():
        values = {
            retriever: options.setting("knn").of(trial.nearest(retriever, options.k)) for retriever in options.searching
        }
        for retriever, numbers in Performance(trial, resamples, seed).ranked(values).items():
            place = {**keys, "retriever": retriever}
            yield SECTION.row("figure_3", place, "auroc", **numbers["auroc"])
            yield SECTION.row("figure_3", place, "recall", **recall[retriever])


def figure_3_answers(figure_3: list[dict], accuracies: list[dict]) -> Iterator[dict]:
    """The rows of figure 3 for each responder, beside the share of in-knowledge queries that it answers right with what
    the retriever finds. Both are rows of metrics, those of answers in the table `accuracy`.
    """
    for answered in accuracies:
        answered_keys = json.loads(answered["keys"])
        for row in figure_3:
            keys = json.loads(row["keys"])
            if (keys["corpus"], keys["retriever"]) == (answered_keys["corpus"], answered_keys["retriever"]):
                both = json.dumps(dict(sorted((keys | answered_keys).items())), ensure_ascii=False)
                yield row | {"table": "figure_3_answers", "keys": both}
                if row["metric"] == "auroc":
                    yield answered | {"table": "figure_3_answers", "keys": both}


def figure_4(study_set: StudySet, resamples: int, seed: int) -> Iterator[dict]:
    """AUROC of each statistic by k, in the first trial: with held-out queries where documents are known."""
    keys, trial = next(study_set.trials())
    performance = Performance(trial, resamples, seed)
    for k in study_set.options.ks:
        by_statistic = seven(trial, study_set.options._replace(k=k))
        for statistic, numbers in performance.ranked(by_statistic).items():
            yield SECTION.row("figure_4", {**keys, "k": k, "statistic": statistic}, "auroc", **numbers["auroc"])


def figure_5(study_set: StudySet, seed: int) -> Iterator[dict]:
    """How often windows that hold in-knowledge queries in a certain ratio are told from in-knowledge queries alone, by
    the Kolmogorov-Smirnov test of Energy. Reference and window have no query in common. Trials share their queries, so
    the interval is that of as few independent trials as would spread like the rates of resampled clusters of queries.
    """
    options, energy = study_set.options, study_set.options.setting("energy")
    dice = np.random.default_rng(seed)
    for at, (kind, in_knowledge, unknown) in enumerate(study_set.pairs()):
        size = min(WINDOW, len(in_knowledge.ids) // 2, len(unknown.ids))
        values = [energy.of(asked.nearest(options.retriever, options.k)) for asked in (in_knowledge, unknown)]
        p = _mixed(*values, size, TRIALS, seed)
        draws = (resampled(values, (in_knowledge.keys, unknown.keys), dice) for _ in range(RESAMPLES))
        rejected = [_mixed(*parts, size, FEWER, seed) <= options.alpha for parts in draws]
        name = HELD_OUT if kind == HELD_OUT else unknown.name
        for tenths, (p_of_ratio, spread) in enumerate(zip(p, _spread(np.array(rejected)), strict=True)):
            keys = {"at": at, "corpus": study_set.name, "set": name, "window": size, "ratio": f"{tenths / 10:.1f}"}
            hits = np.sum(p_of_ratio <= options.alpha)
            rate, smoothed = hits / TRIALS, (hits + 0.5) / (TRIALS + 1)
            variance = smoothed * (1 - smoothed)
            trials = max(variance / (spread + variance / TRIALS), 1.0)
            yield SECTION.row("figure_5", keys, "rejected", rate, TRIALS, *clopper_pearson(rate * trials, trials))
            yield SECTION.row("figure_5", keys, "p_value", float(np.median(p_of_ratio)), TRIALS)


def _mixed(inside, outside, size, trials, seed):
    """ratios x trials: p-values of windows, of which a tenth more is in knowledge each time."""
    inside, outside = _draws(inside, 2 * size, trials, seed), _draws(outside, size, trials, seed + 1)
    reference, inside = inside[:, :size], inside[:, size:]
    counts = [round(size * tenths / 10) for tenths in range(11)]
    windows = (np.concatenate([inside[:, :count], outside[:, count:]], axis=1) for count in counts)
    return np.stack([ks_p_values(reference, window) for window in windows])


def _spread(rejected):
    """The variance of rates over resampled queries, without what few trials of each add. resamples x ratios x trials"""
    rates = rejected.mean(axis=2)
    return np.maximum(rates.var(axis=0, ddof=1) - (rates * (1 - rates)).mean(axis=0) / (FEWER - 1), 0)


def _draws(values, count, trials, seed):
    """trials x count of the values; no trial has one twice."""
    dice = np.random.default_rng(seed)
    return np.stack([values[dice.choice(len(values), count, replace=False)] for _ in range(trials)])


def figure_6_7(study_set: StudySet, first: bool) -> Iterator[dict]:
    """Histograms of all statistics."""
    options, table = study_set.options, "figure_6" if first else "figure_7"
    scores = _scores(study_set, options.retriever)
    for name in SIMPLE:
        values = {kind: options.setting(name).of(part) for kind, part in scores.items()}
        yield from _histograms(table, study_set, {"statistic": LABELS[name]}, values)
    pairs = {kind: calibration.combinations(scores[TRUE], part, options.p_values) for kind, part in scores.items()}
    for name in COMBINED:
        values = {kind: of_kind[name][kind != TRUE] for kind, of_kind in pairs.items()}  # TRUE: among each other
        yield from _histograms(table, study_set, {"statistic": LABELS[name]}, values)


def figure_8(study_set: StudySet) -> Iterator[dict]:
    """Histograms of KNN by each retriever."""
    knn = study_set.options.setting("knn")
    for retriever in study_set.options.searching:
        values = {kind: knn.of(scores) for kind, scores in _scores(study_set, retriever).items()}
        yield from _histograms("figure_8", study_set, {"retriever": retriever}, values)


def _histograms(table, study_set, keys, values):
    inside = values[TRUE]
    edges = np.linspace(LOWEST, HIGHEST, BINS + 1)
    for kind, of_kind in values.items():
        standard = (of_kind - inside.mean()) / (inside.std() or 1.0)
        counts = np.histogram(np.clip(standard, LOWEST, HIGHEST), edges)[0]
        for start, count in zip(edges, counts, strict=False):
            place = {"corpus": study_set.name, **keys, "queries": kind, "at": f"{start:+.1f}"}
            yield SECTION.row(table, place, "share", count / len(of_kind), len(of_kind))


if __name__ == "__main__":
    run(measure_relevance, snakemake)
