"""How well statistics tell out-of-knowledge from in-knowledge queries: means over the runs of a trial, with intervals.

Intervals resample documents. AUROC and AUPRC need no threshold. At level alpha, TPR is the share of out-of-knowledge
queries that are rejected, FPR that of in-knowledge queries, and DER the share of all that are decided wrongly; the
interval of FPR is the exact one for the queries of one run.
"""

import numpy as np

from ragassay.metrics.panel import Estimates, Panel
from ragassay.metrics.resampling import clopper_pearson
from ragassay.studies.relevance.trials import Trial


class Performance:
    """What statistics reach in a trial, all from the same resamples."""

    def __init__(self, trial: Trial, resamples: int, seed: int):
        self.trial, self.panel = trial, Panel(trial.keys, resamples, seed)

    def ranked(self, statistics: dict[str, np.ndarray], baseline: str | None = None) -> dict[str, dict]:
        """AUROC and AUPRC of each statistic, as numbers of metric rows; with a baseline, which is one of them, also how
        much higher the AUROC of each other statistic is.
        """
        runs = self.trial.tested.shape[1]
        scores = np.concatenate([self.trial.by_run(values) for values in statistics.values()], axis=1)
        asked = np.tile(self.trial.tested, len(statistics))
        measures = {"auroc": self.panel.auroc, "auprc": self.panel.average_precision}
        found = {name: measure(scores, self.trial.positive, asked) for name, measure in measures.items()}
        parts = {name: slice(at * runs, (at + 1) * runs) for at, name in enumerate(statistics)}
        rows = {}
        for statistic, part in parts.items():
            rows[statistic] = {name: over_runs(own, part) for name, own in found.items()}
            if baseline not in (None, statistic):
                pair = [Estimates(*(array[..., at] for array in found["auroc"])) for at in (part, parts[baseline])]
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
        found = self.panel.means(flags, masks) | {"der": self.panel.mean(wrong, tested)}
        rows = {}
        for at, statistic in enumerate(rejected):
            own = {name: over_runs(part, slice(at * runs, (at + 1) * runs)) for name, part in found.items()}
            rows[statistic] = own | {"fpr": own["fpr"] | _exact(own["fpr"])}
        return rows


def over_runs(estimates: Estimates, runs: slice) -> dict:
    """The mean over the runs that have a number, with the counts of one of them. A run in which too few queries
    calibrate rejects none and has no number.
    """
    usable = np.flatnonzero(~np.isnan(estimates.values[runs])) + runs.start
    usable = usable if len(usable) else np.arange(runs.start, runs.stop)
    first, drawn = usable[:1], estimates.drawn[:, usable].mean(axis=1, keepdims=True)
    counts = {name: getattr(estimates, name)[first] for name in ("counts", "abstained", "clusters", "shares")}
    return estimates._replace(values=estimates.values[usable].mean(keepdims=True), drawn=drawn, **counts).row()


def _exact(row):
    if row["value"] is None:
        return {"low": None, "high": None}
    return dict(zip(("low", "high"), clopper_pearson(round(row["value"] * row["n"]), row["n"]), strict=True))
