"""Defences compared by paired tests: at the same share of false alarms on the same poisoned passages, and by right
answers to the same questions. And what each costs, counted.
"""

from collections.abc import Iterator

import numpy as np

from ragassay.grading.outcomes import ABSTAINED, CORRECT
from ragassay.metrics.paired import holm
from ragassay.metrics.panel import Panel
from ragassay.studies.poisoning.measures.detection import SECTION, caught

FPR, FLIPS = 0.05, 9_999


def difference_rows(judged: dict, resamples: int, seed: int, base: str = "raguard") -> Iterator[dict]:
    """How much more of the poison each defence finds than `base` does, and p of the difference, corrected for all
    defences on the same attack. `judged` has the rows of each cell.
    """
    cells = {}
    for cell, rows in judged.items():
        cells.setdefault(cell[:3], {})[cell[3]] = rows
    for cell, by_defence in cells.items():
        others = [name for name, rows in by_defence.items() if name != base and rows["score"].nunique() > 1]
        if base not in by_defence or not others or not by_defence[base]["poison"].any():
            continue
        hits = {name: _hits(by_defence[name]) for name in (base, *others)}
        poison = hits[base].index
        differences = np.column_stack([hits[name].reindex(poison) - hits[base] for name in others])
        keys = dict(zip(("dataset", "retriever", "attack"), cell, strict=True))
        panel = Panel(poison.get_level_values(0), resamples, seed)
        yield from _compared("differences", keys, others, differences, panel)


def answer_difference_rows(given: dict, resamples: int, seed: int, base: str = "raguard") -> Iterator[dict]:
    """How many more questions are answered right behind each defence than behind `base`, in the same way; a question
    counts where both have an answer. `given` has the answers of each cell by target.
    """
    cells = {}
    for (dataset, retriever, attack, name, responder), rows in given.items():
        cells.setdefault((dataset, retriever, attack, responder), {})[name] = rows
    for cell, by_defence in cells.items():
        others = [name for name in by_defence if name != base]
        if base not in by_defence or not others:
            continue
        right = {name: _right(rows) for name, rows in by_defence.items()}
        asked = right[base].index
        differences = np.column_stack([right[name].reindex(asked) - right[base] for name in others])
        keys = dict(zip(("dataset", "retriever", "attack", "responder"), cell, strict=True))
        yield from _compared("answer_differences", keys, others, differences, Panel(asked, resamples, seed))


def _compared(table, keys, others, differences, panel):
    """Rows for each of the others from its column of differences."""
    estimates, values = panel.difference(differences), holm(panel.p(differences, FLIPS))
    for at, name in enumerate(others):
        yield SECTION.row(table, keys | {"defence": name}, "difference", **estimates.row(at))
        yield SECTION.row(table, keys | {"defence": name}, "p", values[at], int(estimates.counts[at]))


def _right(rows):
    """1 for a right answer and 0 for another, by target; nothing where there is none."""
    return (rows["outcome"] == CORRECT).astype(float).where(rows["outcome"] != ABSTAINED)


def _hits(rows):
    """1 for each poisoned passage that is found at this share of false alarms, by target and passage."""
    judged = rows.assign(hit=caught(rows, FPR).astype(float))
    return judged[judged["poison"]].set_index(["target_id", "passage_id"])["hit"].sort_index()


def cost_rows(keys: dict, filtered, questions: int, forwards: int) -> Iterator[dict]:
    """Passages that a defence looks at for each question, and how often a language model runs for these. `forwards` is
    how often it runs for a passage before that can be judged; those of clean passages are stored once, so that this is
    the most. Milliseconds depend on the machine: see the benchmark.
    """
    looked = len(filtered) / questions if questions else 0.0
    yield from SECTION.rows("costs", keys, {"passages": looked, "forwards": looked * forwards}, questions)


def asking_rows(keys: dict, answers) -> Iterator[dict]:
    """Answers of the model for each question, of which a defence takes all but one, and the tokens of these."""
    yield SECTION.row("calls", keys, "calls", answers["calls"].mean(), len(answers))
    tokens = answers["tokens"].dropna()
    if len(tokens):
        yield SECTION.row("calls", keys, "tokens", tokens.mean(), len(tokens))
