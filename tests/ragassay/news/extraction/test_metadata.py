"""What the head of a page says: only what it says about its own article."""

import json

import pytest
from lxml import html

from ragassay.news.extraction.page import facts

URL = "https://paper.example/a/story"
DATE, OTHER = "2026-09-22T10:00:00Z", "2020-01-01T00:00:00Z"


def found(head="", body="<p>text</p>", **ld):
    script = f'<script type="application/ld+json">{json.dumps(ld)}</script>' if ld else ""
    return facts(html.document_fromstring(f"<html><head>{head}{script}</head><body>{body}</body></html>"), URL)


def script(text):
    return f'<script type="application/ld+json">{text}</script>'


ARTICLE = {"@type": "NewsArticle", "datePublished": DATE}


@pytest.mark.parametrize(
    "value",
    [
        ARTICLE,
        [ARTICLE],
        {"@graph": [{"@type": "WebSite"}, {"@type": ["Thing", "ReportageNewsArticle"], "datePublished": DATE}]},
        {"@type": "WebPage", "mainEntity": ARTICLE},
        {"@type": "WebPage", "datePublished": OTHER, "mainEntity": [ARTICLE]},
        [{"@type": "ItemList", "itemListElement": [{"@type": "NewsArticle", "datePublished": OTHER}]}, ARTICLE],
        ARTICLE | {"comment": [{"@type": "Comment", "datePublished": OTHER}], "isPartOf": {"datePublished": OTHER}},
        {"@type": "WebPage", "datePublished": DATE},
        [ARTICLE, ARTICLE],
    ],
)
def test_the_date_of_the_article_in_json_ld(value):
    assert found(script(json.dumps(value)))["dates"]["json_ld"] == [DATE]


@pytest.mark.parametrize(
    "text",
    ["", "{", "[" * 100_000, "null", "7", '{"@type": 3, "datePublished": 3}', '{"@graph": {"@graph": {}}}', "\0"],
)
def test_broken_json_ld_says_nothing(text):
    assert found(script(text))["dates"]["json_ld"] == []


@pytest.mark.parametrize("kind", ["Comment", "Review", "Event", None])
def test_dates_of_other_things_in_json_ld_are_no_dates(kind):
    assert found(**{"@type": kind, "datePublished": DATE})["dates"]["json_ld"] == []


def test_json_ld_in_a_comment_and_with_line_breaks_in_strings():
    text = '<!--{"@type": "Article", "headline": "Two\nlines &amp; more"}-->'
    assert found(script(text))["title"] == "Two lines & more"


@pytest.mark.parametrize(
    "tag",
    [
        '<meta property="article:published_time" content="{}">',
        '<meta name="DC.date.issued" content="{}">',
        '<meta name="dc.date" content="{}">',
        '<meta itemprop="datePublished" content="{}">',
        '<meta name="parsely-pub-date" content=" {} ">',
        '<time itemprop="datePublished" datetime="{}">yesterday</time>',
        '<time itemprop="datePublished">{}</time>',
        '<time pubdate datetime="{}">yesterday</time>',
    ],
)
def test_dates_in_tags(tag):
    assert found(body=f"<p>text</p>{tag.format(DATE)}")["dates"] == {"json_ld": [], "meta": [DATE]}


def test_the_best_tag_comes_first_and_times_of_other_things_count_for_nothing():
    tags = '<meta name="pubdate" content="{0}"><meta property="article:published_time" content="{1}">'
    assert found(tags.format(OTHER, DATE))["dates"]["meta"] == [DATE, OTHER]
    tags = '<meta property="article:modified_time" content="{0}"><time datetime="{0}"></time>'
    assert found(tags.format(DATE))["dates"]["meta"] == []


@pytest.mark.parametrize("value", [False, "False", "false", "http://schema.org/False"])
def test_an_article_that_is_not_free(value):
    assert found(**ARTICLE, isAccessibleForFree=value)["free"] is False
    assert found(**{"@type": "Product"}, isAccessibleForFree=value)["free"] is True


@pytest.mark.parametrize("value", [True, "True", None, "", []])
def test_all_others_are_free(value):
    assert found(**ARTICLE, isAccessibleForFree=value)["free"] is True


def test_title_and_site():
    site = '<meta property="og:site_name" content="The Paper">'
    title = "<title>Bridge opens | The Paper</title>"
    assert found()["title"] is None and found()["site_name"] is None
    assert found(site + title)["title"] == "Bridge opens"
    assert found(site + title, "<h1>The bridge <b>opens</b></h1>")["title"] == "The bridge opens"
    assert found(title, "<h1>One</h1><h1>Two</h1>")["title"] == "Bridge opens | The Paper"
    og = '<meta property="og:title" content="Opened &amp;amp; closed - The Paper">'
    assert found(site + og, "<h1>The bridge</h1>")["title"] == "Opened & closed"
    assert found(og, **ARTICLE, headline="Ours", publisher={"name": "Post"})["title"] == "Ours"
    assert found(**ARTICLE, publisher={"name": " The  Post "})["site_name"] == "The Post"


@pytest.mark.parametrize(
    ("tag", "expected"),
    [
        ('<link rel="canonical" href="/b">', "https://paper.example/b"),
        ('<link rel="canonical" href="https://other.example/c?d=e">', "https://other.example/c?d=e"),
        ('<link rel="shortlink canonical" href="//paper.example/d">', "https://paper.example/d"),
        ('<meta property="og:url" content="https://paper.example/e">', "https://paper.example/e"),
        ('<link rel="canonical" href="javascript:alert(1)">', None),
        ('<link rel="canonical" href="https://[">', None),
        ('<link rel="canonical" href="https://a.example/a b">', None),
        ('<link rel="canonical" href="">', None),
        ("", None),
    ],
)
def test_the_canonical_address(tag, expected):
    assert found(tag)["canonical_url"] == expected
