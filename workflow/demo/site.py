"""The demo corpus as a web site: for each host and path, the answer that its server gives.

The articles become pages with all that surrounds an article there, and each host has a feed for each of its topics.
`site.yaml`, beside the templates, says how the hosts differ and adds what goes wrong on the web: pages that moved, are
slow or misnamed, walls, wrong dates, copies, and feeds that are dead, empty, forbidden or no feeds. Everything is under
http. Does not serve anything: see `server`.
"""

import dataclasses
import datetime
import hashlib
import re
from collections import defaultdict
from dataclasses import dataclass, field
from email.utils import format_datetime
from pathlib import Path
from urllib.parse import urlsplit

import jinja2

from ragassay.base import plain_yaml
from ragassay.base.errors import AssayError
from ragassay.documents.sources import document_files, records

LEAD = 180  # characters of the text that stand in feeds and descriptions
RELATED = 5
TYPES = {"html": "text/html; charset=utf-8", "rss": "application/rss+xml", "atom": "application/atom+xml"}


@dataclass(frozen=True)
class Answer:
    """What one address answers with."""

    body: bytes
    content_type: str = "text/plain; charset=utf-8"
    status: int = 200
    location: str = ""  # where the page has moved to
    modified: datetime.datetime | None = None
    seconds: float = 0.0  # until it answers

    @property
    def etag(self) -> str:
        return f'"{hashlib.sha256(self.body).hexdigest()[:16]}"'


@dataclass(frozen=True)
class Page:
    """One article as a page and as an entry of feeds."""

    url: str
    topic: str
    title: str
    paragraphs: list[str]
    date: datetime.datetime | None = None
    kind: str = ""  # why it must not become a document, if it must not

    @property
    def host(self) -> str:
        return urlsplit(self.url).hostname

    @property
    def path(self) -> str:
        return urlsplit(self.url).path

    @property
    def lead(self) -> str:
        return self.paragraphs[0][:LEAD].rpartition(" ")[0] + " ..."

    @property
    def guid(self) -> str:
        return f"tag:{self.host},{self.path}"

    @property
    def facts(self) -> dict:
        """What the page says of itself to machines (schema.org)."""
        dated = {"datePublished": self.date.isoformat()} if self.date else {}
        return {
            "@context": "https://schema.org",
            "@type": "NewsArticle",
            "headline": self.title,
            "mainEntityOfPage": self.url,
            "isAccessibleForFree": self.kind != "paywall",
        } | dated


@dataclass
class DemoSite:
    """All answers, by host and path, and the feeds that a crawl starts from, as (topic, URL)."""

    answers: dict[tuple[str, str], Answer] = field(default_factory=dict)
    feeds: list[tuple[str, str]] = field(default_factory=list)

    @property
    def hosts(self) -> list[str]:
        return sorted({host for host, _ in self.answers})


def demo_site(articles, site) -> DemoSite:
    """The site of a folder of articles, described by the folder `site`."""
    told = plain_yaml.read(Path(site) / "site.yaml")
    pages = [_article(record) for record in records(document_files(articles))]
    pages += [_copy(copy, {page.url: page for page in pages}, site) for copy in told["syndicated"]]
    pages += [_page(page) for page in told["pages"]]
    if unknown := {page.host for page in pages} - told["hosts"].keys():
        raise AssayError(f"{site}/site.yaml: found no host {min(unknown)}, expected each that articles come from")
    templates = jinja2.Environment(
        loader=jinja2.FileSystemLoader(site), autoescape=True, undefined=jinja2.StrictUndefined, trim_blocks=True
    )
    templates.filters["mail_date"] = lambda moment: format_datetime(moment, usegmt=True)
    built = DemoSite()
    _add_robots(built, told)
    _add_pages(built, told, pages, templates)
    _add_feeds(built, told, pages, templates)
    return built


def _article(record):
    fields = record.fields
    date = datetime.datetime.fromisoformat(fields["date"])
    return Page(_http(fields["url"]), fields["topic"], fields["title"], fields["text"].strip().split("\n\n"), date)


def _page(told):
    paragraphs = told["text"].strip().split("\n\n")
    return Page(_http(told["url"]), told["topic"], told["title"], paragraphs, told.get("date"), told["kind"])


