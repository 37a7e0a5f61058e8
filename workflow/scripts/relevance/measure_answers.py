"""Measure what the passages of a corpus are worth in answers, and what a gate before the responder is: numbers of the
report's section on relevance, and a few examples.

r of a query (the paper's equation 1) is 1, 0 or -1 for one responder, one retriever and one answer each. A gate follows
a strategy of appendix A.2 with queries that it rejects: `reject`, `answer_directly`, `search_wider` or `ask_person`,
which does not count as right.
"""

from collections.abc import Iterator

import numpy as np

from ragassay.base import tables
from ragassay.base.stage import log, run
from ragassay.grading.outcomes import ABSTAINED, DECLINED, RIGHT, WRONG
from ragassay.metrics.panel import Panel
from ragassay.schemas.corpora import QUERIES
from ragassay.schemas.relevance import DIRECT_ANSWERS, PASSAGE_ANSWERS
from ragassay.schemas.report import ANSWER_EXAMPLES, ANSWER_METRICS
from ragassay.studies.relevance import calibration, methods
from ragassay.studies.relevance.methods import SHOWN
from ragassay.studies.relevance.paper_tables import SECTION
from ragassay.studies.relevance.searched_queries import HELD_OUT, fractions
from ragassay.studies.relevance.statistics import FUSED
from ragassay.studies.relevance.study_set import Options, StudySet, by_keys
from ragassay.studies.relevance.trials import TRUE, Performance, Trial, over_runs

NOT_ASKED = ""
OUT_OF_KNOWLEDGE = "out-of-knowledge"
PERSON = "person"
NO_GATE = "no gate"
SHARES = (RIGHT, WRONG, DECLINED, PERSON)
CHART = SHOWN[FUSED]  # the statistic in the chart


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
        of_set = Options(**options | {"alpha": alphas[name]})
        searching = {*of_set.of_set(entry).retrievers, *of_set.fused}
        of_set = of_set._replace(retrievers=[retriever for retriever in of_set.retrievers if retriever in searching])
        study_set = StudySet(name, entry, of_set, files)
        for responder in responders:
            outcomes_of = Outcomes(responder, passage_answers, direct_answers)
            rows += equation_1(study_set, outcomes_of, *draws)
            rows += accuracies(study_set, outcomes_of, *draws)
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
        by_strategy = answers(study_set, trial, outcomes_of)
        if not by_strategy:
            continue
        values = methods.statistics(trial, options, trained=False)
        rejected = {
            name: trial.rejected(by_query, options.alpha, options.p_values) for name, by_query in values.items()
        }
        keys = place | {"responder": outcomes_of.responder, "retriever": options.retriever, "alpha": options.alpha}
        rows = list(gate_rows(keys, Performance(trial, resamples, seed), by_strategy, rejected))
        fused = (CHART, values[CHART])
        yield rows, list(example_rows(study_set, trial, outcomes_of, queries, *fused))


class Outcomes:
    """What one responder said, by its files; read when they are asked for, each once."""

    def __init__(self, responder: str, passage_answers, direct_answers):
        files = [*by_keys(PASSAGE_ANSWERS, passage_answers).items(), *by_keys(DIRECT_ANSWERS, direct_answers).items()]
        self.responder = responder
        self._files = {keys[1:]: path for keys, path in files if keys[0] == responder}
        self._rows = {}

    def rows(self, *keys: str) -> dict[str, dict]:
        """query -> its row, with passages if the keys are corpus, retriever and query set, without if they are a query
        set alone; nothing of what was not asked.
        """
        if keys not in self._rows:
            *searched, _ = keys
            table = PASSAGE_ANSWERS if searched else DIRECT_ANSWERS
            columns = ["query_id", "outcome", "text", *(["passages"] if searched else [])]
            answered = tables.read(table, self._files[keys], columns).to_pylist() if keys in self._files else []
            self._rows[keys] = {row["query_id"]: row for row in answered}
        return self._rows[keys]

    def of(self, ids, *keys: str) -> np.ndarray:
        """The outcome of each of these queries; NOT_ASKED if there is none."""
        rows = self.rows(*keys)
        return np.array([rows[name]["outcome"] if name in rows else NOT_ASKED for name in ids], object)


def flags(outcomes: np.ndarray, name: str) -> np.ndarray:
    """1 where the outcome is this one, 0 where it is another, NaN where there is none."""
    return np.where(np.isin(outcomes, [ABSTAINED, NOT_ASKED]), np.nan, outcomes == name)


