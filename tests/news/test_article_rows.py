"""Rows of the table articles."""

import dataclasses
import datetime

import pytest

from ragassay.base.errors import Unusable
from ragassay.news.extraction.extractor import Article
from ragassay.schemas.documents import ARTICLES
from scripts.news.extract_articles import article_id, article_row, own_address

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
