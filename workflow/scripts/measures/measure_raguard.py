"""Measure what defences remove, miss and cost, each attack and defence in the same way: the report's section.

What is left for answers: where defences fail, what they cost when nobody attacks, and how much each looks at and
asks, counted.
"""

import json
from collections.abc import Iterator

import numpy as np

from ragassay.base import tables
from ragassay.base.stage import log, run
from ragassay.grading.outcomes import ABSTAINED, CORRECT, TARGET, TARGET_OUTCOMES
from ragassay.metrics.panel import Panel
from ragassay.schemas.attacks import ANSWERS, FOUND_REWRITTEN, POISONED_PASSAGES, RETRIEVED, TARGETS
from ragassay.schemas.defences import FEWER_PLANTED, FILTER_TIMES, FILTERED, RAGUARD_SWEEPS, SWEEP_ANSWERS
from ragassay.schemas.report import METRICS
from ragassay.studies.poisoning.defences import guard_card
from ragassay.studies.poisoning.measures import detection
from ragassay.studies.poisoning.measures.costs import cost_rows, time_rows
from ragassay.studies.poisoning.measures.detection import CELL, MACRO, SECTION, compared_rows

LENGTHS = ((1, 7, "up to 7"), (8, 12, "8 to 12"), (13, 10_000, "13 and more"))  # words of a question
NAMES = ("dataset", "retriever", "attack", "defence", "responder")
NUMBERS = {  # of tables, some of which no cell may have, as without an attack
    "detection": (*MACRO, *(f"{name}_macro" for name in MACRO), "stray"),
    "operator": ("fpr_first", "best_removed", "fnr", "fnr_at_equal", "lost", "calls"),
    "answers": ("floor", "ceiling", "not_restored", "lost"),
    "swept_oacc": ("floor", "ceiling"),
    "costs": ("milliseconds", "calls"),
}
CLEAN, UNDEFENDED, FLOOR, CEILING = "none", "none", "closed_book", "oracle"
TOPICS = 5
PRICES = {("answers", "lost"), ("calls", "calls")}


