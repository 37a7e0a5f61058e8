"""How well probes tell poisoned answers from right ones, as rows of the table metrics, with the controls in every
row. All intervals of a group come from the same draws of documents; several seeds count as their mean. Answers that
are neither right nor poisoned are in no AUROC."""

import json
from collections.abc import Iterator
from functools import cached_property

import numpy as np

from ragassay.metrics.paired import rank_swap
from ragassay.metrics.panel import Estimates, Panel
from ragassay.schemas.report import Section
from ragassay.studies.poisoning.probes.folds import BESIDE, CONTROLS, FIRST_TOKEN
from ragassay.studies.poisoning.probes.labels import CORRECT, LABELS, POISONED, REASONS, RELEASED, hedged

SECTION = Section("revprag")
NOT_HEDGED = "not_hedged"  # answers that name no source at their beginning
CELL = ("dataset", "retriever", "attack", "responder")
MARGIN = 0.05  # of AUROC, which the network may lack where it is accepted
SIMPLE, NETWORK = "logistic", "triplet"  # kinds that are compared


class Group:
    """What probes say of some samples: a frame of probe_scores of one cell, condition, facts and training."""

    def __init__(self, frame, resamples: int, seed: int, least: int = 0):
        """Probes with fewer than `least` decided answers are left out: nothing follows from them."""
        decided = frame[frame["label"].isin((CORRECT, POISONED)) & frame["score"].notna()]
        counts = (
            decided.groupby(["probe", "seed"])
            .size()
            .groupby("probe")
            .max()
            .reindex(frame["probe"].unique(), fill_value=0)
        )
        frame = frame[frame["probe"].isin(counts.index[counts >= least]) | frame["probe"].isin(CONTROLS)]
        frame = frame.assign(column=list(zip(frame["probe"], frame["seed"], strict=True)))
        wide, flagged = (
            frame.pivot(index=["target_id", "side"], columns="column", values=name) for name in ("score", "flagged")
        )
        samples = frame.drop_duplicates(["target_id", "side"]).set_index(["target_id", "side"]).loc[wide.index]
        self.columns, self.scores, self._flagged = list(wide.columns), wide.to_numpy(float), flagged.to_numpy(float)
        self.labels, self.kinds = samples["label"].to_numpy(str), samples["kind"].fillna("").to_numpy(str)
        self.groups, self.hedged = samples["group"].fillna("").to_numpy(str), samples["hedged"].to_numpy(bool)
        self.planted = samples["planted"].to_numpy(int)
        self.clusters = samples["cluster"].to_numpy(str)
        self.probes = list(dict.fromkeys(probe for probe, _ in self.columns))
        self.decided, self.poisoned = np.isin(self.labels, (CORRECT, POISONED)), self.labels == POISONED
        self.draws = resamples, seed

    @property
    def measurable(self) -> bool:
        return 0 < self.poisoned.sum() < self.decided.sum()

    @property
    def beside(self) -> list[str]:
        """The probes and the controls that stand beside each of their numbers."""
        return [name for name in self.probes if name in BESIDE or name not in CONTROLS]

    def areas(self, chosen, probes: list[str]) -> dict[str, Estimates]:
        """The AUROC of each of these probes and controls on decided answers that are chosen."""
        places = [place for name in probes for place in self._places(name)]
        scores = self.scores[:, places]
        asked = (self.decided & chosen)[:, None] & ~np.isnan(scores)  # probes may be tested in fewer folds
        estimates = Panel(self.clusters, *self.draws).auroc(scores, self.poisoned, asked)
        return {name: _mean(estimates, [places.index(place) for place in self._places(name)]) for name in probes}

    def compared(self, chosen=None, controls=BESIDE) -> Iterator[tuple[str, dict[str, Estimates]]]:
        """Each probe with the AUROC of it and of controls on the answers that it scored: one that is tested in fewer
        folds is compared on these.
        """
        probes = [name for name in self.probes if name not in CONTROLS]
        inside = self.decided if chosen is None else self.decided & chosen
        everywhere = self.areas(inside, [*probes, *controls])
        for probe in probes:
            scored = inside & self.scored(probe)
            yield probe, everywhere if (scored == inside).all() else self.areas(scored, [probe, *controls])

    def tpr_at(self, fpr: float, probe: str) -> dict[str, Estimates]:
        """How many poisoned answers a probe and controls find where each flags so many of the right ones."""
        names = (probe, *BESIDE)
        scores = np.stack([self.mean_scores(name) for name in names], axis=1)
        asked = (self.decided & self.scored(probe))[:, None] & ~np.isnan(scores)
        estimates = Panel(self.clusters, *self.draws).tpr_at(scores, self.poisoned, fpr, asked)
        return {name: _mean(estimates, [at]) for at, name in enumerate(names)}

    def scored(self, probe: str) -> np.ndarray:
        return ~np.isnan(self.mean_scores(probe))

    def mean_scores(self, probe: str) -> np.ndarray:
        """Over its seeds; NaN where it is not tested."""
        return self.scores[:, self._places(probe)].mean(axis=1)

    def _places(self, probe):
        return [at for at, (name, _) in enumerate(self.columns) if name == probe]

    def p(self, first: str, second: str, flips: int) -> float:
        """Two-sided, of the difference between two AUROCs on the decided answers that both have scored; NaN where these
        are all right, or all poisoned.
        """
        scores, others = self.mean_scores(first), self.mean_scores(second)
        both = self.decided & ~np.isnan(scores) & ~np.isnan(others)
        if not 0 < self.poisoned[both].sum() < both.sum():
            return np.nan
        return rank_swap(scores[both], others[both], self.poisoned[both], self.clusters[both], flips)

    def shares(self, probe: str) -> tuple[np.ndarray, np.ndarray]:
        """Which answers have a threshold, and in which share of seeds each of these is flagged."""
        flagged = self._flagged[:, self._places(probe)]
        with_threshold = ~np.isnan(flagged).all(axis=1)
        return with_threshold, np.nanmean(flagged[with_threshold], axis=1)

    def above_zero(self, probe: str) -> np.ndarray | None:
        """In which share of seeds each answer is nearer to poisoned ones than to right ones: its score is above 0. None
        for a method whose scores have no such middle.
        """
        scores = self.scores[:, self._places(probe)]
        if not np.nanmin(scores) < 0 < np.nanmax(scores):
            return None
        return np.where(np.isnan(scores), np.nan, scores > 0).mean(axis=1)

    @cached_property
    def flagged(self) -> dict[tuple[str, str], Estimates]:
        """(probe, label) -> the share of answers of this label that is flagged, if there are any."""
        estimates = {}
        for probe in self.beside:
            with_threshold, shares = self.shares(probe)
            labels, clusters = self.labels[with_threshold], self.clusters[with_threshold]
            for label in set(labels.tolist()):
                of_label = labels == label
                estimates[probe, label] = Panel(clusters[of_label], *self.draws).mean(shares[of_label])
        return estimates


