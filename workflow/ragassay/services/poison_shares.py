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
    for name, clean, attacked in _of_services(answers, wants):
        got_through = [clean[:0]]
        for attack, (poisoned, shares, counts) in attacked.items():
            got_through.append(poisoned[shares[:, 0] == 1])
            estimates = Panel(poisoned.index, **draws).mean(shares, counts)
            yield from section.estimates("poison", {"service": name, "attack": attack}, OF_ATTACK, estimates)
        for guard in _guards(clean):
            for metric, rows in zip(OF_GUARD, (pd.concat(got_through), _answered(clean)), strict=True):
                estimate = Panel(rows.index, **draws).mean(_stops(rows, guard).to_numpy(float))
                yield section.row("guards", {"service": name, "guard": guard}, metric, **estimate.row())


def poison_outcomes(answers: pd.DataFrame, wants: dict[str, str]) -> Iterator[dict]:
    """Of each target what counts in the shares of poison that got through and of answers that a guard costs, as rows of
    service_outcomes, so that services and days can be paired.
    """
    for name, clean, attacked in _of_services(answers, wants):
        parts = {(f"attack {attack}", OF_ATTACK[0]): _first(*cell) for attack, cell in attacked.items()}
        parts |= {(f"guard {guard}", OF_GUARD[1]): _stops(_answered(clean), guard) for guard in _guards(clean)}
        for (asked, share), values in parts.items():
            for target, value in values.items():
                row = {"asked": asked, "responder": name, "question_id": target, "doc_id": target}
                yield row | {share: None if np.isnan(value) else bool(value)}


def _of_services(answers, wants):
    """Each service with its clean answers, and for each attack those under it, with shares and what they are of."""
    for service, of_service in answers.groupby("responder"):
        cells = {attack: rows.set_index("target_id") for attack, rows in of_service.groupby("attack")}
        clean = cells.pop(CLEAN)
        shares = {name: _of_attack(rows, clean.reindex(rows.index), wants[name]) for name, rows in cells.items()}
        yield service, clean, {name: (rows, *shares[name]) for name, rows in cells.items()}


def _guards(clean):
    columns = clean.columns[clean.columns.str.endswith(STOPS)]
    return [column.removesuffix(STOPS) for column in columns if clean[column].notna().any()]


def _answered(clean):
    return clean[~clean["outcome"].isin([ABSTAINED, REFUSAL])]


def _stops(rows, guard):
    return rows[guard + STOPS].astype("boolean").astype("Float64").astype(float)


def _first(poisoned, shares, counts):
    """The first share of each target, NaN where it does not count."""
    return pd.Series(np.where(counts[:, 0], shares[:, 0], np.nan), index=poisoned.index)


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
