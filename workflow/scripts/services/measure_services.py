"""Measure services on the questions that they were asked: the report's section. Asks nobody.

What each answers and declines, as the judge says and by words; what its passages are worth; where two services differ
on the same questions; and what gets through of poison. Intervals are 95 %, from resampled documents; a p flips the
differences of documents.
"""

from collections.abc import Iterator
from itertools import combinations

import numpy as np
import pandas as pd

from ragassay.base import tables
from ragassay.base.stage import run
from ragassay.metrics.panel import Panel
from ragassay.schemas.report import METRICS, Section
from ragassay.schemas.scope_answers import DEFUSION_LABELS
from ragassay.schemas.services import POISONED_SERVICE_ANSWERS, SERVICE_ANSWERS, SERVICE_OUTCOMES
from ragassay.services.poison_shares import poison_outcomes, poison_rows
from ragassay.studies.scope.votes import ALONE, DEFUSED, IN, NOT_DEFUSED, OUT

SECTION = Section("services")
SHARES = (
    "answered_out_of_scope", "refused_in_scope", "document_retrieved", "supported", "answered_unsupported",
    "unknown_citations", "unstable",
)  # fmt: skip


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
    rows += poison_rows(SECTION, poisoned, wants, {"times": resamples, "seed": seed})
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
    supported = first["supported"].astype("boolean").astype("Float64").astype(float)
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


def _where(holds, counts):
    """1 and 0 for whether it holds, NaN where it does not count."""
    return holds.astype(float).where(counts)


def _unstable(answers):
    """Whether a question that was asked more than once was once answered and once declined."""
    outcomes = answers[answers["outcome"] != "abstained"].groupby("question_id")["outcome"].agg(["nunique", "size"])
    return (outcomes["nunique"] > 1).astype(float).where(outcomes["size"] > 1, np.nan)


if __name__ == "__main__":
    run(measure_services, snakemake)
