"""Which pages feeds name and which of them are fetched, whatever the order of everything."""

import datetime
import json
import random
from collections import Counter

import pytest

from ragassay.news.feeds.candidates import Candidates, Days, read, unread
from ragassay.news.feeds.feed import Entry, Feed
from ragassay.news.fetching.archive import Kept

OCTOBER = Days("2026-10-01", "2026-10-31")
OLD = datetime.datetime(2020, 10, 15, 12, tzinfo=datetime.UTC)
NOON = datetime.datetime(2026, 10, 15, 12, tzinfo=datetime.UTC)


def entry(url, moment=NOON):
    return Entry(url, f"About {url}", str(moment or ""), moment and moment.timestamp())


def row(url, topic="news"):
    return {"feed_url": url, "topic": topic, "site": "a.example"}


def taken(*feeds, **settings):
    """Of (row, entries)."""
    found = Candidates(OCTOBER, **settings)
    for told, entries in feeds:
        found.take(told, "live", "", entries)
    return found


@pytest.mark.parametrize(
    ("moment", "inside"),
    [
        ("2026-09-29T00:00", True),
        ("2026-09-28T23:59", False),
        ("2026-11-02T23:59", True),
        ("2026-11-03T00:00", False),
        (None, True),
    ],
)
def test_days_have_some_slack(moment, inside):
    moment = moment and datetime.datetime.fromisoformat(moment).replace(tzinfo=datetime.UTC)
    found = taken((row("http://a.example/feed"), [entry("http://a.example/1", moment)]))
    assert found.pages["http://a.example/1"].reason == ("" if inside else "outside_window")
    [health] = found.health
    assert (health["health"], health["entries"]) == (("live", 1) if inside else ("empty", 0))


def test_a_feed_that_has_nothing_in_the_days_keeps_what_else_was_found():
    found = Candidates(OCTOBER)
    found.take(row("http://a.example/feed"), "live", "took the first 2000 of 2001 entries", [entry("http://a/", OLD)])
    assert found.health[0]["detail"] == "no entry in the shard's days; took the first 2000 of 2001 entries"


def test_a_page_counts_for_the_first_feed_that_dates_it_into_the_days():
    early, late = NOON - datetime.timedelta(60), NOON
    url = "http://a.example/1"
    feeds = [
        (row("http://a.example/a", "food"), [entry(url, early)]),
        (row("http://a.example/b", "sport"), [entry(url, late)]),
        (row("http://a.example/c", "news"), [entry(url, late)]),
    ]
    for seed in range(6):
        found = taken(*random.Random(seed).sample(feeds, 3))
        assert [(page.topic, page.reason) for page in found.pages.values()] == [("sport", "")]


def test_a_page_is_the_users_own_if_one_feed_of_an_own_host_names_it():
    url, other = "http://a.example/1", "http://a.example/2"
    feeds = (
        (row("http://a.example/a"), [entry(url)], True),
        (row("http://b.example/b"), [entry(url), entry(other)], False),
    )
    for order in (feeds, feeds[::-1]):
        found = Candidates(OCTOBER)
        for told, entries, own in order:
            found.take(told, "live", "", entries, own)
        assert found.foreign == {other} and found.pages[url].feed_url == "http://a.example/a"


def test_who_opted_out_is_not_chosen():
    feed = row("http://a.example/feed"), [entry(f"http://a.example/{n}") for n in range(4)]
    found = taken(feed, opted_out=lambda url: url.endswith("/1"))
    assert found.pages["http://a.example/1"].reason == "opted_out"
    assert found.chosen(None) == {f"http://a.example/{n}" for n in (0, 2, 3)}


def test_what_is_chosen_depends_on_addresses_alone():
    feeds = [
        (row(f"http://a.example/{topic}", topic), [entry(f"http://a.example/{topic}/{n}") for n in range(50)])
        for topic in ("food", "sport")
    ]
    found = taken(*feeds)
    chosen = found.chosen(10)
    topics = Counter(found.pages[url].topic for url in chosen)
    assert topics == {"food": 10, "sport": 10} and len(found.chosen(None)) == 100
    turned = taken(*((told, entries[::-1]) for told, entries in feeds[::-1]))
    assert turned.chosen(10) == chosen and chosen < found.chosen(20)
    assert {int(url.rpartition("/")[2]) for url in chosen} - set(range(10)), "not the first of each feed"


@pytest.mark.parametrize(
    ("outcome", "status", "health"),
    [
        ("http_404", 404, "dead"),
        ("dns", 0, "dead"),
        ("tls", 0, "dead"),
        ("http_403", 403, "blocked"),
        ("http_429", 429, "blocked"),
        ("put_off", 0, "blocked"),
        ("disallowed", 0, "disallowed"),
        ("robots_unavailable", 0, "disallowed"),
        ("opted_out", 0, "disallowed"),
        ("crash", 0, "crash"),
    ],
)
def test_health_of_feeds_that_gave_nothing(outcome, status, health, tmp_path):
    kept = Kept("http://a.example/", "http://a.example/", status, {}, outcome, "why", NOON, tmp_path / "none")
    assert unread(kept) == (health, f"{outcome}: why", [])


def test_a_feed_that_was_not_asked_is_dead_and_says_why():
    assert unread(None, "why") == ("dead", "not asked: why", [])


@pytest.mark.parametrize(("kind", "health"), [("live", "live"), ("empty", "empty"), ("not_a_feed", "dead")])
def test_health_of_feeds_that_were_read(kind, health):
    entries = [entry("http://a.example/1"), entry("http://a.example/2", None)]
    sent = json.loads(json.dumps(Feed(entries, kind, "why")))
    assert read({"read": sent}) == (health, "why", entries)


@pytest.mark.parametrize("reason", ["timeout", "memory", "crash"])
def test_a_feed_that_could_not_be_read_says_what_happened(reason):
    assert read({"reason": reason, "detail": "why"}) == ("crash", f"{reason}: why", [])