def measure_raguard(
    targets, poisoned_passages, retrieved, found_rewritten, filtered, fewer_planted, filter_times, quarantine, guards,
    answers, raguard_sweeps, sweep_answers, metrics, costs, k, depth, forwards, resamples, seed, attackers,
):  # fmt: skip
    """`filtered` are files of all cells; the others, of what these name. `guards` are those of fitted defences;
    `forwards` says how often each scorer runs its model for a passage, `attackers` what each attack knows.
    """
    wanted, planted = tables.frame(TARGETS, targets), tables.frame(POISONED_PASSAGES, poisoned_passages)
    retrievals = dict(list(tables.frame(RETRIEVED, retrieved).groupby(CELL[:3], sort=False)))
    retrievals |= dict(list(tables.frame(FOUND_REWRITTEN, found_rewritten).groupby(CELL, sort=False)))
    given = tables.frame(ANSWERS, answers).groupby([*CELL, "responder"], sort=False)
    given = {cell: rows_of_cell.set_index("target_id") for cell, rows_of_cell in given}
    cards = {guard_card.place(path): guard_card.read(path) for path in guards}
    rows, spent, judged, numbers = [], [], {}, {}
    for cell, rows_of_cell in tables.frame(FILTERED, filtered).groupby(CELL, sort=False):
        hits = retrievals[cell if cell in retrievals else cell[:3]]
        keys, looked = dict(zip(CELL, cell, strict=True)), detection.judged(rows_of_cell, hits, depth)
        panel, judged[cell] = Panel(looked["target_id"], resamples, seed), looked
        rows += detection.detection_rows(keys, looked, panel)
        rows += detection.ranking_rows(keys, looked, panel)
        rows += detection.alarm_rows(keys, looked, panel)
        asked = hits["target_id"].drop_duplicates()  # some attacks are tried on a few targets
        aimed = planted[(planted["dataset"] == cell[0]) & (planted["attack"] == cell[2])]
        rows += failure_rows(keys, aimed, looked)
        numbers[cell[0], cell[2]] = int(aimed["number"].max()) if len(aimed) else 0
        whole = keys | {"planted": numbers[cell[0], cell[2]]}
        rows += detection.operator_rows(whole, looked, rows_of_cell, k, panel)
        if cell[2] == CLEAN:
            rows += detection.rank_rows(keys, looked)
        card = cards.get((cell[0], cell[1], cell[3]))
        rows += detection.null_rows(keys, looked, card)
        spent += cost_rows(keys, rows_of_cell, len(asked), forwards.get(card["scorer"], 0) if card else 0)
    for cell, looked in tables.frame(FEWER_PLANTED, fewer_planted).groupby([*CELL, "planted"], sort=False):
        keys, first = (
            dict(zip([*CELL, "planted"], cell, strict=True)),
            detection.marked(looked[looked["rank"] <= depth]),
        )
        panel = Panel(first["target_id"], resamples, seed)
        rows += detection.operator_rows(keys | {"planted": int(cell[-1])}, first, looked, k, panel)
    for (dataset, retriever, defence), card in cards.items():
        keys = {"dataset": dataset, "retriever": retriever, "attack": CLEAN, "defence": defence}
        rows += detection.size_rows(keys, card)
    rows += detection.difference_rows(judged, resamples, seed)
    rows += answer_rows(given, judged, wanted, resamples, seed)
    rows += answer_difference_rows(given, resamples, seed)
    for cell, rows_of_cell in given.items():
        rows += asking_rows(dict(zip(NAMES, cell, strict=True)), rows_of_cell)
    prices = list(price_rows(rows, numbers))
    rows += prices
    spent += time_rows(tables.frame(FILTER_TIMES, filter_times), prices, resamples, seed)
    rows += tables.read_all(RAGUARD_SWEEPS, raguard_sweeps).to_pylist()
    rows += sweep_rows(tables.frame(SWEEP_ANSWERS, sweep_answers), given, resamples, seed)
    rows += (row for path in quarantine for row in detection.screening_rows(path))
    rows += list(detection.knowledge_rows(rows, attackers, cards))
    tables.write(METRICS, metrics, rows + list(empty_rows(rows)))
    tables.write(METRICS, costs, spent + list(empty_rows(spent)))
    log.info("%d numbers of %d cells", len(rows), len(judged))


def empty_rows(rows: list[dict]) -> Iterator[dict]:
    """An empty number of the first cell of a table for each number that a report shows and no cell has."""
    first, names = {}, {}
    for row in rows:
        first.setdefault(row["table"], row)
        names.setdefault(row["table"], set()).add(row["metric"])
    nothing = {"value": None, "low": None, "high": None, "n": 0, "abstained": 0}
    for table, expected in NUMBERS.items():
        for name in expected:
            if table in first and name not in names[table]:
                yield first[table] | nothing | {"metric": name}


def price_rows(rows: list[dict], numbers: dict) -> Iterator[dict]:
    """Right answers lost and calls, of the responder with most of them, beside what an operator gets. `numbers` says
    how many texts are planted.
    """
    most = {}
    for row in rows:
        if (row["table"], row["metric"]) in PRICES and row["value"] is not None:
            cell = {name: value for name, value in json.loads(row["keys"]).items() if name in CELL}
            key = tuple(cell.values()), row["metric"]
            most[key] = max(most.get(key, (row, cell)), (row, cell), key=lambda pair: pair[0]["value"])
    for row, cell in most.values():
        keys = cell | {"planted": numbers[cell["dataset"], cell["attack"]]}
        numbers_of = {name: row[name] for name in ("value", "n", "low", "high")}
        yield SECTION.row("operator", keys, row["metric"], **numbers_of)


