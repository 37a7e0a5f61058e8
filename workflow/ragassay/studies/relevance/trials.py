"""A trial: in-knowledge against out-of-knowledge queries, run after run, and how well statistics tell them apart. A
third of the documents fits and chooses, the same in all runs; of the others one half calibrates and one is tested.
Numbers are means over runs. At level alpha, TPR and FPR are rejected shares of out-of- and in-knowledge queries, DER
the share decided wrongly."""

import numpy as np

from ragassay.base.errors import AssayError
from ragassay.metrics.panel import Estimates, Panel
from ragassay.metrics.resampling import clopper_pearson
from ragassay.studies.relevance import calibration
from ragassay.studies.relevance.searched_queries import SearchedQueries, fits, fractions
from ragassay.studies.relevance.statistics import COMBINED

CALIBRATING = 1 / 2  # of the others
FEW = 100  # queries below which a set is called small
TRUE, SYNTHETIC, CORPUS = "in-knowledge", "synthetic", "corpus"  # what something was fitted on or calibrated with
NOTHING, BOTH = "nothing", "both kinds"  # what MSS and Energy were fitted on, and the control by words


class TrialError(AssayError):
    """A set of queries is too small for a trial."""


class Pair:
    """In-knowledge queries and others; the fitting part is of the former."""

    def __init__(self, in_knowledge: SearchedQueries, unknown: SearchedQueries):
        self.known, self.unknown = in_knowledge, unknown
        self.positive = np.repeat([False, True], [len(in_knowledge.ids), len(unknown.ids)])
        self.keys = np.concatenate([in_knowledge.keys, unknown.keys])
        self.fitting = ~self.positive & fits(self.keys)

    def nearest(self, retriever: str, k: int) -> np.ndarray:
        """queries x k similarities of all."""
        return np.concatenate([asked.nearest(retriever, k) for asked in (self.known, self.unknown)])


class Trial(Pair):
    """`size` limits how many queries of each kind a run tests, and how many calibrate it."""

    def __init__(self, in_knowledge: SearchedQueries, unknown: SearchedQueries, kind: str, runs: int, size: int):
        for asked in (in_knowledge, unknown):
            if len(asked.ids) < 2:
                raise TrialError(
                    f"query set {asked.name}: found {len(asked.ids)} queries, expected at least 2; add queries, or take"
                    " the set out of relevance.sets"
                )
        super().__init__(in_knowledge, unknown)
        self.kind = kind
        self.calibrating = np.zeros((len(self.keys), runs), bool)
        self.tested = np.zeros((len(self.keys), runs), bool)
        names = np.concatenate([in_knowledge.ids, unknown.ids])
        for run in range(runs):
            others = ~self.fitting & ~self.positive
            calibrating = others & calibrates(self.keys, run)
            candidates = others & ~calibrating
            count = min(size, candidates.sum(), len(unknown.ids))
            self.calibrating[:, run] = sample(calibrating, size, run, names)
            for candidates_of in (candidates, self.positive):
                self.tested[:, run] |= sample(candidates_of, count, run, names)
        if not self.tested.any(axis=0).all() or not self.fitting.any():
            raise TrialError(
                f"query set {in_knowledge.name}: found {len(in_knowledge.ids)} queries about"
                f" {len(set(in_knowledge.keys))} documents, too few to fit, calibrate and test with different ones; add"
                " queries"
            )

    @property
    def queries(self) -> str:
        """How many out-of-knowledge queries there are."""
        count = len(self.unknown.ids)
        return f"{count}, few" if count < FEW else str(count)

    def by_run(self, values) -> np.ndarray:
        """Statistics as queries x runs."""
        values = np.asarray(values, float)
        return np.broadcast_to(values[:, None], self.tested.shape) if values.ndim == 1 else values

    def combined(self, scores: np.ndarray, mode: str) -> dict[str, np.ndarray]:
        """Fisher and Simes, queries x runs: those that calibrate are compared with each other."""
        statistics = {name: np.full(self.tested.shape, np.nan) for name in COMBINED}
        for run, calibrating in enumerate(self.calibrating.T):
            pairs = calibration.combinations(scores[calibrating], scores, mode) if calibrating.any() else {}
            for name, (among_calibrating, among_all) in pairs.items():
                statistics[name][:, run] = among_all
                statistics[name][calibrating, run] = among_calibrating
        return statistics

    def rejected(self, values, alpha: float, mode: str, reference=None) -> np.ndarray:
        """Whether each query is rejected in each run, by its calibrating queries or by a `reference`, runs x queries.
        NaN where too few calibrate, or there is no value.
        """
        values = self.by_run(values)
        rejections, is_known = np.full(values.shape, np.nan), ~np.isnan(values)
        for run, calibrating in enumerate(self.calibrating.T):
            usable = calibrating & is_known[:, run]
            calibrating_values = values[usable, run] if reference is None else reference[run]
            if len(calibrating_values) >= calibration.fewest_for(alpha):
                rejections[:, run] = calibration.rejected(calibrating_values, values[:, run], alpha, mode)
        return np.where(is_known, rejections, np.nan)


