"""measure_drift: windows, alarm and topics of a log that drifts on a known day, and of one that does not."""

import datetime
import json
import re

import numpy as np
import pytest

from described import shown
from ragassay.base import tables
from ragassay.schemas.corpora import PASSAGES, QUERY_LOG
from ragassay.schemas.relevance import GATED_QUERIES, QUERY_DRIFT
from ragassay.schemas.report import EXAMPLES, METRICS
from ragassay.services.gate_files import write_card
from ragassay.text.topics import TopicError, topics
from rows import place, row, written
from scripts.relevance.measure_drift import DriftError, measure_drift

WINDOW, QUERIES, DRIFT = 20, 405, 240
DAY = datetime.datetime(2026, 11, 1, tzinfo=datetime.UTC)
TEXTS = {
    "ferry": "The ferry sails from the quay to the island.",
    "ferry2": "A ferry left the quay for the island at noon.",
    "bridge": "The bridge over the river has seven arches.",
    "bridge2": "Seven arches carry the bridge across a river.",
}
ASKED = ("Who mends clocks", "Who mends clocks", "Which ferry sails")
SETTINGS = {
    "window": WINDOW,
    "reference": 0,
    "weekend": ["saturday", "sunday"],
    "alpha": 0.05,
    "topics": 2,
    "resamples": 20,
    "seed": 0,
}


@pytest.fixture
def gate(tmp_path):
    """A gate as far as drift looks at it."""
    folder = tmp_path / "gate"
    folder.mkdir()
    np.save(folder / "calibration.npy", np.sort(np.random.default_rng(1).normal(size=80)))
    about = {
        "alpha": 0.05,
        "confidence": None,
        "false_alarms": {"expected": 0.05, "worst": 0.1},
        "strategy": "reject",
        "passages": 5,
        "order": ["words"],
        "searchers": {"words": {"kind": "bm25"}},
        "synthetic": False,
        "calibrated_by": "natural",
    }
    write_card(folder, about | {"statistic": {"name": "mss", "k": 5, "temperature": 1.0}})
    return folder


@pytest.fixture
def measured(tmp_path, gate):
    """A function that measures two logs; gives windows and metric rows of the one that drifts, and of the other."""
    rows = [row(PASSAGES, passage_id=name, document_id=name, text=text) for name, text in TEXTS.items()]
    passages = written(tmp_path, PASSAGES, rows, corpus="small")

    def measured(drifts=(True, False), changed=DRIFT, session=lambda at: None, **settings):
        paths, logs, out = [], [], []
        for drifting in drifts:
            random, name = np.random.default_rng(2), "moved" if drifting else "same"
            late = (np.arange(QUERIES) >= DRIFT) & drifting
            values = random.normal(size=QUERIES) + 4 * late * (random.random(QUERIES) < 0.5)
            about = np.where(late, random.random(QUERIES) < 0.9, random.random(QUERIES) < 0.5).astype(int)
            nearest = np.array(list(TEXTS))[2 * about + random.integers(0, 2, QUERIES)]
            rows = [
                {
                    "entry": at + 1, "date": DAY + datetime.timedelta(hours=at), "query_id": f"q{at % 300}",
                    "value": float(values[at]), "p_value": 0.5, "rejected": bool(values[at] > 2),
                    "passage_id": str(nearest[at]),
                }
                for at in range(QUERIES)
            ]  # fmt: skip
            asked = []
            for at, one in enumerate(rows):
                same = {"entry": one["entry"], "date": one["date"], "text": f"{ASKED[at % 3]}?"}
                drifted = at >= changed if drifting else None
                asked.append(row(QUERY_LOG, **same, session=session(at), drifted=drifted))
            logs.append(written(tmp_path, QUERY_LOG, asked, query_log=name))
            paths.append(written(tmp_path, GATED_QUERIES, rows, query_log=name))
            out.append(place(tmp_path, QUERY_DRIFT, query_log=name))
        measure_drift(
            paths, logs, [gate] * len(paths), [passages] * len(paths), out, tmp_path / "m.parquet",
            tmp_path / "examples.parquet", **SETTINGS | settings,
        )  # fmt: skip
        section, missing = shown("drift", tmp_path / "m.parquet", tmp_path / "examples.parquet")
        warnings = {"false_alarm", "in_another_order"}  # of logs with an alarm, and with ten quiet days
        assert warnings.issuperset(missing) and all(part.rows for part in [*section.parts, *section.details])
        numbers = [
            one | {"keys": json.loads(one["keys"])} for one in tables.read(METRICS, tmp_path / "m.parquet").to_pylist()
        ]
        return [
            (
                tables.read(QUERY_DRIFT, path).to_pylist(),
                [one for one in numbers if one["keys"]["query_log"] == path.stem],
            )
            for path in out
        ]

    return measured


