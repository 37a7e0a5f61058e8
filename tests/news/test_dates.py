"""Dates of publication: two sources that agree or none, and no date that nobody wrote."""

import datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scripts.news.extract_articles import Dated, agree, date_of, in_path, in_window, parsed

UTC = datetime.UTC
FETCHED = datetime.datetime(2026, 9, 24, 12, tzinfo=UTC)
PLAIN = "https://a.example/story"


def at(*parts):
    return datetime.datetime(*parts, tzinfo=UTC)


def dated(feed=None, json_ld=(), meta=(), url=PLAIN):
    return date_of(feed, {"json_ld": list(json_ld), "meta": list(meta)}, url, FETCHED)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("2026-09-22T10:00:00Z", at(2026, 9, 22, 10)),
        ("2026-09-22T10:00:00.123456789+02:00", at(2026, 9, 22, 8)),
        ("2026-09-22 10:00 +0200", at(2026, 9, 22, 8)),
        ("2026-09-22T23:30:00-05:00", at(2026, 9, 23, 4, 30)),
        ("2026-09-22 10:00:00 UTC", at(2026, 9, 22, 10)),
        ("Tue, 22 Sep 2026 10:00:00 +0200", at(2026, 9, 22, 8)),
        ("Tue, 22 Sep 2026 10:00:00 GMT", at(2026, 9, 22, 10)),
        ("22 Sep 2026 10:00 EST", at(2026, 9, 22, 15)),
        (" Tue,  22 Sep\n2026 10:00:00 GMT ", at(2026, 9, 22, 10)),
    ],
)
def test_a_full_time_is_read_in_utc(text, expected):
    assert parsed(text) == (expected.date(), expected)


@pytest.mark.parametrize(
    "text",
    [
        "2026-09-22",
        "2026-09-22T10:00:00",
        "2026-09-22 10:00:00 CEST",
        "2026-09-22T10:00:00 PST",
        "Tue, 22 Sep 2026 10:00:00 CEST",
        "Tue, 22 Sep 2026 10:00:00 -0000",
        "22 Sep 2026 10:00:00",
    ],
)
def test_without_a_zone_that_is_known_only_the_day_is_read(text):
    assert parsed(text) == (datetime.date(2026, 9, 22), None)


@pytest.mark.parametrize(
    "text",
    "2025-13-01|2025-02-29|2026-09-31T10:00:00Z|2026-09-22T25:00:00Z|2026-09|2026|22/09/2026|09-22-26|20260922|now|"
    "Tue, 32 Sep 2026 10:00:00 GMT|Tue, 22 Foo 2026 10:00:00 GMT|22 Sep 26 10:00:00 GMT|Tue, 22 Sep 2026 99:00:00 GMT|"
    "1970-01-01T00:00:00Z|0001-01-01T00:00:00Z|9999-12-31T23:59:59-12:00|2026-W39-2|1790000000000|2026-09-22T10:00:00+99:99|"
    "２０２６-09-22|".split("|"),
)
def test_what_is_no_date_is_none(text):
    assert parsed(text) is None


@given(
    st.text() | st.from_regex(r"\A\d{1,4}-\d{1,2}-\d{1,2}[T ]?[\d:.+Z -]*\Z") | st.dates().map(lambda day: f"{day} 1")
)
def test_reading_a_date_never_raises(text):
    parsed(text)
    dated(text, [text], [text], f"https://a.example/{text}")


@pytest.mark.parametrize(
    ("path", "day"),
    [
        ("/2026/09/22/title", (2026, 9, 22)),
        ("/news/2026/9/2/", (2026, 9, 2)),
        ("/world/2026/sep/22/title", (2026, 9, 22)),
        ("/title-2026-09-22", (2026, 9, 22)),
        ("/2026-09-22/title?d=2020-01-01", (2026, 9, 22)),
        ("/2026/09/22/from-2026-09-22", (2026, 9, 22)),
        ("/2026/09/22/from-2001-09-11", None),
        ("/2026/13/01/title", None),
        ("/2026/09/title", None),
        ("/12026-09-22", None),
        ("/2026-09-223", None),
        ("/1789/07/14/title", None),
    ],
)
def test_the_day_in_an_address(path, day):
    found = in_path(f"https://a.example{path}")
    assert (found and found.day) == (datetime.date(*day) if day else None)