def calibrates(keys, run: int) -> np.ndarray:
    """Whether queries calibrate in a run, if they are not in the fitting part; else they are tested."""
    return fractions(f"run {run}", keys) < CALIBRATING


def sample(candidates: np.ndarray, size: int, run: int, names) -> np.ndarray:
    """A mask of at most `size` of the candidates, those whose names come first by a hash."""
    places = np.flatnonzero(candidates)
    order = np.argsort(fractions(f"sample {run}", np.asarray(names)[places]), kind="stable")
    chosen = np.zeros(len(candidates), bool)
    chosen[places[order[:size]]] = True
    return chosen


def resampled(values: list[np.ndarray], keys: list[np.ndarray], dice: np.random.Generator) -> list[np.ndarray]:
    """As many values of each set, of clusters that are drawn with replacement until both sets have enough."""
    members = {}  # cluster -> the places of its queries in each set
    for side, of_set in enumerate(keys):
        for at, name in enumerate(of_set):
            members.setdefault(name, ([], []))[side].append(at)
    clusters, places = list(members.values()), ([], [])
    while any(len(of_set) < len(part) for of_set, part in zip(places, values, strict=True)):
        for of_set, drawn in zip(places, clusters[dice.integers(len(clusters))], strict=True):
            of_set += drawn
    return [part[of_set[: len(part)]] for part, of_set in zip(values, places, strict=True)]


class Performance:
    """What statistics reach in a trial, all from the same resamples."""

    def __init__(self, trial: Trial, resamples: int, seed: int):
        self.trial, self.panel = trial, Panel(trial.keys, resamples, seed)

    def ranked(self, statistics: dict[str, np.ndarray], baseline: str | None = None) -> dict[str, dict]:
        """AUROC and AUPRC of each statistic; with a `baseline`, also how much higher the AUROC of the others is."""
        runs = self.trial.tested.shape[1]
        scores = np.concatenate([self.trial.by_run(values) for values in statistics.values()], axis=1)
        asked = np.tile(self.trial.tested, len(statistics))
        measures = {"auroc": self.panel.auroc, "auprc": self.panel.average_precision}
        by_measure = {name: measure(scores, self.trial.positive, asked) for name, measure in measures.items()}
        parts = {name: slice(at * runs, (at + 1) * runs) for at, name in enumerate(statistics)}
        rows = {}
        for statistic, part in parts.items():
            rows[statistic] = {name: over_runs(estimates, part) for name, estimates in by_measure.items()}
            if baseline not in (None, statistic):
                pair = [Estimates(*(array[..., at] for array in by_measure["auroc"])) for at in (part, parts[baseline])]
                above = pair[0].minus(pair[1])._replace(counts=pair[0].counts, abstained=pair[0].abstained)
                rows[statistic]["auroc_above"] = over_runs(above, slice(0, runs))
        return rows

    def decided(self, rejected: dict[str, np.ndarray]) -> dict[str, dict]:
        """TPR, FPR and DER of each statistic whose decisions are queries x runs."""
        trial, runs = self.trial, self.trial.tested.shape[1]
        flags = np.concatenate(list(rejected.values()), axis=1)
        wrong = np.where(trial.positive[:, None], 1 - flags, flags)
        tested = np.tile(trial.tested, len(rejected))
        masks = {"tpr": tested & trial.positive[:, None], "fpr": tested & ~trial.positive[:, None]}
        rates = self.panel.means(flags, masks) | {"der": self.panel.mean(wrong, tested)}
        rows = {}
        for at, statistic in enumerate(rejected):
            numbers = {name: over_runs(part, slice(at * runs, (at + 1) * runs)) for name, part in rates.items()}
            rows[statistic] = numbers | {"fpr": numbers["fpr"] | _exact(numbers["fpr"])}
        return rows


def over_runs(estimates: Estimates, runs: slice) -> dict:
    """The mean over the runs that have a number (enough queries calibrate), with the counts of one of them."""
    usable = np.flatnonzero(~np.isnan(estimates.values[runs])) + runs.start
    usable = usable if len(usable) else np.arange(runs.start, runs.stop)
    first, drawn = usable[:1], estimates.drawn[:, usable].mean(axis=1, keepdims=True)
    counts = {name: getattr(estimates, name)[first] for name in ("counts", "abstained", "clusters", "shares")}
    return estimates._replace(values=estimates.values[usable].mean(keepdims=True), drawn=drawn, **counts).row()


def _exact(row):
    if row["value"] is None:
        return {"low": None, "high": None}
    low, high = clopper_pearson(round(row["value"] * row["n"]), row["n"])
    return {"low": low, "high": high}
