"""Beyond the paper: methods that do better than its statistics. None needs an out-of-knowledge query: in the place of
these stands each in-knowledge query as if its own documents, and near-duplicates of them, were not in the corpus. The
logistic regression learns to tell the two apart; `chosen` is the statistic, k and temperature that do so best."""

from collections.abc import Iterator

import numpy as np

from ragassay.metrics.paired import holm, rank_swap
from ragassay.metrics.panel import auroc
from ragassay.models.heads import regression
from ragassay.models.heads.scores import scores as head_scores
from ragassay.studies.relevance.paper_tables import FUSED_MSS, LABELS, SECTION, WORDS, fused
from ragassay.studies.relevance.searched_queries import SearchedQueries, fits, fractions
from ragassay.studies.relevance.statistics import CHOSEN, FUSED, LOGISTIC, SIMPLE, TEMPERED, Scores, Setting, features
from ragassay.studies.relevance.study_set import Options, StudySet
from ragassay.studies.relevance.trials import Pair, Performance

FOLDS = 5  # of the control by words
LEVELS = (0.01, 0.02, 0.05, 0.1, 0.15, 0.2, 0.3, 0.4, 0.5, 0.6, 0.8)
SHORT = "mss", "energy"  # of the paper's, those that stand beside ours
MSS = LABELS["mss"]
SHOWN = {FUSED: FUSED_MSS, LOGISTIC: "Logistic on masked queries", CHOSEN: "Chosen statistic"}


def methods(
    keys: dict, performance: Performance, words: np.ndarray, setting: Setting | None, options: Options, flips: int,
    seed: int,
) -> Iterator[dict]:  # fmt: skip
    """Rank and decisions of each method, and whether it ranks better than MSS; beside what `words` alone reach."""
    trial = performance.trial
    scores = statistics(trial, options, setting)
    others = [name for name in scores if name != MSS]
    inside = ~trial.fitting
    pairs = (scores[name][inside] for name in others)
    same = (trial.positive[inside], trial.keys[inside], flips, seed)
    p = dict(zip(others, holm([rank_swap(values, scores[MSS][inside], *same) for values in pairs]), strict=True))
    scores[WORDS] = words
    decided = performance.decided(
        {name: trial.rejected(values, options.alpha, options.p_values) for name, values in scores.items()}
    )
    for name, numbers in performance.ranked(scores, MSS).items():
        for metric, row in (numbers | decided[name]).items():
            yield SECTION.row("methods", {**keys, "method": name}, metric, **row)
        if name in p:
            yield SECTION.row("methods", {**keys, "method": name}, "p_against_mss", p[name], int(inside.sum()))


def rates(keys: dict, performance: Performance, options: Options, with_known: bool) -> Iterator[dict]:
    """The shares of queries that the fused statistic rejects at each level. Of in-knowledge ones it is how many have a
    p-value of at most that level, which is the level itself where calibration holds.
    """
    trial = performance.trial
    values = fused(trial, options)
    for level in LEVELS:
        decided = performance.decided({FUSED_MSS: trial.rejected(values, level, options.p_values)})[FUSED_MSS]
        of_queries = {keys["set"]: "tpr"} | ({"in-knowledge": "fpr"} if with_known else {})
        for queries, metric in of_queries.items():
            place = {"corpus": keys["corpus"], "queries": queries, "level": f"{level:g}"}
            yield SECTION.row("rates", place, "rejected", **decided[metric])


def words_alone(pair: Pair, texts: dict[tuple[str, str], str]) -> np.ndarray:
    """How much each query looks out of knowledge by a model of words that saw other queries of both kinds, and never
    the corpus. Where it does well, so would any method that knows how people write. `texts` are by set and id.

    Queries of all folds are ranked together, so scores are without the intercept: it is lower where fewer positive
    queries are left to fit on, which is where more are tested, and would rank queries that nothing tells apart below
    chance. Balanced weights do not change that.
    """
    from sklearn.feature_extraction.text import TfidfVectorizer

    asked = [texts[of.name, query] for of in (pair.known, pair.unknown) for query in of.ids]
    words = TfidfVectorizer(ngram_range=(1, 2), sublinear_tf=True).fit_transform(asked)  # without labels

    def fit(rows, labels):
        return regression.fit(words[rows], labels, balanced=True)[-1]

    def score(model, rows):
        return words[rows] @ model.coef_[0]

    folds = (fractions("wording", pair.keys) * FOLDS).astype(int)
    return np.array(regression.out_of_fold(folds, range(len(asked)), pair.positive, fit, score), float)  # NaN for None


