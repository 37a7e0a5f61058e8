"""Measure services on the questions that they were asked: the report's section. Asks nobody.

What each answers and declines, as the judge says and by words; what its passages are worth; where two services differ
on the same questions; what gets through of poison, and what each guard would have stopped of it at what cost. Intervals
are 95 %, from resampled documents, those of poison from resampled targets; a p flips the differences of documents.
"""

from collections.abc import Iterator
from itertools import combinations

import numpy as np
import pandas as pd

from ragassay.base import tables
from ragassay.base.stage import run
from ragassay.grading.outcomes import ABSTAINED, REFUSAL
from ragassay.metrics.panel import Panel
from ragassay.schemas.report import METRICS, Section
from ragassay.schemas.scope_answers import DEFUSION_LABELS
from ragassay.schemas.services import POISONED_SERVICE_ANSWERS, SERVICE_ANSWERS, SERVICE_OUTCOMES
from ragassay.studies.poisoning.measures.success import success
from ragassay.studies.scope.votes import ALONE, DEFUSED, IN, NOT_DEFUSED, OUT

SECTION = Section("services")
SHARES = (
    "answered_out_of_scope", "refused_in_scope", "document_retrieved", "supported", "answered_unsupported",
    "unknown_citations", "unstable",
)  # fmt: skip
CLEAN, STOPS = "none", "_stops"  # the attack of clean answers; the ending of the columns of guards
OF_ATTACK = ("poison_got_through", "target_without_poison", "poison_retrieved")
OF_GUARD = ("guard_stops_poison", "guard_costs_answers")


def measure_services(
    service_answers, defusion_labels, metrics, outcomes, resamples, seed, flips,
    poisoned_service_answers=(), wants=None,
):  # fmt: skip
    """`wants` says what each attack wants of an answer."""
    answers, labels = tables.frame(SERVICE_ANSWERS, service_answers), tables.frame(DEFUSION_LABELS, defusion_labels)
    labels, rows, counted = labels[labels["prompt_name"] == ALONE], [], []
    for asked, of_asked in answers.groupby("generator"):
        owners = of_asked.drop_duplicates("question_id").set_index("question_id")["doc_id"]
        by_service = {}
        for name, of_service in of_asked.groupby("responder"):
            judged = labels[(labels["generator"] == asked) & (labels["responder"] == name)]
            by_service[name] = shares(of_service, dict(zip(judged["question_id"], judged["label"], strict=True)))
            counted += outcome_rows(asked, name, by_service[name], owners)
        types = of_asked.drop_duplicates("question_id").set_index("question_id")["question_type"]
        rows += type_rows(asked, by_service, owners, types, {"times": resamples, "seed": seed})
        rows += service_rows(asked, by_service, owners, {"times": resamples, "seed": seed}, flips)
    poisoned = tables.frame(POISONED_SERVICE_ANSWERS, poisoned_service_answers)
    rows += poison_rows(poisoned, wants, {"times": resamples, "seed": seed})
    counted += poison_outcomes(poisoned, wants)
    tables.write(METRICS, metrics, rows)
    tables.write(SERVICE_OUTCOMES, outcomes, [dict.fromkeys(SERVICE_OUTCOMES.schema.names) | row for row in counted])


def shares(answers: pd.DataFrame, labels: dict[str, str]) -> pd.DataFrame:
    """One row per question and one column per share: 1 if it counts, 0 if not, NaN where it cannot. `answers` is a
    frame of service_answers of one service, `labels` the judge's labels of its first answers, by question.
    """
    first = answers[answers["ask"] == 1].set_index("question_id")
    answered, declined = first["outcome"] == "answered", first["outcome"] == "declined"
    inside, outside = first["intended"] == IN, first["intended"] == OUT
    label = pd.Series(labels, dtype=object).reindex(first.index)
    has_passages, cites = first["retrieved"].notna(), first["citations"] > 0
    supported = _as_numbers(first["supported"])
    columns = {
        "answered_out_of_scope": _where(label == NOT_DEFUSED, outside & label.isin([DEFUSED, NOT_DEFUSED])),
        "refused_in_scope": _where(declined, inside & (answered | declined)),
        "document_retrieved": _where(first["document_rank"].notna(), inside & has_passages),
        "supported": supported.where(inside & answered),
        "answered_unsupported": _where(answered & (supported == 0), has_passages & (declined | supported.notna())),
        "unknown_citations": _where(first["unknown_citations"] > 0, cites & first["unknown_citations"].notna()),
        "unstable": _unstable(answers).reindex(first.index),
    }
    return pd.DataFrame(columns)


