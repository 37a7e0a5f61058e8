"""Defences that look at passages beside probes that look at activations, on the same prompts: what questions find, with
and without an attack. Each alone, both, or one of them may raise an alarm, all at the same share of false alarms.
"""

import numpy as np

from ragassay.base import tables
from ragassay.base.stage import log, run
from ragassay.schemas.defences import FILTERED
from ragassay.schemas.probes import ALARMS, PROBE_SCORES, PROMPT_PAIRS
from ragassay.studies.poisoning.probes.folds import BESIDE, CONTROLS, ways
from ragassay.studies.poisoning.probes.labels import CLEAN, CORRECT, RETRIEVED, SIDES
from ragassay.studies.poisoning.probes.rows import ALL

KEY = ["target_id", "side"]


def combine_alarms(prompt_pairs, probe_scores, filtered, alarms, defences, fpr):
    """`filtered` are two files: of the clean corpus, and of the attacked one."""
    pairs = tables.read(PROMPT_PAIRS, prompt_pairs, [*KEY, "condition", "shown"]).to_pylist()
    shown = {(row["target_id"], row["side"]): row["shown"] for row in pairs if row["condition"] == RETRIEVED}
    scores = tables.read(PROBE_SCORES, probe_scores).to_pandas()
    own = scores["condition"].eq(RETRIEVED) & scores["trained_on"].eq(RETRIEVED) & scores["facts"].eq(ALL)
    about = {"score": "mean", "fold": "first", "cluster": "first", "label": "first"}
    probes = scores[own & ~scores["probe"].isin(set(CONTROLS) - set(BESIDE))].groupby(["probe", *KEY]).agg(about)
    without = 0
    with tables.Writer(ALARMS, alarms) as kept:
        for defence in defences:
            suspicion = _suspicion(shown, defence, dict(zip(SIDES, filtered, strict=True)))
            without += len(shown) - len(suspicion)
            for probe, rows in probes.groupby(level="probe"):
                _write(kept, rows.reset_index(), suspicion, {"defence": defence, "probe": probe}, fpr)
    log.info("%d prompts, %d times without a score of a defence", len(shown), without)


def _suspicion(shown, defence, files):
    """(target, side) -> the score of its most suspicious passage, where the defence has one."""
    highest = {}
    for side, path in files.items():
        rows = tables.read(FILTERED, path, ["defence", "target_id", "passage_id", "score"]).to_pylist()
        scores = {(row["target_id"], row["passage_id"]): row["score"] for row in rows if row["defence"] == defence}
        for target, passages in ((target, ids) for (target, of), ids in shown.items() if of == side):
            values = [scores.get((target, name)) for name in passages]
            if numbers := [score for score in values if score is not None]:
                highest[target, side] = max(numbers)
    return highest


def _write(kept, rows, suspicion, about, fpr):
    rows["suspicion"] = [suspicion.get(key, np.nan) for key in zip(*(rows[name] for name in KEY), strict=True)]
    rows = rows.dropna(subset="suspicion")
    right = (rows["side"].eq(CLEAN) & rows["label"].eq(CORRECT)).to_numpy()
    columns = (rows[name].to_numpy() for name in ("suspicion", "score"))
    found = ways(*columns, right, rows["fold"].to_numpy(), fpr)
    names = rows[[*KEY, "cluster", "label"]].to_dict("records")
    for way, (scores, flagged) in found.items():
        for row, score, alarm in zip(names, scores.tolist(), flagged.tolist(), strict=True):
            if not np.isnan(score):
                kept.add(row | about | {"way": way, "score": round(score, 6), "flagged": alarm})


if __name__ == "__main__":
    run(combine_alarms, snakemake)
