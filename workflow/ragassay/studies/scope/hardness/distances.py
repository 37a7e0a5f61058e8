"""How near questions and guesses are to their documents, and how long questions are: the distributions in the report's
section on scope, on pandas frames.
"""

from collections.abc import Iterator

import numpy as np

from ragassay.metrics.panel import Panel
from ragassay.schemas.report import Section
from ragassay.studies.scope.hardness.strata import ALL
from ragassay.studies.scope.questions.votes import IN, KINDS, OUT

SECTION = Section("scope")
SIMILARITIES = ["to_original", "to_previous", "to_nearest"]
BIN = 0.05  # of nearness
VERDICTS = {"hard": "yes", "easy": "no", "undecided": "undecided"}


def drift_rows(guesses, times: int, seed: int) -> Iterator[dict]:
    """How far recovered claims are from the original ones, round by round."""
    for number, rows in guesses.groupby("round"):
        yield from SECTION.rows("drift", {"round": number}, {"guesses": len(rows)})
        means = Panel(rows["doc_id"], times, seed).mean(rows[SIMILARITIES])
        for at, name in enumerate(SIMILARITIES):
            yield SECTION.row("drift", {"round": number}, name, **means.row(at))


def length_rows(kept) -> Iterator[dict]:
    for words, counts in _histogram(kept["n_words"], kept["intended"]):
        yield from SECTION.rows("lengths", {"words": words}, counts, len(kept))


def nearness_rows(kept, hardness) -> Iterator[dict]:
    """How near kept questions are to the nearest claim of their document."""
    near = kept[["question_id", "intended"]].merge(hardness[["question_id", "nearness"]], on="question_id")
    bins = np.floor(near["nearness"] / BIN + 1e-9).astype(int)
    for at, (number, counts) in enumerate(_histogram(bins, near["intended"])):
        yield from SECTION.rows("nearness", {"at": at, "nearness": f"{number * BIN:.2f}"}, counts, len(near))


def stratum_rows(strata) -> Iterator[dict]:
    for row in strata[strata["stratum"] != ALL].itertuples():
        keys = {"at": row.position, "stratum": row.stratum, "verdict": VERDICTS[row.grade]}
        counts = {OUT: row.n_out_of_scope, IN: row.n_in_scope}
        yield from SECTION.rows("strata", keys, counts, sum(counts.values()))
        for name in ("auroc", "question_alone", "share"):
            value, low, high = (getattr(row, f"{name}{end}") for end in ("", "_low", "_high"))
            yield SECTION.row("strata", keys, name, value, sum(counts.values()), low, high)


def _histogram(bins, kinds) -> Iterator[tuple[int, dict]]:
    """The counts of each kind in each bin, empty bins between full ones included."""
    counts = bins.groupby([kinds, bins]).size()
    for number in range(bins.min(), bins.max() + 1) if len(bins) else ():
        yield number, {kind: int(counts.get((kind, number), 0)) for kind in KINDS}