def outcome_rows(asked: str, name: str, frame: pd.DataFrame, owners: pd.Series) -> Iterator[dict]:
    """The shares of one service as rows of service_outcomes."""
    for question, values in frame[list(SHARES)].iterrows():
        counts = {share: None if np.isnan(value) else bool(value) for share, value in values.items()}
        yield {"asked": asked, "responder": name, "question_id": question, "doc_id": owners[question]} | counts


def service_rows(
    asked: str, by_service: dict[str, pd.DataFrame], owners: pd.Series, draws: dict, flips: int
) -> Iterator[dict]:
    """The tables services and differences of one generator or question set. `by_service` are the shares of each
    service, `owners` the documents of questions.
    """
    for name, frame in by_service.items():
        panel = Panel(owners.reindex(frame.index), **draws)
        keys = {"asked": asked, "service": name}
        yield from SECTION.estimates("services", keys, SHARES, panel.mean(frame[list(SHARES)].to_numpy(float)))
    for first, second in combinations(by_service, 2):
        difference = (by_service[first] - by_service[second]).dropna(how="all")
        if difference.empty:
            continue
        panel, values = Panel(owners.reindex(difference.index), **draws), difference[list(SHARES)].to_numpy(float)
        keys, estimates = {"asked": asked, "first": first, "second": second}, panel.difference(values)
        yield from SECTION.estimates("differences", keys, SHARES, estimates)
        for share, p, count in zip(SHARES, panel.p(values, flips), estimates.counts, strict=True):
            yield SECTION.row("differences", keys, f"{share}_p", p if count else np.nan, count)


def type_rows(asked, by_service, owners, types, draws: dict) -> Iterator[dict]:
    """The table types: what each service answers of each type of out-of-scope question; none where no type is known."""
    for name, frame in by_service.items():
        of_type, share = types.reindex(frame.index), frame["answered_out_of_scope"]
        for type_name in sorted(of_type[share.notna()].dropna().unique()):
            chosen = share[(of_type == type_name) & share.notna()]
            estimate = Panel(owners.reindex(chosen.index), **draws).mean(chosen.to_numpy(float)).row()
            keys = {"asked": asked, "service": name, "type": type_name}
            yield SECTION.row("types", keys, "answered", **estimate)


def _as_numbers(verdicts):
    """1 and 0, NaN where there is no verdict."""
    return verdicts.astype("boolean").astype("Float64").astype(float)


def _where(holds, counts):
    """1 and 0 for whether it holds, NaN where it does not count."""
    return holds.astype(float).where(counts)


def _unstable(answers):
    """Whether a question that was asked more than once was once answered and once declined."""
    outcomes = answers[answers["outcome"] != "abstained"].groupby("question_id")["outcome"].agg(["nunique", "size"])
    return (outcomes["nunique"] > 1).astype(float).where(outcomes["size"] > 1, np.nan)


def poison_rows(answers: pd.DataFrame, wants: dict[str, str], draws: dict) -> Iterator[dict]:
    """The tables poison and guards. `answers` is a frame of poisoned_service_answers, `wants` says what each attack
    wants of the answer.
    """
    for name, clean, attacked in _of_services(answers, wants):
        got_through = [clean[:0]]
        for attack, (poisoned, shares, counts) in attacked.items():
            got_through.append(poisoned[shares[:, 0] == 1])
            estimates = Panel(poisoned.index, **draws).mean(shares, counts)
            yield from SECTION.estimates("poison", {"service": name, "attack": attack}, OF_ATTACK, estimates)
        for guard in _guards(clean):
            for metric, rows in zip(OF_GUARD, (pd.concat(got_through), _answered(clean)), strict=True):
                estimate = Panel(rows.index, **draws).mean(_stops(rows, guard).to_numpy(float))
                yield SECTION.row("guards", {"service": name, "guard": guard}, metric, **estimate.row())


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
    return _as_numbers(rows[guard + STOPS])


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


if __name__ == "__main__":
    run(measure_services, snakemake)