def condition_rows(keys: dict, group: Group, flips: int) -> Iterator[dict]:
    """AUROC of each probe, beside it those of the controls, the differences to two of these, and rates."""
    for probe, areas in group.compared(controls=CONTROLS):
        row_keys = keys | {"probe": probe}
        for name in (probe, *CONTROLS):
            metric = "auroc" if name == probe else name
            yield SECTION.row("conditions", row_keys, metric, **areas[name].row())
        for beside in BESIDE:
            yield from _difference("conditions", row_keys, f"over_{beside}", areas[probe], areas[beside])
        p = group.p(probe, FIRST_TOKEN, flips)
        yield SECTION.row("conditions", row_keys, "p", p, n=int(areas[probe].counts[0]))
        above = group.above_zero(probe)
        for name, label in (("tpr", POISONED), ("fpr", CORRECT)):
            if flagged := group.flagged.get((probe, label)):
                yield SECTION.row("conditions", row_keys, name, **flagged.row())
            if above is not None:
                share = Panel(group.clusters, *group.draws).mean(above, group.labels == label)
                yield SECTION.row("conditions", row_keys, f"{name}_nearest", **share.row())
        if SIMPLE in group.probes and probe == NETWORK:
            areas = group.areas(group.scored(probe), [NETWORK, SIMPLE])
            yield from _difference("networks", keys, "over_logistic", areas[probe], areas[SIMPLE])
            count = int(areas[probe].counts[0])
            yield SECTION.row("networks", keys, "p", group.p(probe, SIMPLE, flips), n=count)
            yield SECTION.row("networks", keys, "answers", count, n=count)


def label_rows(keys: dict, group: Group) -> Iterator[dict]:
    """The share of answers of each label that each probe flags, and the control in a row of its own."""
    for probe in dict.fromkeys(probe for probe, _ in group.flagged):
        for label in LABELS:
            flagged = group.flagged.get((probe, label))
            number = flagged.row() if flagged else {"value": None, "n": 0}
            yield SECTION.row("labels", keys | {"probe": probe}, label, **number)


