"""Articles: rows of them, and pages that become some."""

import dataclasses
import datetime
import hashlib
import json

import pytest

from news_pages import articles, page
from ragassay.base import tables
from ragassay.base.errors import Unusable
from ragassay.base.tally import MostRejected
from ragassay.news.extraction.extractor import Article
from ragassay.news.fetching.archive import packed_body
from ragassay.schemas.documents import ARTICLES, PAGES
from scripts.news.extract_articles import article_id, article_row, extract_articles, own_address

PAGE = {
    "final_url": "https://paper.example/a",
    "shard": "autumn",
    "topic": "news",
    "page_hash": "0" * 64,
    "fetched_at": datetime.datetime(2026, 10, 1, tzinfo=datetime.UTC),
    "feed_title": None,
    "feed_published": "2026-09-22",
}
FOUND = Article("A title", "A text.", None, None, "en", 0.9, "utf-8", "meta", {"json_ld": ["2026-09-22"], "meta": []})


def row(**changed):
    return article_row(PAGE, dataclasses.replace(FOUND, **changed), ["en"], None, None)


def test_a_row_has_all_columns():
    assert row().keys() == set(ARTICLES.schema.names)
    assert row()["date_sources"] == ["json_ld", "feed"] and row()["date_precision"] == "day"


def test_text_is_cleaned_as_documents_are():
    assert row(text="Cafe\u0301 \r\n\n\n\nopens\x07.")["text"] == "Café\n\nopens."
    with pytest.raises(Unusable, match="control characters"):
        row(text="\x07")


@pytest.mark.parametrize("changed", [{"language": "de"}, {"confidence": 0.4}])
def test_a_language_that_is_another_or_unsure_is_a_reason(changed):
    with pytest.raises(Unusable, match="expected one of en") as why:
        row(**changed)
    assert why.value.reason == "language"


def test_ids_differ_by_address_source_and_content():
    ids = {article_id(*parts) for parts in [("u", None, "h"), (None, "u", "h"), ("u", None, "i"), ("v", None, "h")]}
    assert len(ids) == 4 and all(name.startswith("art-") and len(name) == 20 for name in ids)


@pytest.mark.parametrize(
    ("canonical", "own"),
    [
        (None, PAGE["final_url"]),
        ("https://paper.example/b", "https://paper.example/b"),
        ("https://paper.example/", PAGE["final_url"]),
        ("https://other.example/b", PAGE["final_url"]),
    ],
)
def test_the_own_address_is_the_canonical_one_of_the_same_site(canonical, own):
    assert own_address(row(canonical_url=canonical)) == own


TOLD = articles()
FETCHED = datetime.datetime(2026, 10, 31, 12, tzinfo=datetime.UTC)
SETTINGS = {
    "languages": ["en"],
    "seconds": 20,
    "memory_mb": 1024,
    "first_day": "2026-09-01",
    "last_day": "2026-10-31",
    "most_rejected": 0.5,
}
GERMAN = (
    "Die Brücke wird 640 Meter lang und soll im Frühjahr 2029 eröffnet werden, sagte die Bürgermeisterin am Montag. "
)


def fetched(url, text, **other):
    body = text.encode()
    row = {"url": url, "final_url": url, "shard": "autumn", "topic": "news", "status": 200, "body": packed_body(body)}
    row |= {"headers": '{"content-type": "text/html; charset=utf-8"}', "fetched_at": FETCHED}
    row |= {"page_hash": hashlib.sha256(body).hexdigest()}
    return row | {"feed_url": None, "feed_title": None, "feed_published": None} | other


def demo(number, **other):
    url, text = page(number, TOLD)
    return fetched(url, text, **other)


def plain(url, *paragraphs, head="", **other):
    text = "".join(f"<p>{paragraph}</p>" for paragraph in paragraphs)
    return fetched(url, f"<html><head>{head}</head><body><article>{text}</article></body></html>", **other)


def story(number, *added):
    return [*TOLD[number]["paragraphs"], *added]


@pytest.fixture
def extract(tmp_path):
    """Run the stage on rows of pages; return the rows of both tables."""

    def run(rows, name="a", **changed):
        tables.write(PAGES, tmp_path / "pages", rows)
        outputs = tmp_path / f"{name}-articles", tmp_path / f"{name}-rejects"
        extract_articles(tmp_path / "pages", *outputs, shard="autumn", **SETTINGS | changed)
        return tuple(tables.read(*pair).to_pylist() for pair in zip((ARTICLES, tables.REJECTS), outputs, strict=True))

    return run


