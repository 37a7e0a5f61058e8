"""Make a row of the table articles from what was extracted from a page, or say why the page does not belong to the
shard: a date in the future or outside its window, a language that is not wanted. An undated article is kept and says
why."""

import hashlib
from urllib.parse import urlsplit

from ragassay.base.errors import Unusable
from ragassay.documents.documents import article_id, clean, count_words
from ragassay.news.extraction.dates import date_of, in_window
from ragassay.news.extraction.extractor import Article

LEAST_CONFIDENCE = 0.5


def article_row(
    page: dict, article: Article, languages: list[str], first_day: str | None, last_day: str | None
) -> dict:
    """The row for a page of the table pages and its extracted article; raises Unusable."""
    if article.language not in languages or article.confidence < LEAST_CONFIDENCE:
        raise Unusable(
            "language", f"found {article.language} ({article.confidence:.2f}), expected one of {', '.join(languages)}"
        )
    url = page["final_url"]
    dated = date_of(page["feed_published"], article.dates, url, page["fetched_at"])
    if dated.reason == "future_date":
        raise Unusable("future_date", f"found a date behind {page['fetched_at']:%Y-%m-%d %H:%M}, when it was fetched")
    if dated.published_at and not in_window(dated.published_at, first_day, last_day):
        raise Unusable(
            "outside_window", f"found {dated.published_at:%Y-%m-%d}, expected {first_day or ''} to {last_day or ''}"
        )
    text = clean(article.text)
    if not text:
        raise Unusable("no_text", "found nothing but control characters")
    digest = hashlib.sha256(text.encode()).hexdigest()
    return {
        "article_id": article_id(url, None, digest),
        "shard": page["shard"],
        "source_id": None,
        "topic": page["topic"],
        "url": url,
        "canonical_url": _line(article.canonical_url),
        "site": urlsplit(url).hostname,
        "site_name": _line(article.site_name),
        "title": _line(article.title) or _line(page["feed_title"]),
        "published_at": dated.published_at,
        "date_precision": dated.precision,
        "date_sources": list(dated.sources),
        "undated": dated.reason,
        "text": text,
        "n_words": count_words(text),
        "language": article.language,
        "language_confidence": article.confidence,
        "charset": article.charset,
        "charset_source": article.charset_source,
        "page_hash": page["page_hash"],
        "content_hash": digest,
    }


def own_address(row: dict) -> str:
    """Where an article lives, for telling one article at many addresses from one text in place of many articles. A
    front page is nobody's own address, though error pages name it as theirs.
    """
    canonical = urlsplit(row["canonical_url"] or "")
    trusted = canonical.hostname == row["site"] and canonical.path.strip("/")
    return row["canonical_url"] if trusted else row["url"]


def _line(text):
    return " ".join(clean(text or "").split()) or None