def equation_1(study_set: StudySet, outcomes: Outcomes, resamples: int, seed: int) -> Iterator[dict]:
    """The share that is right with passages and without, and the difference, for each group that was asked."""
    retriever, corpus, inside = study_set.options.retriever, study_set.entry["corpus"], study_set.entry["in_knowledge"]
    groups = [(TRUE, study_set.known, inside, corpus)]  # name, queries, their set and where they were searched
    if len(study_set.held_out.ids):
        groups.append((HELD_OUT, study_set.held_out, inside, f"{corpus}.held_out"))
    groups += [(queries.name, queries, queries.name, corpus) for _, queries in study_set.unknown]
    for at, (name, queries, query_set, searched) in enumerate(groups):
        shown = outcomes.of(queries.ids, searched, retriever, query_set)
        asked = shown != NOT_ASKED
        if not asked.any():
            continue
        right = flags(shown, RIGHT), flags(outcomes.of(queries.ids, query_set), RIGHT)
        gain = right[0] - right[1]
        unknown = np.isnan(gain)
        columns = {"right_with": right[0], "right_without": right[1], "relevance": gain}
        signs = {"gained": gain > 0, "lost": gain < 0}
        columns |= {metric: np.where(unknown, np.nan, sign) for metric, sign in signs.items()}
        estimates = Panel(queries.keys, resamples, seed).mean(np.stack(list(columns.values()), axis=1), asked)
        estimates.shares[list(columns).index("relevance")] = False  # a difference, even if it never is below 0
        keys = {"at": at, "corpus": study_set.name, "responder": outcomes.responder, "retriever": retriever}
        keys |= {"queries": name, "tag": TRUE if name == TRUE else OUT_OF_KNOWLEDGE}
        yield from SECTION.estimates("equation_1", keys, columns, estimates)


def accuracies(study_set: StudySet, outcomes: Outcomes, resamples: int, seed: int) -> Iterator[dict]:
    """The share of in-knowledge queries that are answered right with what each retriever finds, for figure 3."""
    queries, entry = study_set.known, study_set.entry
    for retriever in study_set.options.retrievers:
        shown = outcomes.of(queries.ids, entry["corpus"], retriever, entry["in_knowledge"])
        if (shown != NOT_ASKED).any():
            accuracy = Panel(queries.keys, resamples, seed).mean(flags(shown, RIGHT), shown != NOT_ASKED).row()
            keys = {"corpus": study_set.name, "responder": outcomes.responder, "retriever": retriever}
            yield SECTION.row("accuracy", keys, "accuracy", **accuracy)


def answers(study_set: StudySet, trial: Trial, responder_outcomes: Outcomes) -> dict[str, np.ndarray]:
    """The outcome of each query of a trial by what was done with it; nothing if one of its sides was not asked."""
    corpus, inside = study_set.entry["corpus"], study_set.entry["in_knowledge"]
    retriever, held_out = study_set.options.retriever, trial.kind == HELD_OUT
    sides = [(trial.known.ids, inside), (trial.unknown.ids, inside if held_out else trial.unknown.name)]

    def outcomes(*place):
        return np.concatenate([responder_outcomes.of(ids, *place, query_set) for ids, query_set in sides])

    passages = outcomes(f"{corpus}.held_out" if held_out else corpus, retriever)
    asked = passages != NOT_ASKED
    if not asked[trial.positive].any() or not asked[~trial.positive].any():
        return {}
    everywhere = {"reject": np.full(len(passages), DECLINED, object), "answer_directly": outcomes()}
    if held_out:
        everywhere["search_wider"] = outcomes(corpus, retriever)
    return {NO_GATE: passages} | everywhere | {"ask_person": np.full(len(passages), PERSON, object)}


def gated(by_strategy: dict[str, np.ndarray], rejected: dict[str, np.ndarray]) -> dict[tuple, np.ndarray]:
    """(statistic, strategy) -> queries x runs: the outcomes. A run in which too few queries calibrate has no verdicts
    in any of them.
    """
    undecided = np.isnan(np.stack(list(rejected.values()))).any(axis=0)
    always = np.where(undecided, ABSTAINED, by_strategy[NO_GATE][:, None])
    by_arm = {(NO_GATE, NO_GATE): always}
    for statistic, out in rejected.items():
        for strategy, instead in by_strategy.items():
            if strategy != NO_GATE:
                by_arm[statistic, strategy] = np.where((out == 1) & ~undecided, instead[:, None], always)
    return by_arm