def _copy(told, pages, site):
    original = pages.get(_http(told["of"]))
    if original is None:
        raise AssayError(f"{site}/site.yaml: found no article {told['of']} to copy, expected the url of one")
    first, *others = original.paragraphs
    paragraphs = [f"{told['before']} {first}", *others, told["after"]]
    return Page(_http(told["url"]), original.topic, told["title"], paragraphs, told["date"])


def _add_robots(built, told):
    for host, manners in told["hosts"].items():
        robots = manners.get("robots")
        answer = Answer(b"Not found\n", status=404) if robots is None else Answer(robots.encode())
        built.answers[host, "/robots.txt"] = answer


def _add_pages(built, told, pages, templates):
    template = templates.get_template("page.html")
    slow = {_http(url): seconds for url, seconds in told["slow"].items()}
    encodings = {_http(url): encoding for url, encoding in told["mislabelled"].items()}
    topics, of_host = sorted({page.topic for page in pages}), defaultdict(list)
    for page in pages:
        of_host[page.host].append(page)
    for page in pages:
        encoding = encodings.get(page.url, "utf-8")
        beside = of_host[page.host]
        at = beside.index(page)
        related = [other for other in beside[at + 1 :] + beside[:at] if not other.kind][:RELATED]
        shown = page if encoding == "utf-8" else _typographic(page)
        text = template.render(
            page=shown, host=told["hosts"][page.host], charset=encoding, topics=topics, related=related
        )
        built.answers[page.host, page.path] = Answer(
            text.encode(encoding),
            TYPES["html"],
            modified=None if page.kind in ("undated", "future") else page.date,
            seconds=slow.get(page.url, 0.0),
        )
    for old, new in told["moved"].items():
        parts = urlsplit(old)
        built.answers[parts.hostname, parts.path] = Answer(b"Moved\n", status=301, location=_http(new))


def _typographic(page):
    """With typographic quotation marks and apostrophes, so that the encoding shows."""
    told = [_curled(paragraph) for paragraph in page.paragraphs]
    return dataclasses.replace(page, title=_curled(page.title), paragraphs=told)


def _curled(text):
    text = re.sub('"([^"]*)"', "\N{LEFT DOUBLE QUOTATION MARK}\\1\N{RIGHT DOUBLE QUOTATION MARK}", text)
    return text.replace("'", "\N{RIGHT SINGLE QUOTATION MARK}")


def _add_feeds(built, told, pages, templates):
    moved = {_http(new): _http(old) for old, new in told["moved"].items()}
    of_feed = defaultdict(list)
    for page in pages:
        of_feed[page.host, page.topic].append(page)
    for (host, topic), found in sorted(of_feed.items()):
        newest = sorted(found, key=lambda page: (page.date is not None, page.date, page.url), reverse=True)
        _add_feed(built, told["hosts"][host], host, f"/feeds/{topic}.xml", topic, newest, moved, templates)
    for extra in told["feeds"]:
        host, path, topic = urlsplit(extra["url"]).hostname, urlsplit(extra["url"]).path, extra["topic"]
        listed = of_feed[host, topic] if extra["kind"] == "disallowed" else []
        _add_feed(built, told["hosts"][host], host, path, topic, listed, moved, templates)
        if extra["kind"] == "dead":
            built.answers[host, path] = Answer(b"Not found\n", status=404)
        elif extra["kind"] == "not_a_feed":
            text = "<!DOCTYPE html>\n<html><body><h1>Our feeds have moved</h1></body></html>\n"
            built.answers[host, path] = Answer(text.encode(), TYPES["html"])


def _add_feed(built, manners, host, path, topic, pages, moved, templates):
    entries = [
        {
            "title": page.title,
            "lead": page.lead,
            "date": page.date,
            "guid": page.guid,
            "link": _as_linked(moved.get(page.url, page.url), manners["links"]),
        }
        for page in pages
    ]
    kind = manners["feeds"]
    text = templates.get_template(f"feed.{kind}").render(
        host=manners, home=f"http://{host}/", topic=topic, entries=entries
    )
    dates = [page.date for page in pages if page.date and page.kind != "future"]
    built.answers[host, path] = Answer(text.encode(), TYPES[kind], modified=max(dates, default=None))
    built.feeds.append((topic, f"http://{host}{path}"))


def _as_linked(url, manner):
    if manner == "relative":
        return urlsplit(url).path
    return f"{url}?utm_source=feed&utm_medium=rss" if manner == "tagged" else url


def _http(url):
    return url.replace("https://", "http://", 1)
