"""Judging listed feeds: each once, with a topic of the study, or a reason."""

import pytest

from ragassay.news.feeds.feed_table import OTHER_NAMES, PAPER_TOPICS, Listed, feed_rows, topic_of


def feed(url="http://a.example/rss", names=("food",), **more):
    return Listed(url=url, names=list(names), place="line 7", source=more.pop("source", "opml"), **more)


def judge(*listed, topics=PAPER_TOPICS):
    return feed_rows(listed, topics, OTHER_NAMES)


def test_the_ten_topics_are_the_papers():
    assert len(set(PAPER_TOPICS)) == 10 and set(OTHER_NAMES.values()) <= set(PAPER_TOPICS)


@pytest.mark.parametrize(
    ("names", "topics", "found"),
    [
        (["Food"], PAPER_TOPICS, ("food", "Food")),
        (["Kitchens", " Sports "], PAPER_TOPICS, ("sport", " Sports ")),
        (["economics"], PAPER_TOPICS, ("business", "economics")),
        (["economics"], ["economics", "business"], ("economics", "economics")),
        (["economics"], ["food"], None),
        (["Boats"], ["Boats"], ("Boats", "Boats")),
        ([], PAPER_TOPICS, None),
    ],
)
def test_a_name_is_mapped_to_a_topic(names, topics, found):
    assert topic_of(names, topics, OTHER_NAMES) == found


@pytest.mark.parametrize(
    ("listed", "reason", "detail"),
    [
        (feed("file:///etc/passwd"), "bad_url", "expected an address that begins with http"),
        (feed("http://"), "bad_url", "expected a host name"),
        (feed(""), "bad_url", "found ''"),
        (feed(names=["boats"]), "other_topic", "found the topics boats, expected one of business"),
        (feed(names=[]), "other_topic", "found the topics none"),
    ],
)
def test_what_cannot_be_used_has_a_reason(listed, reason, detail):
    rows, [reject] = judge(listed)
    assert rows == [] and reject["reason"] == reason and detail in reject["detail"]
    assert reject["item"] == "1 line 7" and reject["stage"] == "export_feeds"


@pytest.mark.parametrize(
    "again", ["http://A.example:80/rss#x", "https://a.example/rss", "http://a.example/rss?utm_a=b"]
)
def test_the_first_listing_of_a_feed_counts(again):
    [row], [reject] = judge(feed(rank=1), feed(again, names=["news"], rank=2))
    assert (row["topic"], row["rank"]) == ("food", 1)
    assert (reject["reason"], reject["detail"]) == ("duplicate", "found the same feed as line 7, expected each once")


def test_the_site_is_the_one_that_is_listed_or_the_host():
    rows, _ = judge(
        feed("http://feeds.b.example/1", site="a.example"),
        feed("http://feeds.b.example/2", page="https://www.c.example/x"),
        feed("http://www.d.example/3", page="no address"),
    )
    assert [row["site"] for row in rows] == ["a.example", "c.example", "d.example"]


@pytest.mark.parametrize(
    ("url", "source", "first"),
    [
        ("http://a.example/", "newscatcher", True),
        ("https://a.example/", "newscatcher", False),
        ("http://a.example/", "config", False),
    ],
)
def test_only_the_old_directory_is_asked_under_https_first(url, source, first):
    [row], _ = judge(feed(url, source=source))
    assert row["https_first"] is first