def gate_rows(
    keys: dict, performance: Performance, by_strategy: dict[str, np.ndarray], rejected: dict[str, np.ndarray]
) -> Iterator[dict]:
    """Shares of outcomes on either side of a trial, and what each gate changes: wrong answers that it avoids and right
    ones that it loses, as shares of all queries, on the same queries.
    """
    trial, by_arm = performance.trial, gated(by_strategy, rejected)
    always, runs = by_arm[NO_GATE, NO_GATE], trial.tested.shape[1]
    columns = {}
    for arm, outcomes in by_arm.items():
        columns |= {(*arm, name): flags(outcomes, name) for name in SHARES}
        if arm != (NO_GATE, NO_GATE):
            changed = ("wrong_avoided", WRONG), ("right_lost", RIGHT)
            columns |= {(*arm, name): flags(always, of_side) - flags(outcomes, of_side) for name, of_side in changed}
    asked = by_strategy[NO_GATE] != NOT_ASKED
    tested = np.tile(trial.tested & asked[:, None], len(columns))
    sides = {TRUE: ~trial.positive, OUT_OF_KNOWLEDGE: trial.positive}
    masks = {name: tested & side[:, None] for name, side in sides.items()}
    estimates = performance.panel.means(np.concatenate(list(columns.values()), axis=1), masks)
    for side, shares in estimates.items():
        for at, (statistic, strategy, name) in enumerate(columns):
            row = over_runs(shares, slice(at * runs, (at + 1) * runs))
            of_side = keys | {"tag": side, "strategy": strategy.replace("_", " ")}
            yield SECTION.row("gate", of_side | {"statistic": statistic}, name, **row)
            if statistic in (NO_GATE, CHART) and name in (RIGHT, WRONG):
                yield SECTION.row("gate_chart", of_side, name, **row)


def example_rows(
    study_set: StudySet, trial: Trial, outcomes: Outcomes, queries: list, statistic: str, values: np.ndarray
) -> Iterator[dict]:
    """Rows of the table examples; `queries` are files of all sets, `values` the statistic of the trial's queries."""
    options, entry = study_set.options, study_set.entry
    calibrating = trial.calibrating[:, 0]
    if calibrating.sum() < calibration.fewest_for(options.alpha):
        return
    p = calibration.p_values(values[calibrating], values, options.p_values)
    rejected = calibration.rejected(values[calibrating], values, options.alpha, options.p_values)
    held_out = trial.kind == HELD_OUT
    corpus = f"{entry['corpus']}.held_out" if held_out else entry["corpus"]
    sets = {False: entry["in_knowledge"], True: entry["in_knowledge"] if held_out else trial.unknown.name}
    texts = {name: _texts(queries, name) for name in sets.values()}
    ids, number = np.concatenate([trial.known.ids, trial.unknown.ids]), 0
    for positive, decided in ((False, False), (False, True), (True, True), (True, False)):
        answers = outcomes.rows(corpus, options.retriever, sets[positive])
        candidates = np.flatnonzero(trial.tested[:, 0] & (trial.positive == positive) & (rejected == decided))
        candidates = [at for at in candidates if ids[at] in answers]
        if not candidates:
            continue
        number += 1
        at = min(candidates, key=lambda place: fractions("example", [ids[place]])[0])
        query, with_, without = (
            rows[ids[at]] for rows in (texts[sets[positive]], answers, outcomes.rows(sets[positive]))
        )
        decision = f"{statistic} = {values[at]:.3g}, p = {p[at]:.3f} at alpha = {options.alpha:g}:"
        parts = {
            "Query": query["text"],
            "Right answers": "; ".join(query["answers"]),
            f"Passages found by {options.retriever} in {corpus}": ", ".join(with_["passages"]) or "none",
            f"{outcomes.responder} with these passages ({with_['outcome']})": with_["text"],
            f"{outcomes.responder} without passages ({without['outcome']})": without["text"],
            "Gate": f"{decision} {'out of knowledge' if decided else 'let pass'}",
        }
        tag = OUT_OF_KNOWLEDGE if positive else TRUE
        title = f"{tag} and {'rejected' if decided else 'let pass'} ({study_set.name})"
        for position, (part, text) in enumerate(parts.items(), 1):
            rows = {"study": SECTION.study, "example": number, "position": position, "title": title}
            yield rows | {"part": part, "text": text or "(nothing)"}


def _texts(queries, query_set):
    [path] = [path for path in queries if tables.keys(QUERIES, path)["query_set"] == query_set]
    rows = tables.read(QUERIES, path, ["query_id", "text", "answers"]).to_pylist()
    return {row["query_id"]: row for row in rows}


if __name__ == "__main__":
    run(measure_answers, snakemake)