def failure_rows(keys: dict, aimed, rows) -> Iterator[dict]:
    """What becomes of planted passages: most of an attack fails in retrieval, which is no merit of a defence."""
    if len(aimed):
        retrieved = rows[rows["poison"]].drop_duplicates("passage_id")
        removed = retrieved["removed"].to_numpy(bool).sum()
        counts = {
            "not_retrieved": len(aimed) - len(retrieved),
            "not_removed": len(retrieved) - removed,
            "removed": removed,
        }
        shares = {name: count / len(aimed) for name, count in counts.items()}
        yield from SECTION.rows("failures", keys, shares, len(aimed))


def answer_rows(given: dict, judged: dict, targets, resamples: int, seed: int) -> Iterator[dict]:
    """Right answers behind each defence (OACC) and the other outcomes, between the floor of answers without passages
    and the ceiling of answers without poison; those that poison costs although all of it was removed, and those that a
    defence costs without attack. `judged` has what each defence looked at, by cell without responder.
    """
    by_topic = _topics(targets) if any(cell[2] == CLEAN != cell[3] for cell in given) else None
    for cell, answers in given.items():
        keys = dict(zip(NAMES, cell, strict=True))
        answered, right = (answers["outcome"] != ABSTAINED).to_numpy(), (answers["outcome"] == CORRECT).to_numpy()
        panel = Panel(answers.index, resamples, seed)
        yield from _outcomes(keys, answers, answered, panel)
        yield from bound_rows("answers", keys, given, cell, answers.index)
        before = given.get((*cell[:2], CLEAN, UNDEFENDED, cell[4]))
        if before is None:
            continue
        could = (before["outcome"].reindex(answers.index) == CORRECT).to_numpy() & answered
        lost = could & ~right
        shown = _shown(answers, judged.get(cell[:4]))
        restored = could & ~shown
        if cell[2] != CLEAN and restored.any():
            yield SECTION.row("answers", keys, "not_restored", lost[restored].mean(), int(restored.sum()))
        if cell[2] != CLEAN and could.any() and cell[:4] in judged:
            yield from _fates(keys, answers, judged[cell[:4]], could, right, shown)
        if cell[2] == CLEAN != cell[3] and could.any():
            yield SECTION.row("answers", keys, "lost", **panel.mean(lost.astype(float), could).row())
            asked = targets[targets["dataset"] == cell[0]].set_index("target_id").reindex(answers.index)
            yield from _lost_by(keys, "lost", "words", _lengths(asked["question"]), could, lost)
            if cell[0] in by_topic:
                topics = by_topic[cell[0]].reindex(answers.index).to_numpy()
                yield from _lost_by(keys, "lost_by_topic", "topic", topics, could, lost)


def _outcomes(keys, answers, answered, panel):
    """All outcomes but one, which the others give; the share of right answers goes by the paper's name, too."""
    names = [name for name in TARGET_OUTCOMES if name != ABSTAINED]
    outcomes = answers["outcome"].to_numpy()
    values = np.stack([np.where(answered, outcomes == name, np.nan) for name in names], axis=1)
    estimates = panel.mean(values, np.ones(values.shape, bool))
    yield SECTION.row("answers", keys, "oacc", **estimates.row(names.index(CORRECT)))
    yield from SECTION.estimates("outcomes", keys, names, estimates)


def answer_difference_rows(given: dict, resamples: int, seed: int) -> Iterator[dict]:
    """How many more questions are answered right behind each defence than behind the one that it is compared with; a
    question counts where both have an answer. `given` has the answers of each cell by target.
    """
    right = {}
    for cell, answers in given.items():
        outcomes = answers["outcome"]
        right[cell] = (outcomes == CORRECT).astype(float).where(outcomes != ABSTAINED)
    yield from compared_rows("answer_differences", NAMES, right, resamples, seed)


def asking_rows(keys: dict, answers) -> Iterator[dict]:
    """Answers of the model for each question, the final one among them, and the tokens of these."""
    for name in ("calls", "tokens"):
        counts = answers[name].dropna()
        if len(counts):
            yield SECTION.row("calls", keys, name, counts.mean(), len(counts))