def test_drift_sounds_the_alarm_soon_after_its_day_and_stays_on(measured):
    (moved, numbers), (same, others) = measured()
    assert [one["queries"] for one in moved] == [20] * 20 + [5]
    first = next(one["window"] for one in moved if one["alarm"])
    assert DRIFT // WINDOW < first <= DRIFT // WINDOW + 3 and all(one["alarm"] for one in moved[first - 1 :])
    assert not any(one["alarm"] for one in same)
    assert max(one["ks_p"] for one in moved[DRIFT // WINDOW : 20]) < 0.1 < np.median([one["ks_p"] for one in same])
    alarm, calm = (next(one["keys"] for one in rows if one["table"] == "logs") for rows in (numbers, others))
    assert alarm["since"] == "2026-11-11" and alarm["alarm"] >= alarm["since"] and calm["alarm"] == "none"
    for windows, rows in ((moved, numbers), (same, others)):
        most, needed = (
            next(one["value"] for one in rows if one["table"] == "logs" and one["metric"] == name)
            for name in ("evidence", "needed")
        )
        assert most == max(one["evidence"] for one in windows)
        assert (most >= needed) == any(one["alarm"] for one in windows)
    assert sum(one["rejected"] for one in moved) > 3 * sum(one["rejected"] for one in same)


def test_what_is_asked_most_outside_of_the_corpus_is_ranked_and_the_last_week_counted(measured, tmp_path):
    [(windows, numbers)] = measured(drifts=[True])
    rejected = sum(one["rejected"] for one in windows)
    groups = tables.read(EXAMPLES, tmp_path / "examples.parquet").to_pylist()
    assert groups[0]["text"] == "Who mends clocks?" and groups[0]["part"] == "Query of the log"
    assert f"of {rejected} questions outside of" in groups[0]["title"]
    counts = re.search(r"^(\d+) of .*, (\d+) before the drift and (\d+) since: .*clocks", groups[0]["title"])
    total, before, since = map(int, counts.groups())
    assert total == before + since and before < 10 < since
    gated = tables.read(GATED_QUERIES, place(tmp_path, GATED_QUERIES, query_log="moved")).to_pylist()
    week = [row for row in gated if row["date"] > gated[-1]["date"] - datetime.timedelta(days=7)]
    [last] = [one for one in numbers if one["table"] == "last_week"]
    assert last["n"] == len(week) == 168 and last["value"] == sum(row["rejected"] for row in week) / 168


@pytest.mark.parametrize("changed", [DRIFT, 400])
def test_an_alarm_is_dated_by_the_change_that_is_known_and_may_be_false(measured, changed):
    (_, numbers), (_, others) = measured(changed=changed)
    moved, same = (
        next(one for one in rows if one["table"] == "logs" and one["metric"] == "days_late")
        for rows in (numbers, others)
    )
    day = (DAY + datetime.timedelta(hours=changed)).date()
    assert moved["keys"]["changed"] == str(day)
    assert moved["value"] == (datetime.date.fromisoformat(moved["keys"]["alarm"]) - day).days
    assert (moved["value"] < 0) == (changed == 400)
    assert (same["keys"]["changed"], same["value"]) == ("not known", None)


def test_the_topic_that_grew_is_named_with_its_shares(measured):
    (_, numbers), _ = measured()
    found = {(one["keys"]["topic"], one["metric"]): one for one in numbers if one["table"] == "topics"}
    grown = next(name for name, metric in found if "bridge" in name)
    before, after, difference = (found[grown, metric] for metric in ("before", "after", "difference"))
    shrunk = next(name for name, metric in found if "ferry" in name and "outside" not in name)
    assert before["value"] < 0.6 and after["value"] > 3 * found[shrunk, "after"]["value"]
    assert after["n"] == QUERIES - DRIFT and difference["low"] < difference["value"] < difference["high"]
    outside = {metric: one for (name, metric), one in found.items() if "outside: " in name and "clocks" in name}
    assert outside["before"]["value"] < 0.1 < outside["difference"]["low"] and outside["after"]["value"] > 0.2


def test_a_log_can_be_its_own_reference(measured):
    [(moved, _)] = measured([True], reference=100)
    assert moved[0]["first"] == DAY + datetime.timedelta(hours=100) and len(moved) == 16
    assert any(one["alarm"] for one in moved) and not moved[6]["alarm"]
    with pytest.raises(DriftError, match=r"found 405 queries, expected at least 502: relevance\.drift\.reference"):
        measured([True], reference=500)


def test_texts_without_words_have_no_topics():
    with pytest.raises(TopicError, match="found no words in 2 texts"):
        topics(["1", "2 3"], 2)
    assert len(topics(["the same words"] * 3, 5)[1]) == 1


def test_windows_may_be_weeks_from_monday_on(measured):
    [(windows, numbers)] = measured(drifts=(True,), window="week")
    hours = [DAY + datetime.timedelta(hours=at) for at in range(QUERIES)]
    weeks = {}
    for hour in hours:
        weeks.setdefault(hour.isocalendar()[:2], []).append(hour)
    assert [(row["first"], row["last"], row["queries"]) for row in windows] == [
        (inside[0], inside[-1], len(inside)) for inside in weeks.values()
    ]
    firsts = {row["keys"]["first"] for row in numbers if row["table"] == "windows"}
    assert firsts == {str(inside[0].date()) for inside in weeks.values()}
    assert windows[-1]["alarm"] and not windows[0]["alarm"]


def test_one_query_of_each_session_is_a_witness(measured):
    [(windows, _)] = measured(drifts=(False,), session=lambda at: f"s{at // 45}")
    assert sum(row["different"] for row in windows) == QUERIES // 45
    quiet = next(row for row in windows if not row["different"])
    assert (quiet["queries"], quiet["ks"], quiet["ks_p"]) == (WINDOW, 0, 1)


def test_days_in_another_order_say_what_an_alarm_is_worth(measured):
    for numbers in (one[1] for one in measured()):
        logs = {one["metric"]: one for one in numbers if one["table"] == "logs"}
        alarms, alpha = logs["in_another_order"], logs["alpha"]
        assert alarms["n"] == 200 or alarms["value"] is None
        assert (alarms["value"] or 0) <= 0.1 and alpha["value"] == 0.05
