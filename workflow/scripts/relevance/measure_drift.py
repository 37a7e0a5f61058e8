"""Measure whether the queries of logs drifted, window by window, and to which topics; what is asked most outside of the
corpus, and what the gate would have stopped in the last week: the report's section.

Of queries of one session, and of those with the same text in a window, one counts for tests and for the alarm; shares
are of all queries.
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
from ragassay.studies.relevance.drift import Stream
from ragassay.studies.relevance.outside import groups, most_asked, numbered
from ragassay.text.topics import topics as topics_of

SECTION = Section("drift")
WEEK = "week"
MONDAY = 1  # the first day, which is a Monday, as an ordinal
NAMES = "monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"
SEVEN_DAYS = datetime.timedelta(days=7)
NOTHING = "nothing found"  # the topic of queries that no passage is near to


class DriftError(AssayError):
    """A log is too short to be compared with anything."""


def measure_drift(
    gated_queries, query_logs, gates, passages, query_drift, metrics, examples,
    window, reference, weekend, alpha, topics, resamples, seed,
):  # fmt: skip
    """Logs, gates, passages and outputs are one for each. `reference` is how many of a log's first queries the others
    are compared with; 0 compares those of weekdays with the queries that the gate was calibrated by. `window` is a
    number of queries or `week`, `weekend` the days that are compared with each other alone.
    """
    rows, shown = [], []
    for path, queries, gate, corpus, output in zip(
        gated_queries, query_logs, gates, passages, query_drift, strict=True
    ):
        asked = every = tables.read(GATED_QUERIES, path)
        log_rows = tables.read(QUERY_LOG, queries, ["date", "text", "session", "drifted"]).to_pylist()
        keys, stream = tables.keys(GATED_QUERIES, path), _stream(asked, log_rows, weekend)
        if len(asked) < reference + 2:
            raise DriftError(
                f"{path}: found {len(asked)} queries, expected at least {reference + 2}: relevance.drift.reference, and"
                " some to compare; give a longer log"
            )
        if reference:
            before = stream.at(slice(reference))
            before = before.at(before.witnesses(_numbers(asked.slice(0, reference), window)))
            asked, stream = asked.slice(reference), stream.at(slice(reference, None))
        else:
            values = known_values(gate, read_card(gate))
            before = Stream(values, *(np.arange(len(values)),) * 3, np.full(len(values), False))
        numbers = _numbers(asked, window)
        evidence = drift.alarm(stream, numbers, before, alpha, seed)
        windows = _windows(asked, stream, numbers, before.values, evidence, alpha)
        tables.write(QUERY_DRIFT, output, windows)
        rows += _shown(keys, windows, alpha)
        since = (len(windows) + 1) // 2 if evidence.since is None else evidence.since
        changed = next((row["date"].date() for row in log_rows if row["drifted"]), None)
        quiet = numbers < (len(windows) if evidence.since is None else evidence.since)
        reordered = drift.false_alarms(stream.at(quiet), numbers[quiet], alpha, seed)
        rows += _summary(keys, windows, evidence, len(asked), alpha, changed, reordered)
        rows += _rejected(keys, asked, numbers >= since)
        texts = [row["text"] for row in log_rows]
        rows += _topics(keys, asked, texts[reference:], corpus, numbers >= since, topics, resamples, seed)
        rows.append(_last_week(keys, every))
        out = every["rejected"].to_numpy()
        outside = [(text, "Query of the log") for text, is_out in zip(texts, out, strict=True) if is_out]
        early = None if evidence.since is None else int(out[: reference + quiet.sum()].sum())
        shown += most_asked(keys["corpus"], outside, topics, seed, early)
        log.info("%s: %s", keys["query_log"], "drift" if evidence.since is not None else "no drift")
    tables.write(METRICS, metrics, rows)
    tables.write(EXAMPLES, examples, numbered("drift", shown))


def _numbers(asked, window):
    """The number of each query's window, from 0; a week without any query is none."""
    if window != WEEK:
        return np.arange(len(asked)) // window
    weeks = np.array([(date.date().toordinal() - MONDAY) // 7 for date in asked["date"].to_pylist()])
    return np.unique(weeks, return_inverse=True)[1]


def _stream(asked, log_rows, weekend):
    """The queries as drift sees them."""
    days = np.array([row["date"].date().toordinal() for row in log_rows])
    sessions = [row["session"] or f"query {at}" for at, row in enumerate(log_rows)]
    queries, sessions = (np.unique(names, return_inverse=True)[1] for names in (asked["query_id"], sessions))
    weekends = np.isin((days - MONDAY) % 7, [NAMES.index(name) for name in weekend])
    weekends &= not weekends.all()  # a log of weekends alone has one kind of day
    return Stream(asked["value"].to_numpy(), queries, sessions, days, weekends)


def _windows(asked, stream, numbers, reference_values, evidence, alpha):
    """The rows of all windows."""
    out, dates = asked["rejected"].to_numpy(), np.array(asked["date"].to_pylist(), object)
    counted = np.isin(np.arange(len(out)), stream.witnesses(numbers))
    rows = []
    for number in range(numbers[-1] + 1):
        inside = numbers == number
        values, days = stream.values[inside & counted], dates[inside]
        test = drift.ks(reference_values, values, alpha) if len(values) else drift.NO_TEST
        rows.append(
            {
                "window": number + 1, "first": days[0], "last": days[-1], "queries": len(days),
                "different": len(values), "rejected": int(out[inside].sum()), "ks": test.statistic,
                "ks_critical": test.critical, "ks_p": test.p_value, "evidence": float(evidence.wealth[number]),
                "alarm": bool(evidence.alarms[number]),
            }
        )  # fmt: skip
    return rows


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


def _summary(keys, windows, evidence, queries, alpha, changed, reordered):
    """When there was an alarm, how many days after a change that is known (below 0: a false alarm), the most
    evidence that there was beside what an alarm takes, and how many logs sound with the days in another order.
    """
    alarm = next((row["last"].date() for row in windows if row["alarm"]), "none")
    since = "" if evidence.since is None else windows[evidence.since]["first"].date()
    summary = {"alarm": alarm, "since": since, "windows": len(windows), "changed": changed or "not known"}
    numbers = {"queries": queries, "evidence": max(row["evidence"] for row in windows), "needed": -np.log10(alpha)}
    yield from SECTION.rows("logs", keys | summary, numbers, queries)
    late = (alarm - changed).days if changed and alarm != "none" else None
    yield SECTION.row("logs", keys | summary, "days_late", late, queries)
    sounded, count = reordered
    share = sounded / count if count else None
    yield SECTION.row("logs", keys | summary, "in_another_order", share, count, *clopper_pearson(sounded, count))
    yield SECTION.row("logs", keys | summary, "alpha", alpha, count)


def _rejected(keys, asked, after):
    """How many queries the gate rejects before the drift and from then on, and of all."""
    out = asked["rejected"].to_numpy()
    parts = {"before": ~after, "after": after, "": np.full(len(out), True)}
    for name, inside in parts.items():
        hits, count = int(out[inside].sum()), int(inside.sum())
        table, place = ("rejected", keys | {"when": name}) if name else ("traffic", keys)
        value = hits / count if count else None
        yield SECTION.row(table, place, "rejected", value, count, *clopper_pearson(hits, count))


def _last_week(keys, gated):
    """The share of queries that the gate would have stopped in the seven days before the log ends."""
    dates = np.array(gated["date"].to_pylist(), object)
    inside = dates > dates.max() - SEVEN_DAYS
    hits, count = int(gated["rejected"].to_numpy()[inside].sum()), int(inside.sum())
    place = keys | {"first": dates[inside].min().date(), "last": dates.max().date()}
    return SECTION.row("last_week", place, "gate_stops", hits / count, count, *clopper_pearson(hits, count))


def _topics(keys, asked, texts, corpus, after, count, resamples, seed):
    """The share of each topic before the drift and from then on; of a log without drift, in both its halves. A query
    has the topic of its nearest passage; one that is rejected has that of its own words.
    """
    if not count:
        return
    nearest = asked["passage_id"].to_pylist()
    rows = tables.read(PASSAGES, corpus, ["passage_id", "text"]).to_pydict()
    wanted = {*nearest}
    near = {name: text for name, text in zip(*rows.values(), strict=True) if name in wanted}
    labels, names = topics_of(list(near.values()), count, seed) if near else ([], [])
    topic = dict(zip(near, labels, strict=True))
    topics = np.array([topic.get(name, len(names)) for name in nearest])
    names, out = [*names, NOTHING], asked["rejected"].to_numpy()
    if out.any():
        labels, outside = groups([text for text, is_out in zip(texts, out, strict=True) if is_out], count, seed)
        topics[out] = len(names) + labels
        names += [f"outside: {name}" for name in outside]
    panel = Panel(asked["query_id"].to_pylist(), resamples, seed)  # a query that comes again counts as one
    shares = panel.means(topics[:, None] == np.arange(len(names)), {"before": ~after, "after": after})
    difference = shares["after"].minus(shares["before"])
    for at, name in enumerate(names):
        if (topics == at).any():
            for when, estimates in (shares | {"difference": difference}).items():
                yield SECTION.row("topics", keys | {"topic": name}, when, **estimates.row(at))


if __name__ == "__main__":
    run(measure_drift, snakemake)