def statistics(pair: Pair, options: Options, setting: Setting | None = None, trained: bool = True) -> dict:
    """MSS, Energy and our own methods -> values of all queries, by the fitting part; `trained` includes the one that
    learns there, `setting` is the one that was chosen, if any was.
    """
    fitting = pair.known.part(pair.fitting[~pair.positive])
    by_method = {LABELS[name]: options.setting(name).of(pair.nearest(options.retriever, options.k)) for name in SHORT}
    by_method[SHOWN[FUSED]] = fused(pair, options)
    if trained and any(fitting.documents):
        asked = [pair.nearest(retriever, options.k) for retriever in options.fused]
        fitted = [fitting.nearest(retriever, options.k) for retriever in options.fused]
        masked = [fitting.masked(retriever, options.k) for retriever in options.fused]
        by_method[SHOWN[LOGISTIC]] = apply_head(fit_head(fitted, masked), asked)
    if setting:
        by_method[SHOWN[CHOSEN]] = setting.of(pair.nearest(options.retriever, setting.k))
    return by_method


def selected(study_set: StudySet) -> Setting | None:
    """The setting that the fitting part of a set chooses, if it names documents: one for all tables."""
    options, fitting = study_set.options, fits(study_set.known.keys)
    part = study_set.known.part(fitting)
    if not any(part.documents):
        return None
    return chosen(part, options.retriever, list(settings(options.ks, options.temperatures)))


def chosen(fitting: SearchedQueries, retriever: str, candidates: list[Setting]) -> Setting:
    """The statistic, k and temperature that best tell these queries from themselves without their own documents; of
    equals, the first.
    """
    areas = masked_aurocs(*_with_and_without(fitting, retriever, candidates), candidates)
    return candidates[int(np.argmax(areas))]


def _with_and_without(asked, retriever, candidates):
    deepest = max(candidate.k for candidate in candidates)
    return asked.nearest(retriever, deepest), asked.masked(retriever, deepest)


def settings(ks: list[int], temperatures: list[float]) -> Iterator[Setting]:
    """All that can be chosen; where k or the temperature changes nothing, once."""
    for name in SIMPLE:
        for k in ks[:1] if name == "mss" else ks:
            for temperature in temperatures if name in TEMPERED else (1.0,):
                yield Setting(name, k, temperature)


def masked_aurocs(scores: np.ndarray, masked: np.ndarray, candidates: list[Setting]) -> list[float | None]:
    """How well each setting tells queries from themselves without their own documents."""
    unknown = np.repeat([False, True], [len(scores), len(masked)])
    return [auroc(np.concatenate([candidate.of(scores), candidate.of(masked)]), unknown) for candidate in candidates]


def fit_head(fitting: Scores, masked: Scores) -> dict[str, np.ndarray]:
    """A logistic regression of whether a query's own documents are missing, as they are for `masked`."""
    whole, unknown = features(fitting), features(masked)
    return regression.train(np.concatenate([whole, unknown]), np.repeat([False, True], [len(whole), len(unknown)]))


def apply_head(head: dict[str, np.ndarray], asked: Scores) -> np.ndarray:
    return head_scores(head, features(asked))


def choices(study_set: StudySet, chosen_setting: Setting | None) -> Iterator[dict]:
    """How well each setting tells in-knowledge queries from themselves without their own documents, beside how well it
    tells them from the queries of each trial. The chosen one was chosen by the fitting part, which is not in these.
    """
    options = study_set.options
    candidates = list(settings(options.ks, options.temperatures))
    rest = study_set.known.part(~fits(study_set.known.keys))
    if chosen_setting is None or not any(rest.documents):
        return
    masked = masked_aurocs(*_with_and_without(rest, options.retriever, candidates), candidates)
    for at, setting in enumerate(candidates):
        keys = {
            "at": at, "corpus": study_set.name, "statistic": LABELS[setting.statistic], "k": setting.k,
            "temperature": f"{setting.temperature:g}", "chosen": "chosen" if setting == chosen_setting else "",
        }  # fmt: skip
        yield SECTION.row("choice", keys, "masked", masked[at], len(rest.ids))
        for place, trial in study_set.trials(runs=1):
            inside = ~trial.fitting
            scores = setting.of(trial.nearest(options.retriever, max(options.ks)))
            area = auroc(scores[inside], trial.positive[inside])
            yield SECTION.row("choice", {**keys, "set": place["set"]}, "auroc", area, int(inside.sum()))
