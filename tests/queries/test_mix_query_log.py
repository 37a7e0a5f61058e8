"""A log of queries that drifts on a known day."""

from ragassay.base import tables
from ragassay.schemas.corpora import QUERY_LOG
from scripts.queries.mix_query_log import mix_query_log


def test_a_log_has_its_queries_on_its_days_and_drifts_on_the_day_that_is_named(files):
    settings = {"before": {"asked": 1}, "after": {"asked": 0.5, "other": 0.5}, "first_day": "2026-11-01", "days": 10}
    settings |= {"drift_day": 6, "queries": 203}
    paths = [files("asked"), files("other")]
    mix_query_log(paths, files("log"), **settings, seed=0)
    rows = tables.read(QUERY_LOG, files("log")).to_pylist()
    assert [one["entry"] for one in rows] == list(range(1, 204)) and rows == sorted(rows, key=lambda one: one["date"])
    days = {one["date"].date().isoformat() for one in rows}
    assert (min(days), max(days), len(days)) == ("2026-11-01", "2026-11-10", 10)
    assert all(one["drifted"] == (one["date"].day >= 6) for one in rows)
    assert {one["query_set"] for one in rows if not one["drifted"]} == {"asked"}
    share = [one["query_set"] for one in rows if one["drifted"]].count("other") / 102
    assert 0.35 < share < 0.65
    mix_query_log(paths, files("again"), **settings, seed=0)
    assert tables.read(QUERY_LOG, files("again")).to_pylist() == rows
    mix_query_log(paths, files("another"), **settings, seed=1)
    assert tables.read(QUERY_LOG, files("another")).to_pylist() != rows
