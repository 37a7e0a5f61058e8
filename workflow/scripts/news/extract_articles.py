"""Extract the articles of a shard from its stored pages: text, language, date, no walls, each address once.

Every page is an article or a row of rejects. Texts that one host shows at five addresses or more are known only at the
end, so the articles wait in a file. Does not compare articles with each other beyond that: see find_duplicates.

Make a row of the table articles from what was extracted from a page, or say why the page does not belong to the
shard: a date in the future or outside its window, a language that is not wanted. An undated article is kept and says
why.

When an article was published, as far as its sources agree (the feed's entry, JSON-LD, meta tags, the address);
nothing is guessed. A date counts only where at least two name the same day in UTC and none contradicts; one without a
known zone may be a day off. The first full time with its zone is taken, in the order of SOURCES; without one the
earliest day, with precision `day`.
"""

import datetime
import hashlib
import json
import re
import tempfile
from collections import Counter
from email.utils import parsedate_to_datetime
from typing import NamedTuple
from urllib.parse import urlsplit

from ragassay.base import tables
from ragassay.base.errors import CRASH, Unusable, one_item
from ragassay.base.stage import log, run
from ragassay.base.tally import Tally
from ragassay.documents.documents import article_id, clean, count_words
from ragassay.news.extraction.extractor import Article, Extractor, Reject
from ragassay.news.extraction.walls import SAME_TEXT_ADDRESSES, repeated
from ragassay.news.fetching.archive import body_of
from ragassay.schemas.documents import ARTICLES, PAGES

SOURCES = ("json_ld", "meta", "feed", "url")
FIRST_YEAR = 1990  # before the web: what stands there is a default of some program, such as 1970-01-01
ZONES_AHEAD = datetime.timedelta(hours=14)  # how far the clocks of the earliest zone are ahead of UTC
ISO = re.compile(
    r"(\d{4}-\d\d-\d\d)(?:[T ](\d\d:\d\d(?::\d\d(?:[.,]\d{1,9})?)?)\s?(Z|[+-]\d\d:?\d\d|[+-]\d\d|[A-Za-z]{2,5})?)?",
    re.ASCII,
)
MAIL = re.compile(
    r"(?:[A-Za-z]{3,9},?\s+)?\d{1,2}[ -][A-Za-z]{3,9}[ -]\d{4}"
    r"\s+\d\d?:\d\d(?::\d\d)?(?:\s+(?:[+-]\d{4}|[A-Za-z]{1,5}))?",
    re.ASCII,
)
MONTHS = {name: month for month, name in enumerate("jan feb mar apr may jun jul aug sep oct nov dec".split(), 1)}
IN_PATH = re.compile(
    r"/(\d{4})/(\d{1,2}|[a-z]{3})/(\d{1,2})(?=/|$)|(?<=[/_-])(\d{4})-(\d\d)-(\d\d)(?=[/_.-]|$)", re.ASCII
)
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
                    if why.reason == CRASH:
                        tally.reject(page["url"], why.reason, why.detail)
                    else:
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


@one_item()
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


class Moment(NamedTuple):
    """What one source says: a time in UTC, or a day somewhere on earth."""

    day: datetime.date
    time: datetime.datetime | None


class Dated(NamedTuple):
    """The date with the sources that agree, or the reason why there is none."""

    published_at: datetime.datetime | None
    sources: tuple[str, ...]
    reason: str | None
    precision: str | None = None


def date_of(feed: str | None, dates: dict, url: str, fetched_at: datetime.datetime) -> Dated:
    """The date of a page from its feed's entry, what `metadata` found, and its address; with reason future_date,
    dates_disagree, one_source, invalid_date or no_date if it has none.
    """
    raw = {"feed": [feed or ""], "json_ld": dates.get("json_ld", []), "meta": dates.get("meta", [])}
    read = {source: [moment for text in raw.get(source, []) if (moment := parsed(text))] for source in SOURCES}
    read["url"] = [moment] if (moment := in_path(url)) else []
    read["meta"] = read["meta"][:1]  # in the order of their worth; dc.date behind published_time may be any date
    moments = [(source, moment) for source in SOURCES for moment in read[source]]
    sources = tuple(source for source in SOURCES if read[source])
    if any(is_future(moment, fetched_at) for _, moment in moments):
        return Dated(None, (), "future_date")
    if not all(agree(first, other) for _, first in moments for _, other in moments):
        return Dated(None, (), "dates_disagree")
    if len(sources) < 2:
        given = any(text.strip() for texts in raw.values() for text in texts)
        return Dated(None, (), "one_source" if sources else "invalid_date" if given else "no_date")
    exact = next((moment.time for _, moment in moments if moment.time), None)
    day = min(moment.day for _, moment in moments)
    first = datetime.datetime.combine(day, datetime.time(), datetime.UTC)
    return Dated(exact or first, sources, None, "time" if exact else "day")


def agree(first: Moment, other: Moment) -> bool:
    """The same day in UTC; a day of slack where the zone of one is not known."""
    return abs((first.day - other.day).days) <= (0 if first.time and other.time else 1)


def is_future(moment: Moment, fetched_at: datetime.datetime) -> bool:
    """Later than the page was fetched, in every zone that it can have been written in."""
    if moment.time:
        return moment.time > fetched_at
    return moment.day > (fetched_at.astimezone(datetime.UTC) + ZONES_AHEAD).date()


def in_window(published_at: datetime.datetime, first_day: str | None, last_day: str | None) -> bool:
    """Whether the day in UTC lies between two days such as 2026-09-01, both included; an empty one sets no limit."""
    day = published_at.astimezone(datetime.UTC).date()
    first, last = (datetime.date.fromisoformat(text) if text else None for text in (first_day, last_day))
    return (first is None or first <= day) and (last is None or day <= last)


def parsed(text: str) -> Moment | None:
    """A date in the forms of ISO 8601 or of mail headers; None for everything else."""
    text = " ".join(text.split())
    try:
        if form := ISO.fullmatch(text):
            day, time, zone = form.groups()
            zone = zone if zone and not zone.isalpha() else "Z" if zone in ("Z", "UTC", "GMT") else ""
            moment = datetime.datetime.fromisoformat(f"{day}T{time}{zone}" if time else day)
        elif MAIL.fullmatch(text):
            moment = parsedate_to_datetime(text)  # knows GMT and the zones of mail; others stay without
        else:
            return None
        return _moment(moment)
    except (ValueError, OverflowError):
        return None


def _moment(moment):
    if moment.year < FIRST_YEAR:
        return None
    if moment.tzinfo is None:
        return Moment(moment.date(), None)
    time = moment.astimezone(datetime.UTC).replace(microsecond=0)
    return Moment(time.date(), time)


def in_path(url: str) -> Moment | None:
    """The day in an address such as /2026/09/22/, /2026/sep/22/ or /title-2026-09-22, if there is exactly one."""
    days = set()
    for match in IN_PATH.finditer(urlsplit(url).path.lower()):
        year, month, day = match.group(1, 2, 3) if match[1] else match.group(4, 5, 6)
        try:
            days.add(datetime.date(int(year), MONTHS.get(month) or int(month), int(day)))
        except ValueError:
            continue
    return Moment(days.pop(), None) if len(days) == 1 and min(days).year >= FIRST_YEAR else None


if __name__ == "__main__":
    run(extract_articles, snakemake)