def bound_rows(table: str, keys: dict, given: dict, cell: tuple, targets) -> Iterator[dict]:
    """Right answers to these targets without any passage, under whatever attack, and without poison. `given` has the
    answers of cells by target.
    """
    floors = [answers for other, answers in given.items() if (*other[:2], *other[3:]) == (*cell[:2], FLOOR, cell[4])]
    ceilings = [given.get((*cell[:3], CEILING, cell[4])), given.get((*cell[:2], CLEAN, UNDEFENDED, cell[4]))]
    for name, bounds in (("floor", floors), ("ceiling", ceilings)):
        bound = next((answers for answers in bounds if answers is not None), None)
        if bound is None:
            continue
        outcomes = bound["outcome"].reindex(targets)
        outcomes = outcomes[outcomes.notna() & (outcomes != ABSTAINED)]
        if len(outcomes):
            yield SECTION.row(table, keys, name, (outcomes == CORRECT).mean(), len(outcomes))


def sweep_rows(answers, given: dict, resamples: int, seed: int) -> Iterator[dict]:
    """Right answers under other settings, beside the floor and the ceiling of any defence. `answers` are rows of the
    table sweep_answers with the keys of their paths; `given`, answers of cells.
    """
    names = ["dataset", "retriever", "attack", "responder"]
    for (*cell, sweep, at, kind), rows in answers.groupby([*names, "sweep", "at", "kind"], sort=False):
        keys = dict(zip(names, cell, strict=True)) | {"sweep": sweep, "at": at, "defence": kind}
        panel, everybody = Panel(rows["target_id"], resamples, seed), np.ones(len(rows), bool)
        for name, wanted in (("oacc", CORRECT), ("target", TARGET)):
            values = np.where(rows["outcome"] != ABSTAINED, rows["outcome"] == wanted, np.nan)
            yield SECTION.row("swept_oacc", keys, name, **panel.mean(values, everybody).row())
        dataset, retriever, attack, responder = cell
        of_cell = (dataset, retriever, attack, "", responder)
        yield from bound_rows("swept_oacc", keys, given, of_cell, rows["target_id"].to_numpy())


def _shown(answers, rows):
    """Whether each question is answered from poison that was planted for it. What was planted for another one is a
    stray; without what was looked at, all counts.
    """
    if rows is None:
        return answers["poisoned"].to_numpy(int) > 0
    return answers.index.isin(rows.loc[rows["poison"] & rows["shown"].notna(), "target_id"])


def _fates(keys, answers, rows, could, right, shown):
    """Of the questions that were answered right without attack: where the defence of each ended."""
    reached = answers.index.isin(rows.loc[rows["poison"], "target_id"])
    fates = {
        "not_retrieved": ~reached & ~shown,
        "not_removed": shown,
        "restored": reached & ~shown & right,
        "not_restored": reached & ~shown & ~right,
    }
    shares = {name: fate[could].mean() for name, fate in fates.items()}
    yield from SECTION.rows("fates", keys, shares, int(could.sum()))


def _lengths(questions):
    """What each question's number of words is called."""
    words = questions.str.split().str.len().to_numpy()
    names = np.full(len(words), "", object)
    for low, high, name in LENGTHS:
        names[(words >= low) & (words <= high)] = name
    return names


def _lost_by(keys, table, what, groups, could, lost):
    """Lost questions of each group."""
    for name in sorted(set(groups[could])):
        mask = could & (groups == name)
        yield SECTION.row(table, keys | {what: name}, "lost", lost[mask].mean(), int(mask.sum()))


def _topics(targets):
    """dataset -> the topic of each target's question; questions without words have none."""
    import pandas as pd

    from ragassay.text.topics import TopicError, topics  # which brings scikit-learn: a second

    topic_of = {}
    for dataset, rows in targets.groupby("dataset"):
        try:
            labels, names = topics(rows["question"].tolist(), TOPICS)
        except TopicError:
            continue
        topic_of[dataset] = pd.Series([names[label] for label in labels], rows["target_id"].to_numpy())
    return topic_of


if __name__ == "__main__":
    run(measure_raguard, snakemake)
