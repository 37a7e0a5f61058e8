"""Turn a record of a user's file into an article, and an article into a document, or say why that cannot be.

The id comes from the content, so that the same text is the same document whatever its file, order or month. Nothing is
guessed: an unreadable date is a reason to reject, a missing one stays empty.
"""

import datetime
import hashlib
import re
import unicodedata
from urllib.parse import urlsplit

from ragassay.base.errors import Unusable, one_item
from ragassay.base.terminal import shown
from ragassay.schemas.documents import ARTICLES, DOCUMENTS
from ragassay.text.characters import SURROGATE, fit
from ragassay.text.sentences import spans

YEARS = range(1000, 2200)  # which every library can count with
NO_URL = re.compile(r"[\s<>\"\\]")
# fromisoformat also accepts thirteen digits, which are milliseconds since 1970 and not a date.
ISO = re.compile(r"\d{4}-?(\d\d-?\d\d|W\d\d-?\d)([T ].*)?", re.ASCII)


@one_item()
def article(fields: dict, shard: str, source_id: str = "", title: str = "", date_format: str | None = None) -> dict:
    """The row of the table articles for one record of a user's file; raises Unusable. Without an id or a title of its
    own, it has these.
    """
    text = clean(fields.get("text", ""))
    if not text:
        raise Unusable("empty_text", "found no text, expected at least one sentence")
    digest = hashlib.sha256(text.encode()).hexdigest()
    url, own_id, published_at = _url(fields), _line(fields, "id"), moment(fields.get("date"), date_format)
    columns = {
        "article_id": article_id(url, own_id, digest),
        "shard": shard,
        "source_id": own_id or source_id or None,
        "topic": _line(fields, "topic"),
        "url": url,
        "site": urlsplit(url).hostname if url else None,
        "title": _line(fields, "title") or title or None,
        "published_at": published_at,
        "date_sources": ["file"] if published_at else [],
        "undated": None if published_at else "no_date",
        "text": text,
        "n_words": count_words(text),
        "content_hash": digest,
    }
    return dict.fromkeys(ARTICLES.schema.names) | columns


def article_id(url: str | None, source_id: str | None, content_hash: str) -> str:
    digest = hashlib.sha256("\0".join([url or "", source_id or "", content_hash]).encode()).hexdigest()
    return f"art-{digest[:16]}"


def document(article: dict, cluster_id: str, min_words: int, cut_after_words: int) -> dict:
    """The row of the table documents for one article; raises Unusable."""
    if article["n_words"] < min_words:
        raise Unusable("too_short", f"found {article['n_words']} words, expected at least {min_words}")
    text = cut(article["text"], cut_after_words)
    words = count_words(text)
    if words > 2 * cut_after_words:
        expected = f"expected one to end near {cut_after_words}"
        raise Unusable("no_sentence_end", f"found a sentence that runs to word {words}, {expected}")
    columns = {
        "doc_id": f"doc-{article['content_hash'][:16]}",
        "cluster_id": cluster_id,
        "text": text,
        "n_words": words,
    }
    return {name: columns.get(name, article.get(name)) for name in DOCUMENTS.schema.names}


def clean(text) -> str:
    """The text in one common form: NFC, LF, no characters that are not stored, no white space at the ends of lines."""
    if not isinstance(text, str):
        raise Unusable("bad_text", f"found {type(text).__name__} in 'text', expected text")
    if text.isprintable():  # no control character, no end of a line, no half of a pair
        return unicodedata.normalize("NFC", fit(text)).strip()
    if half := SURROGATE.search(text):
        raise Unusable("encoding", f"found half of a surrogate pair, {half[0]!r}, expected Unicode")
    lines = (unicodedata.normalize("NFC", line).rstrip() for line in fit(text).splitlines())
    return re.sub(r"\n{3,}", "\n\n", "\n".join(lines)).strip()


def cut(text: str, words: int) -> str:
    """Whole sentences from the top until more than `words` words are reached."""
    seen = end = 0
    for start, stop in spans(text):
        seen += count_words(text[start:stop]) - (0 < start == end)  # no space between them: the word continues
        end = stop
        if seen > words:
            break
    return text[:end]


def count_words(text: str) -> int:
    return len(text.split())


def _line(fields, name):
    value = fields.get(name)
    if value is None:
        return None
    if isinstance(value, bytes | dict | list):
        raise Unusable("bad_value", f"found {shown(value, 60)} in {name!r}, expected a line of text")
    return " ".join(clean(str(value)).split()) or None


def _url(fields):
    url = _line(fields, "url")
    if url is None:
        return None
    try:
        parts = urlsplit(url)
        usable = parts.scheme in ("http", "https") and parts.hostname and not NO_URL.search(url)
    except ValueError:
        usable = False
    if not usable:
        raise Unusable("bad_url", f"found {url[:100]!r} in 'url', expected http:// or https:// with a host")
    return url


def moment(value, date_format: str | None = None) -> datetime.datetime | None:
    """A moment in UTC; a date without time is its first second, a time without zone counts as UTC. Texts are in ISO
    8601, or in this format of Python's strptime.
    """
    if value is None or str(value).strip() == "":
        return None
    try:
        if isinstance(value, datetime.datetime):
            time = value
        elif isinstance(value, datetime.date):
            time = datetime.datetime.combine(value, datetime.time())
        else:
            text = str(value).strip()
            if date_format:
                time = datetime.datetime.strptime(text, date_format)
            else:
                time = datetime.datetime.fromisoformat(text if ISO.fullmatch(text) else "")
        time = time if time.tzinfo else time.replace(tzinfo=datetime.UTC)
        if time.year not in YEARS:
            raise ValueError(f"the year {time.year}")
        return time.astimezone(datetime.UTC).replace(microsecond=0)
    except (ValueError, OverflowError) as error:
        iso = "ISO 8601 such as 2026-11-21 or 2026-11-21T07:30:00Z"
        expected = f"expected {f'the format {date_format}' if date_format else iso}"
        expected += f" and a year from {YEARS[0]} to {YEARS[-1]}" if "year" in str(error) else ""
        raise Unusable("bad_date", f"found {str(value)[:60]!r} in 'date', {expected}") from error