def test_a_page_becomes_an_article(extract):
    [article], rejects = extract([demo(3, feed_published=TOLD[3]["date"])])
    told, text = TOLD[3], "\n\n".join(TOLD[3]["paragraphs"])
    assert rejects == []
    assert (article["title"], article["text"], article["n_words"]) == (told["title"], text, len(text.split()))
    assert article["url"] == page(3, TOLD)[0] and article["canonical_url"] == told["url"]
    assert (article["site"], article["site_name"]) == (told["url"].split("/")[2], "The Courier")
    assert article["published_at"] == datetime.datetime.fromisoformat(told["date"])
    assert article["date_sources"] == ["json_ld", "meta", "feed"]
    assert (article["date_precision"], article["undated"]) == ("time", None)
    assert (article["language"], article["charset"], article["charset_source"]) == ("en", "utf-8", "header")
    assert article["content_hash"] == hashlib.sha256(text.encode()).hexdigest()
    assert article["article_id"].startswith("art-") and article["source_id"] is None
    assert (article["shard"], article["topic"]) == ("autumn", "news")


def test_every_page_is_an_article_or_a_reject(extract):
    url = "https://paper.example"
    soon = "2027-01-01T00:00:00Z"
    rows = [
        plain(f"{url}/undated", *story(0)),
        plain(f"{url}/disagree/2026-09-01", *story(1), feed_published="2026-10-01"),
        plain(f"{url}/titled", *story(2), feed_title=" From\nthe feed "),
        plain(f"{url}/future", *story(3), feed_published=soon),
        plain(f"{url}/old/2026/08/30/", *story(4), feed_published="Sun, 30 Aug 2026 10:00:00 GMT"),
        plain(f"{url}/german", *[GERMAN * 3] * 3),
        plain(f"{url}/wall", "We value your privacy.", "We and our partners use cookies and similar means. Accept all"),
        plain(f"{url}/stub", story(5)[0], "To continue reading, choose a plan."),
        plain(f"{url}/empty"),
        plain(f"{url}/missing", *story(6), status=404),
        plain(f"{url}/file", "x", headers=json.dumps({"content-type": "application/pdf"})),
        plain(f"{url}/redirected", *story(7), final_url=f"{url}/titled"),
        *(plain(f"{url}/same/{number}", *story(8)) for number in range(5)),
        *(plain(f"{url}/error/{n}", *story(11), head='<link rel="canonical" href="/">') for n in range(5)),
        *(plain(f"{url}/twice/{number}", *story(9)) for number in range(4)),
        *(
            plain(f"{url}/variants/{number}", *story(10), head='<link rel="canonical" href="/variants">')
            for number in range(6)
        ),
    ]
    kept, rejects = extract(rows)
    assert len(kept) + len(rejects) == len(rows)
    assert {row["stage"] for row in rejects} == {"extract_articles"} and {row["shard"] for row in rejects} == {"autumn"}
    reasons = {row["item"].removeprefix(f"{url}/"): row["reason"] for row in rejects}
    assert reasons == {
        "future": "future_date",
        "old/2026/08/30/": "outside_window",
        "german": "language",
        "wall": "consent_wall",
        "stub": "paywall",
        "empty": "no_text",
        "missing": "http_status",
        "file": "not_html",
        "titled": "duplicate_url",  # behind the redirect from an address that comes first in the table
        **{f"{place}/{number}": "boilerplate" for place in ("same", "error") for number in range(5)},
    }
    undated = {row["url"].removeprefix(f"{url}/"): row["undated"] for row in kept}
    assert undated.pop("disagree/2026-09-01") == "dates_disagree"
    assert set(undated.values()) == {"no_date"} and len(undated) == 12
    assert all(row["published_at"] is None and row["date_sources"] == [] for row in kept)


def test_more_pages_without_an_article_than_may_be_stop_the_stage(extract, tmp_path):
    def rows(broken):
        urls = [f"https://paper.example/2026/10/{number}" for number in range(22)]
        return [
            plain(url, *story(n % 12, f"It is {n}."), status=404 if n < broken else 200) for n, url in enumerate(urls)
        ]

    with pytest.raises(MostRejected, match=r"shard autumn: 12 of 22 pages rejected.* 12 as http_status, such as https"):
        extract(rows(12))
    assert not (tmp_path / "a-articles").exists() and not (tmp_path / "a-rejects").exists()
    assert [len(found) for found in extract(rows(11))] == [11, 11]


def test_pages_of_other_days_are_no_failures(extract):
    rows = [plain(f"https://paper.example/2020/01/01/{n}", *story(n), feed_published="2020-01-01") for n in range(12)]
    assert {row["reason"] for row in extract([*rows, demo(3)])[1]} == {"outside_window"}


def test_the_title_of_the_feed_serves_where_the_page_has_none(extract):
    [article], _ = extract([plain("https://paper.example/a", *story(0), feed_title=" From\nthe feed ")])
    assert article["title"] == "From the feed"
