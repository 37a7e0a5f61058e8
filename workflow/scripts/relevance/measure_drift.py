"""Measure whether the queries of logs drifted, window by window, and to which topics; what is asked most outside of the
corpus, and what the gate would have stopped in the last week: the report's section.

Of queries with the same text, one counts in each window for its test and for the alarm; shares are of all queries.
"""

import datetime

import numpy as np

from ragassay.base import tables
from ragassay.base.errors import AssayError
from ragassay.base.stage import log, run
from ragassay.metrics.panel import Panel
from ragassay.metrics.resampling import clopper_pearson
from ragassay.schemas.corpora import PASSAGES, QUERY_LOG
from ragassay.schemas.relevance import GATED_QUERIES, QUERY_DRIFT
from ragassay.schemas.report import EXAMPLES, METRICS, Section
from ragassay.services.gate_files import known_values, read_card
from ragassay.studies.relevance import drift
from ragassay.studies.relevance.outside import most_asked, numbered
from ragassay.text.topics import topics as topics_of

SECTION = Section("drift")
WEEK = "week"
MONDAY = 1  # the first day, which is a Monday, as an ordinal
SEVEN_DAYS = datetime.timedelta(days=7)
NOTHING = "nothing found"  # the topic of queries that no passage is near to


class DriftError(AssayError):
    """A log is too short to be compared with anything."""


def measure_drift(
    gated_queries, query_logs, gates, passages, query_drift, metrics, examples,
    window, reference, alpha, topics, resamples, seed,
):  # fmt: skip
    """Logs, gates, passages and outputs are one for each. `reference` is how many of a log's first queries the others
    are compared with; 0 compares all with the queries that the gate was calibrated by. `window` is a number of queries
    or `week`.
    """
    rows, shown = [], []
    for path, queries, gate, corpus, output in zip(
        gated_queries, query_logs, gates, passages, query_drift, strict=True
    ):
        asked = every = tables.read(GATED_QUERIES, path)
        keys, reference_values = tables.keys(GATED_QUERIES, path), known_values(gate, read_card(gate))
        if len(asked) < reference + 2:
            raise DriftError(
                f"{path}: found {len(asked)} queries, expected at least {reference + 2}: relevance.drift.reference, and"
                " some to compare; give a longer log"
            )
        if reference:
            before, asked = asked.slice(0, reference), asked.slice(reference)
            reference_values = before["value"].to_numpy()[_counted(before, _numbers(before, window))]
        numbers = _numbers(asked, window)
        windows, evidence = _windows(asked, numbers, reference_values, alpha, seed)
        tables.write(QUERY_DRIFT, output, windows)
        rows += _shown(keys, windows, alpha)
        since = (len(windows) + 1) // 2 if evidence.since is None else evidence.since
        rows += _summary(keys, windows, evidence, len(asked), alpha, _changed(queries))
        rows += _rejected(keys, asked, numbers >= since)
        rows += _topics(keys, asked, corpus, numbers >= since, topics, resamples, seed) if topics else ()
        rows.append(_last_week(keys, every))
        shown += most_asked(keys["corpus"], _rejected_texts(every, queries), topics, seed)
        log.info("%s: %s", keys["query_log"], "drift" if evidence.since is not None else "no drift")
    tables.write(METRICS, metrics, rows)
    tables.write(EXAMPLES, examples, numbered("drift", shown))


