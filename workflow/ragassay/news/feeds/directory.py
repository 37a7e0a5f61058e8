"""The directory of feeds that comes inside the package newscatcher: one SQLite file with some 4,500 feeds.

Only the file is used. The package's functions build SQL from what they are given and fetch whatever comes out, and its
import needs what no longer installs, so it is found by the list of installed files, held to the digest in that list,
and opened so that nothing can be written.
"""

import base64
import hashlib
import importlib.metadata
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

from ragassay.base.errors import AssayError
from ragassay.news.feeds.feed_table import Listed

PACKAGE = "newscatcher"
FILE = "newscatcher/data/package_rss.db"
NONE = "None"  # what stands there for no value
COLUMNS = "rss_url, clean_url, topic_unified, language, clean_country, GlobalRank, main"


class DirectoryError(AssayError):
    """The directory of feeds is missing or is not the one that was locked."""


def directory_file() -> tuple[Path, str]:
    """Where the installed file is, and its SHA-256, which is the one that the package was installed with."""
    remedy = "run `make setup`"
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
            found = hashlib.sha256(path.read_bytes()).digest()
            if base64.urlsafe_b64encode(found).decode().rstrip("=") != file.hash.value:
                raise DirectoryError(f"{path}: found another file than package {PACKAGE} was installed with; {remedy}")
            return path, found.hex()
    raise DirectoryError(f"found no file {FILE} in package {PACKAGE}, expected its list of feeds there; {remedy}")


def listed(path: Path, digest: str, is_wanted: Callable[[str], bool], languages=(), countries=()) -> list[Listed]:
    """The feeds under the directory's topics that are wanted, https and best ranked first; all languages or countries
    if none are given.
    """
    try:
        with closing(sqlite3.connect(f"{path.resolve().as_uri()}?mode=ro&immutable=1", uri=True)) as database:
            topics = [topic for [topic] in database.execute("SELECT DISTINCT topic_unified FROM rss_main")]
            wanted = {
                "topic_unified": list(filter(is_wanted, topics)),
                "language": languages,
                "clean_country": countries,
            }
            wanted = {column: values for column, values in wanted.items() if values or column == "topic_unified"}
            where = " AND ".join(f"{column} IN ({', '.join('?' * len(values))})" for column, values in wanted.items())
            given = [value for values in wanted.values() for value in values]
            rows = database.execute(f"SELECT {COLUMNS} FROM rss_main WHERE {where}", given).fetchall()
    except sqlite3.Error as error:
        raise DirectoryError(f"{path}: not the list of feeds that was expected ({error}); run `make setup`") from error
    found = [_listed(row, digest) for row in rows]
    return sorted(found, key=lambda feed: (not feed.url.startswith("https:"), feed.rank or 2**62, feed.url))


def _listed(row, digest):
    url, site, topic, language, country, rank, main = (None if value == NONE else value for value in row)
    return Listed(
        url=url or "",
        names=[topic],
        place=f"{PACKAGE} {url}",
        source=PACKAGE,
        source_hash=digest,
        site=site,
        language=language,
        country=country,
        rank=rank,
        main=main == 1,
    )
