"""The poison that gets through whole services, and what each guard would have stopped of it at what cost, as rows of a
report's section. Intervals are 95 %, from resampled targets.
"""

from collections.abc import Iterator

import numpy as np
import pandas as pd

from ragassay.grading.outcomes import ABSTAINED, REFUSAL
from ragassay.metrics.panel import Panel
from ragassay.schemas.report import Section
from ragassay.studies.poisoning.measures.success import success

CLEAN, STOPS = "none", "_stops"  # the ending of the columns of guards
OF_ATTACK = ("poison_got_through", "target_without_poison", "poison_retrieved")
OF_GUARD = ("guard_stops_poison", "guard_costs_answers")


def poison_rows(section: Section, answers: pd.DataFrame, wants: dict[str, str], draws: dict) -> Iterator[dict]:
    """The tables poison and guards. `answers` is a frame of poisoned_service_answers, `wants` says what each attack
    wants of the answer.
    """
    for name, of_service in answers.groupby("responder"):
        cells = {attack: rows.set_index("target_id") for attack, rows in of_service.groupby("attack")}
        clean, got_through = cells[CLEAN], {}
        for attack in [attack for attack in cells if attack != CLEAN]:
            poisoned = cells[attack]
            shares, counts = _of_attack(poisoned, clean.reindex(poisoned.index), wants[attack])
            got_through[attack] = poisoned[shares[:, 0] == 1]
            estimates = Panel(poisoned.index, **draws).mean(shares, counts)
            yield from section.estimates("poison", {"service": name, "attack": attack}, OF_ATTACK, estimates)
        stopped = pd.concat([*got_through.values(), clean[:0]])
        for column in clean.columns[clean.columns.str.endswith(STOPS)]:
            if clean[column].notna().any():
                guard = column.removesuffix(STOPS)
                yield from _of_guard(section, {"service": name, "guard": guard}, stopped, clean, draws)


def _of_attack(poisoned, clean, wants):
    """targets x shares, NaN without a verdict, and which targets each share is of."""
    reached, asked = success(poisoned, clean, wants)["success"]
    without, _ = success(clean, clean, wants)["success"]
    retrieved = (poisoned["poisoned"] > 0).astype(float).where(poisoned["poisoned"].notna())
    columns = [
        np.where(poisoned["outcome"] != ABSTAINED, reached, np.nan),
        np.where(clean["outcome"] != ABSTAINED, without, np.nan),
        retrieved.to_numpy(float),
    ]
    has_passages = poisoned["poisoned"].notna().to_numpy(bool)
    return np.stack(columns, axis=1), np.stack([asked, asked, has_passages], axis=1)


def _of_guard(section, keys, got_through, clean, draws):
    """What a guard stops of the poison that got through, over all attacks, and of answers that were clean."""
    answered = clean[~clean["outcome"].isin([ABSTAINED, REFUSAL])]
    for metric, rows in zip(OF_GUARD, (got_through, answered), strict=True):
        stops = rows[keys["guard"] + STOPS].astype("boolean").astype("Float64").astype(float)
        estimate = Panel(rows.index, **draws).mean(stops.to_numpy(float))
        yield section.row("guards", keys, metric, **estimate.row())
