"""Lists of feeds as feed readers export them: OPML files with outlines in outlines.

A feed counts for the topic of its own category, otherwise for that of the nearest outline around it whose name is a
topic. The file is the user's own, so that one that cannot be read is an error; it may come from elsewhere all the same,
so that it is read in a child and refused if it declares entities.
"""

import hashlib
from pathlib import Path

from ragassay.base.errors import AssayError
from ragassay.news.feeds.feed_table import Listed
from ragassay.news.feeds.feed_worker import OPML
from ragassay.news.readers.pool import DEATHS, Readers


class OpmlError(AssayError):
    """A list of feeds cannot be read."""


def listed(path, readers: Readers) -> list[Listed]:
    """All feeds of the file, in its order; `readers` run `feed_worker`."""
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
    return [_listed(outline, path, digest) for outline in reply["read"]]


def _listed(outline, path, digest):
    said = outline["own"]
    categories = [part.strip() for name in said.get("category", "").split(",") for part in reversed(name.split("/"))]
    url = said.get("xmlurl", "").strip()
    return Listed(
        url=url,
        names=[name for name in (*categories, *outline["around"]) if name],
        place=f"{path} line {outline['line']} {url}".strip(),
        source="opml",
        source_hash=digest,
        page=said.get("htmlurl", "").strip(),
        language=said.get("language", "").strip().lower()[:2] or None,
    )
