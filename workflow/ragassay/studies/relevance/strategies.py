"""What becomes of answers when a gate stands before the responder: the strategies of the paper's appendix A.2.

A query that the gate lets pass is answered from passages. One that it rejects is declined (`reject`), answered without
passages (`answer_directly`) or from a wider corpus (`search_wider`; for held-out queries the whole corpus, otherwise
there is none), or a person is asked (`ask_person`), which is counted by itself and not as right. Queries that calibrate
the gate are not the ones that are counted; shares are means over the runs of a trial.
"""

from collections.abc import Iterator

import numpy as np

from ragassay.grading.grading import ABSTAINED, DECLINED, RIGHT, WRONG
from ragassay.studies.relevance.methods import FUSED, SHOWN
from ragassay.studies.relevance.outcomes import NOT_ASKED, OUT_OF_KNOWLEDGE, Outcomes, flags
from ragassay.studies.relevance.paper_tables import SECTION
from ragassay.studies.relevance.performance import Performance, over_runs
from ragassay.studies.relevance.study_set import StudySet
from ragassay.studies.relevance.trials import HELD_OUT, TRUE, Trial

PERSON = "person"
NO_GATE = "no gate"
SHARES = (RIGHT, WRONG, DECLINED, PERSON)
CHART = SHOWN[FUSED]  # the statistic in the chart


def answers(study_set: StudySet, trial: Trial, found: Outcomes) -> dict[str, np.ndarray]:
    """The outcome of each query of a trial by what was done with it; nothing if one of its sides was not asked."""
    corpus, known = study_set.entry["corpus"], study_set.entry["in_knowledge"]
    retriever, held_out = study_set.options.retriever, trial.kind == HELD_OUT
    sides = [(trial.known.ids, known), (trial.unknown.ids, known if held_out else trial.unknown.name)]

    def outcomes(*place):
        return np.concatenate([found.of(ids, *place, query_set) for ids, query_set in sides])

    passages = outcomes(f"{corpus}.held_out" if held_out else corpus, retriever)
    asked = passages != NOT_ASKED
    if not asked[trial.positive].any() or not asked[~trial.positive].any():
        return {}
    everywhere = {"reject": np.full(len(passages), DECLINED, object), "answer_directly": outcomes()}
    if held_out:
        everywhere["search_wider"] = outcomes(corpus, retriever)
    return {NO_GATE: passages} | everywhere | {"ask_person": np.full(len(passages), PERSON, object)}


def gated(by_strategy: dict[str, np.ndarray], rejected: dict[str, np.ndarray]) -> dict[tuple, np.ndarray]:
    """(statistic, strategy) -> queries x runs: the outcomes. A run in which too few queries calibrate to decide has no
    verdicts, without a gate, too, so that all are compared on the same runs.
    """
    undecided = np.isnan(np.stack(list(rejected.values()))).any(axis=0)
    always = np.where(undecided, ABSTAINED, by_strategy[NO_GATE][:, None])
    found = {(NO_GATE, NO_GATE): always}
    for statistic, out in rejected.items():
        for strategy, instead in by_strategy.items():
            if strategy != NO_GATE:
                found[statistic, strategy] = np.where((out == 1) & ~undecided, instead[:, None], always)
    return found


def gate_rows(
    keys: dict, performance: Performance, by_strategy: dict[str, np.ndarray], rejected: dict[str, np.ndarray]
) -> Iterator[dict]:
    """Shares of outcomes on either side of a trial, and what each gate changes: wrong answers that it avoids and right
    ones that it loses, as shares of all queries, on the same queries.
    """
    trial, found = performance.trial, gated(by_strategy, rejected)
    always, runs = found[NO_GATE, NO_GATE], trial.tested.shape[1]
    columns = {}
    for arm, outcomes in found.items():
        columns |= {(*arm, name): flags(outcomes, name) for name in SHARES}
        if arm != (NO_GATE, NO_GATE):
            changed = ("wrong_avoided", WRONG), ("right_lost", RIGHT)
            columns |= {(*arm, name): flags(always, own) - flags(outcomes, own) for name, own in changed}
    asked = by_strategy[NO_GATE] != NOT_ASKED
    tested = np.tile(trial.tested & asked[:, None], len(columns))
    sides = {TRUE: ~trial.positive, OUT_OF_KNOWLEDGE: trial.positive}
    masks = {name: tested & side[:, None] for name, side in sides.items()}
    estimates = performance.panel.means(np.concatenate(list(columns.values()), axis=1), masks)
    for side, shares in estimates.items():
        for at, (statistic, strategy, name) in enumerate(columns):
            row = over_runs(shares, slice(at * runs, (at + 1) * runs))
            own = keys | {"tag": side, "strategy": strategy.replace("_", " ")}
            yield SECTION.row("gate", own | {"statistic": statistic}, name, **row)
            if statistic in (NO_GATE, CHART) and name in (RIGHT, WRONG):
                yield SECTION.row("gate_chart", own, name, **row)
