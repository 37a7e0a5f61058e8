"""Extract the articles of a shard from its stored pages: text, language, date, no walls, each address once.

Every page is an article or a row of rejects. Texts that one host shows at five addresses or more are known only at the
end, so the articles wait in a file. Does not compare articles with each other beyond that: see find_duplicates.

Make a row of the table articles from what was extracted from a page, or say why the page does not belong to the
shard: a date in the future or outside its window, a language that is not wanted. An undated article is kept and says
why.
"""

import datetime
import hashlib
import json
import tempfile
from collections import Counter
from urllib.parse import urlsplit

from ragassay.base import tables
from ragassay.base.errors import Unusable
from ragassay.base.stage import log, run
from ragassay.base.tally import Tally
from ragassay.documents.documents import article_id, clean, count_words
from ragassay.news.extraction.dates import date_of, in_window
from ragassay.news.extraction.extractor import Article, Extractor, Reject
from ragassay.news.extraction.walls import SAME_TEXT_ADDRESSES, repeated
from ragassay.news.fetching.archive import body_of
from ragassay.schemas.documents import ARTICLES, PAGES

LEAST_CONFIDENCE = 0.5
TOLD = ("url", "final_url", "status", "shard", "topic", "page_hash", "fetched_at", "feed_title", "feed_published")


def extract_articles(
    pages, articles, rejects, shard, languages, seconds, memory_mb, first_day, last_day, most_rejected
):
    reasons = Counter()
    tally = Tally(f"shard {shard}", "pages", most_rejected, "The log names each; look at the shard's feeds")
    with (
        tempfile.TemporaryFile("w+", encoding="utf-8") as waiting,
        tables.Writer(ARTICLES, articles) as kept,
        tables.Writer(tables.REJECTS, rejects) as refused,
    ):

        def refuse(item, reason, detail):
            reasons[reason] += 1
            log.info("rejected %s: %s: %s", item, reason, detail)
            row = {"stage": "extract_articles", "shard": shard, "item": item, "reason": reason, "detail": detail}
            refused.add(row)

        shown, seen = [], 0
        with Extractor(seconds=seconds, memory_mb=memory_mb) as extractor:
            for page, result in extractor.extract(_bodies(pages)):
                seen += 1
                if not isinstance(result, Reject) and page["status"] != 200:
                    result = Reject("http_status", f"found status {page['status']}, expected 200")
                if isinstance(result, Reject):
                    tally.reject(page["url"], result.reason, result.detail)
                    refuse(page["url"], result.reason, result.detail)
                    continue
                try:
                    row = article_row(page, result, languages, first_day, last_day)
                except Unusable as why:
                    tally.keep()  # an article, but of a language or day that the shard does not ask for
                    refuse(page["url"], why.reason, why.detail)
                else:
                    shown.append((page["url"], own_address(row), row["content_hash"]))
                    waiting.write(json.dumps([page["url"], row], default=datetime.datetime.isoformat) + "\n")
        boilerplate, places = repeated(shown), {}  # address that answered -> item
        waiting.seek(0)
        for line in waiting:
            item, row = json.loads(line)
            if item in boilerplate:
                detail = f"found its text at {SAME_TEXT_ADDRESSES} addresses or more of {row['site']}"
                tally.reject(item, "boilerplate", detail)
                refuse(item, "boilerplate", detail)
                continue
            tally.keep()
            if row["url"] in places:
                refuse(
                    item, "duplicate_url", f"found the address that {places[row['url']]} leads to, expected each once"
                )
            else:
                places[row["url"]] = item
                published = row["published_at"] and datetime.datetime.fromisoformat(row["published_at"])
                kept.add(row | {"published_at": published})
        tally.check()
    assert seen == kept.written + refused.written
    counts = ", ".join(f"{count} {reason}" for reason, count in reasons.most_common())
    log.info("%d pages: %d articles, %d rejected%s", seen, kept.written, refused.written, counts and f" ({counts})")


def _bodies(path):
    """What the extractor takes; the rows without their bodies are the ids."""
    for batch in tables.batches(PAGES, path):
        for at in range(batch.num_rows):
            (row,) = batch.slice(at, 1).to_pylist()
            yield {name: row[name] for name in TOLD}, body_of(row), json.loads(row["headers"]), row["final_url"]


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


if __name__ == "__main__":
    run(extract_articles, snakemake)