def _numbers(asked, window):
    """The number of each query's window, from 0; a week without any query is none."""
    if window != WEEK:
        return np.arange(len(asked)) // window
    weeks = np.array([(date.date().toordinal() - MONDAY) // 7 for date in asked["date"].to_pylist()])
    return np.unique(weeks, return_inverse=True)[1]


def _windows(asked, numbers, reference_values, alpha, seed):
    """The rows of all windows, and the evidence after each."""
    values, out, counted = asked["value"].to_numpy(), asked["rejected"].to_numpy(), _counted(asked, numbers)
    dates = np.array(asked["date"].to_pylist(), object)
    p_values = drift.sequential_p_values(reference_values, values[counted], seed)
    evidence = drift.evidence(p_values, numbers[counted], alpha)
    rows = []
    for number in range(numbers[-1] + 1):
        inside = numbers == number
        test, days = drift.ks(reference_values, values[inside][counted[inside]], alpha), dates[inside]
        rows.append(
            {
                "window": number + 1, "first": days[0], "last": days[-1], "queries": len(days),
                "different": int(counted[inside].sum()), "rejected": int(out[inside].sum()), "ks": test.statistic,
                "ks_critical": test.critical, "ks_p": test.p_value, "evidence": float(evidence.wealth[number]),
                "alarm": bool(evidence.alarms[number]),
            }
        )  # fmt: skip
    return rows, evidence


def _counted(asked, numbers):
    return drift.first_in_window(asked["query_id"].to_pylist(), numbers)


def _shown(keys, windows, alpha):
    """What the figures show of each window."""
    for row in windows:
        place = keys | {"at": row["window"], "first": row["first"].date()}
        count, different = row["queries"], row["different"]
        for curve, value in (("distance", row["ks"]), ("critical distance", row["ks_critical"])):
            yield SECTION.row("ks", place | {"curve": curve}, "distance", value, different)
        for curve, value in (("evidence", row["evidence"]), ("alarm", -np.log10(alpha))):
            yield SECTION.row("evidence", place | {"curve": curve}, "evidence", value, different)
        low, high = clopper_pearson(row["rejected"], count)
        yield SECTION.row("windows", place, "rejected", row["rejected"] / count, count, low, high)


def _changed(queries):
    """The day on which the queries of a log were mixed anew; nothing where that is not known or never was."""
    log_rows = tables.read(QUERY_LOG, queries, ["date", "drifted"]).to_pylist()
    return next((row["date"].date() for row in log_rows if row["drifted"]), None)


def _summary(keys, windows, evidence, queries, alpha, changed):
    """When there was an alarm, how many days after a change that is known (below 0: a false alarm), and the most
    evidence that there was beside what an alarm takes.
    """
    alarm = next((row["last"].date() for row in windows if row["alarm"]), "none")
    since = "" if evidence.since is None else windows[evidence.since]["first"].date()
    summary = {"alarm": alarm, "since": since, "windows": len(windows), "changed": changed or "not known"}
    numbers = {"queries": queries, "evidence": max(row["evidence"] for row in windows), "needed": -np.log10(alpha)}
    yield from SECTION.rows("logs", keys | summary, numbers, queries)
    late = (alarm - changed).days if changed and alarm != "none" else None
    yield SECTION.row("logs", keys | summary, "days_late", late, queries)


def _rejected(keys, asked, after):
    """How many queries the gate rejects before the drift and from then on, and of all."""
    out = asked["rejected"].to_numpy()
    parts = {"before": ~after, "after": after, "": np.full(len(out), True)}
    for name, inside in parts.items():
        hits, count = int(out[inside].sum()), int(inside.sum())
        table, place = ("rejected", keys | {"when": name}) if name else ("traffic", keys)
        value = hits / count if count else None
        yield SECTION.row(table, place, "rejected", value, count, *clopper_pearson(hits, count))


def _rejected_texts(gated, queries):
    """The queries of a log that the gate rejects, each as often as it was asked."""
    out = {*gated.filter(gated["rejected"])["entry"].to_pylist()}
    rows = tables.read(QUERY_LOG, queries, ["entry", "text"]).to_pylist()
    return [(row["text"], "Query of the log") for row in rows if row["entry"] in out]


def _last_week(keys, gated):
    """The share of queries that the gate would have stopped in the seven days before the log ends."""
    dates = np.array(gated["date"].to_pylist(), object)
    inside = dates > dates.max() - SEVEN_DAYS
    hits, count = int(gated["rejected"].to_numpy()[inside].sum()), int(inside.sum())
    place = keys | {"first": dates[inside].min().date(), "last": dates.max().date()}
    return SECTION.row("last_week", place, "gate_stops", hits / count, count, *clopper_pearson(hits, count))


def _topics(keys, asked, corpus, after, count, resamples, seed):
    """The share of each topic before the drift and from then on; of a log without drift, in both its halves."""
    nearest = asked["passage_id"].to_pylist()
    rows = tables.read(PASSAGES, corpus, ["passage_id", "text"]).to_pydict()
    wanted = {*nearest}
    texts = {name: text for name, text in zip(*rows.values(), strict=True) if name in wanted}
    labels, names = topics_of(list(texts.values()), count, seed) if texts else ([], [])
    topic = dict(zip(texts, labels, strict=True))
    topics = np.array([topic.get(name, len(names)) for name in nearest])
    panel = Panel(asked["query_id"].to_pylist(), resamples, seed)  # a query that comes again counts as one
    shares = panel.means(topics[:, None] == np.arange(len(names) + 1), {"before": ~after, "after": after})
    difference = shares["after"].minus(shares["before"])
    for at, name in enumerate([*names, NOTHING]):
        if (topics == at).any():
            for when, estimates in (shares | {"difference": difference}).items():
                yield SECTION.row("topics", keys | {"topic": name}, when, **estimates.row(at))


if __name__ == "__main__":
    run(measure_drift, snakemake)