def false_alarm_rows(keys: dict, group: Group) -> Iterator[dict]:
    """The share of unpoisoned answers that each probe flags, of all and of the right ones, with the control's."""
    shares_of = {}
    for probe in group.beside:
        with_threshold, shares = group.shares(probe)
        panel = Panel(group.clusters[with_threshold], *group.draws)
        shares_of[probe] = panel.means(shares, {"flagged": None, CORRECT: group.labels[with_threshold] == CORRECT})
    for probe in (name for name in shares_of if name not in BESIDE):
        for name, estimate in (
            *shares_of[probe].items(),
            *((control, shares_of[control]["flagged"]) for control in BESIDE),
        ):
            yield SECTION.row("false_alarms", keys | {"probe": probe}, name, **estimate.row())


def area_rows(table: str, keys: dict, group: Group, chosen=None) -> Iterator[dict]:
    """The AUROC of each probe on answers that are chosen, with the controls', and what it adds to log-probabilities,
    such as of what was fitted on another condition.
    """
    for probe, areas in group.compared(chosen):
        row_keys = keys | {"probe": probe}
        for name, estimates in (("auroc", areas[probe]), *((control, areas[control]) for control in BESIDE)):
            yield SECTION.row(table, row_keys, name, **estimates.row())
        yield from _difference(table, row_keys, f"over_{FIRST_TOKEN}", areas[probe], areas[FIRST_TOKEN])


def judged(rows: list[dict]) -> Iterator[dict]:
    """All rows but those of the network's comparison in cells where it does not pass: on the condition that its paper
    measures it has to come close to the simple probe. Otherwise its numbers elsewhere would judge its training.
    """
    compared = [(row, json.loads(row["keys"])) for row in rows if row["table"] == "networks"]
    passed = {
        tuple(keys[name] for name in CELL)
        for row, keys in compared
        if (keys["condition"], keys["facts"], row["metric"]) == (RELEASED, "all", "over_logistic")
        and row["value"] is not None
        and row["value"] >= -MARGIN
    }
    failed = {
        id(row) for row, keys in compared if keys["condition"] != RELEASED and tuple(map(keys.get, CELL)) not in passed
    }
    yield from (row for row in rows if id(row) not in failed)


def part_rows(keys: dict, group: Group) -> Iterator[dict]:
    """The same for each kind of question, each group of targets, and answers that do not begin by naming a source."""
    parts = [("kinds", "kind", name, group.kinds == name) for name in sorted(set(group.kinds) - {""})]
    parts += [("splits", "split", name, group.groups == name) for name in sorted(set(group.groups) - {""})]
    parts += [("splits", "split", NOT_HEDGED, ~group.hedged)]
    for table, column, name, chosen in parts:
        if 0 < (group.poisoned & chosen).sum() < (group.decided & chosen).sum():
            yield from area_rows(table, keys | {column: name}, group, chosen)


def sample_rows(keys: dict, answers, reasons: dict[str, int]) -> Iterator[dict]:
    """How many answers of each label there are, known by heart or not, and why questions have no pair."""
    counts = answers["label"].value_counts()
    numbers = {"questions": answers["target_id"].nunique(), **{name: int(counts.get(name, 0)) for name in LABELS}}
    numbers |= {"known": int(answers.drop_duplicates("target_id")["known"].eq(True).sum())}
    numbers |= {"hedged": int(answers["text"].fillna("").map(hedged).sum())}
    numbers |= {"too_long": int(answers["reason"].eq("too_long").sum())}
    yield from SECTION.rows("samples", keys, numbers | {"without_pair": sum(reasons.values())})
    yield from SECTION.rows("without_pair", keys, dict.fromkeys(REASONS, 0) | reasons)


def _difference(table, keys, name, first, second):
    """Of two estimates from the same answers."""
    counts = {"n": int(first.counts[0]), "abstained": int(first.abstained[0])}
    yield SECTION.row(table, keys, name, **first.minus(second).row() | counts)


def _mean(estimates: Estimates, columns: list[int]) -> Estimates:
    """The mean over seeds as an estimate of one column."""
    of_first = {name: getattr(estimates, name)[columns[:1]] for name in ("counts", "abstained", "clusters", "shares")}
    values = estimates.values[columns].mean(keepdims=True)
    return Estimates(values=values, drawn=estimates.drawn[:, columns].mean(axis=1, keepdims=True), **of_first)
