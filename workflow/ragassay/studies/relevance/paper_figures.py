"""Figures 2 to 8 of the paper, as rows of the table metrics, from any study set: 2 Energy with its critical values, 3
telling apart beside finding, 4 k, 5 how soon a change is seen, 6 and 7 all statistics (first corpus, others), 8 KNN
by retriever. 6 to 8 are in standard units of in-knowledge queries, so that they share an axis."""

import json
from collections.abc import Iterator

import numpy as np

from ragassay.metrics.panel import Panel
from ragassay.metrics.resampling import clopper_pearson
from ragassay.studies.relevance import calibration
from ragassay.studies.relevance.drift import ks_p_values
from ragassay.studies.relevance.paper_tables import LABELS, SECTION, seven
from ragassay.studies.relevance.searched_queries import FAR, HELD_OUT, NEAR
from ragassay.studies.relevance.statistics import COMBINED, SIMPLE
from ragassay.studies.relevance.study_set import StudySet
from ragassay.studies.relevance.trials import SYNTHETIC, TRUE, Performance

WINDOW, TRIALS = 50, 500  # of figure 5
BINS = 24
LOWEST, HIGHEST = -3.0, 9.0  # standard units; what lies beyond is in the bins at the ends


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
    the Kolmogorov-Smirnov test of Energy. Reference and window have no query in common.
    """
    options = study_set.options
    for at, (kind, in_knowledge, unknown) in enumerate(study_set.pairs()):
        size = min(WINDOW, len(in_knowledge.ids) // 2, len(unknown.ids))
        energy = options.setting("energy")
        energies = [energy.of(asked.nearest(options.retriever, options.k)) for asked in (in_knowledge, unknown)]
        inside = _draws(energies[0], 2 * size, seed)
        reference, inside, outside = inside[:, :size], inside[:, size:], _draws(energies[1], size, seed + 1)
        name = HELD_OUT if kind == HELD_OUT else unknown.name
        for tenths in range(11):
            count = round(size * tenths / 10)
            p = ks_p_values(reference, np.concatenate([inside[:, :count], outside[:, count:]], axis=1))
            keys = {"at": at, "corpus": study_set.name, "set": name, "window": size, "ratio": f"{tenths / 10:.1f}"}
            hits = int((p <= options.alpha).sum())
            yield SECTION.row("figure_5", keys, "rejected", hits / TRIALS, TRIALS, *clopper_pearson(hits, TRIALS))
            yield SECTION.row("figure_5", keys, "p_value", float(np.median(p)), TRIALS)


def _draws(values, count, seed):
    """TRIALS x count of the values; no trial has one twice."""
    dice = np.random.default_rng(seed)
    return np.stack([values[dice.choice(len(values), count, replace=False)] for _ in range(TRIALS)])


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