def test_two_sources_that_agree_give_the_exact_time_of_the_page_itself():
    feed, own = "Tue, 22 Sep 2026 10:30:00 GMT", "2026-09-22T12:00:00+02:00"
    assert dated(feed, [own]) == Dated(at(2026, 9, 22, 10), ("json_ld", "feed"), None, "time")
    assert dated(feed, meta=[own]).sources == ("meta", "feed")
    everything = dated(feed, [own], [own], f"{PLAIN}/2026/09/22/")
    assert everything.sources == ("json_ld", "meta", "feed", "url") and everything.published_at == at(2026, 9, 22, 10)


def test_days_alone_give_the_earliest_of_them():
    found = dated(meta=["2026-09-23 01:00"], url=f"{PLAIN}/2026/09/22/")
    assert found == Dated(at(2026, 9, 22), ("meta", "url"), None, "day")


@pytest.mark.parametrize(
    ("sources", "reason"),
    [
        ({}, "no_date"),
        ({"feed": ""}, "no_date"),
        ({"feed": "yesterday", "json_ld": ["2025-13-01"]}, "invalid_date"),
        ({"json_ld": ["2026-09-22T10:00:00Z"]}, "one_source"),
        ({"json_ld": ["2026-09-22T10:00:00Z"], "meta": ["2025-13-01"]}, "one_source"),
        ({"url": f"{PLAIN}/2026/09/22/"}, "one_source"),
        ({"json_ld": ["2026-09-22T10:00:00Z"], "feed": "Wed, 23 Sep 2026 10:00:00 GMT"}, "dates_disagree"),
        ({"json_ld": ["2026-09-22", "2026-09-20"], "feed": "2026-09-22"}, "dates_disagree"),
        ({"json_ld": ["2026-09-22"], "feed": "2026-09-22", "url": f"{PLAIN}/2025/09/22/"}, "dates_disagree"),
        ({"json_ld": ["2026-09-25T10:00:00Z"]}, "future_date"),
        ({"json_ld": ["2026-09-24T12:00:01Z"], "feed": "2026-09-24"}, "future_date"),
        ({"url": f"{PLAIN}/2026/10/01/"}, "future_date"),
    ],
)
def test_otherwise_there_is_none_and_a_reason(sources, reason):
    assert dated(**sources) == Dated(None, (), reason)


@pytest.mark.parametrize(
    ("one", "other", "expected"),
    [
        ("2026-09-22T23:59:00Z", "2026-09-22T00:01:00Z", True),
        ("2026-09-22T23:59:00Z", "2026-09-23T00:01:00Z", False),
        ("2026-09-22T23:59:00-04:00", "2026-09-23T03:59:00Z", True),
        ("2026-09-22T23:59:00Z", "2026-09-23", True),
        ("2026-09-22T23:59:00 CEST", "2026-09-21T10:00:00Z", True),
        ("2026-09-22", "2026-09-24", False),
    ],
)
def test_a_day_of_slack_only_where_a_zone_is_missing(one, other, expected):
    assert agree(parsed(one), parsed(other)) is agree(parsed(other), parsed(one)) is expected


def test_today_is_not_the_future_in_any_zone():
    assert dated("2026-09-25", ["2026-09-25"]).precision == "day"  # where it is 14 hours later it has begun
    assert dated("2026-09-26", ["2026-09-26"]).reason == "future_date"


def test_the_first_meta_tag_counts_and_the_others_are_not_asked():
    assert dated("2026-09-22", meta=["2026-09-22", "2026-01-01"]).sources == ("meta", "feed")


def test_the_window_includes_both_days():
    for moment, inside in [((9, 1), True), ((9, 30, 23, 59), True), ((8, 31, 23, 59), False), ((10, 1), False)]:
        assert in_window(at(2026, *moment), "2026-09-01", "2026-09-30") is inside
    assert in_window(at(2020, 1, 1), None, "2026-09-30") and in_window(at(2030, 1, 1), "2026-09-01", "")
