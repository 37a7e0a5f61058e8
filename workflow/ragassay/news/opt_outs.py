"""Opt-outs: one host or address per line, honoured by crawls and releases. `a.example` or
`*.a.example` is that host and all below it, `www.a.example` it with and without the www, `https://a.example/blog`
that page and all below. In doubt the reading is the wider one, so paths and queries are compared in one spelling;
a line that is none of these is an error."""

import re
import unicodedata
from collections.abc import Iterable, Iterator
from pathlib import Path
from urllib.parse import parse_qsl, unquote, urlsplit

from ragassay.base.errors import AssayError
from ragassay.news.fetching.links import NotALink, link

MOST_ESCAPES = 3  # of one sign, such as %25252F
COMMENT = re.compile(r"(^|\s)#.*")  # inside an address it names a part of the page
EXPECTED = "expected a host such as a.example or *.a.example, or an address such as https://a.example/blog"


class OptOutError(AssayError):
    """The list of opt-outs cannot be understood."""


class OptOuts:
    """`OptOuts.read(path)` or `OptOuts(lines)`; without lines nobody has opted out."""

    def __init__(self, lines: Iterable[str] = (), name: str = "opt-outs"):
        self._hosts = {}  # host -> where it is listed; all below it too
        self._pages = {}  # host without www -> [(path, query, where it is listed)]
        for number, line in enumerate(lines, 1):
            entry = COMMENT.sub("", line).strip()
            if entry:
                self._add(entry, f"{name}:{number}")

    def __bool__(self) -> bool:
        """Whether anybody opted out."""
        return bool(self._hosts or self._pages)

    @classmethod
    def read(cls, path) -> "OptOuts":
        try:
            text = Path(path).read_text(encoding="utf-8-sig")
        except OSError as error:
            raise OptOutError(
                f"{path}: found no list of opt-outs ({error.strerror}); write one, empty if nobody has opted out"
            ) from error
        except UnicodeDecodeError as error:
            raise OptOutError(f"{path}: found bytes that are not UTF-8; save the file as UTF-8") from error
        return cls(text.splitlines(), str(path))

    def matches(self, url: str) -> bool:
        """Whether the page must not be fetched or published."""
        return self.listed(url) is not None

    def listed(self, url: str) -> str | None:
        """File and line of the opt-out that the page falls under, if there is one."""
        try:
            parts = urlsplit(link(url))
        except NotALink:
            return None  # it is no page, and nothing will fetch it
        for host in _upwards(parts.hostname):
            if host in self._hosts:
                return self._hosts[host]
        paths, query = _paths(parts.path), _query(parts.query)
        for path, asked, where in self._pages.get(_bare(parts.hostname), ()):
            if any(same == path if asked else f"{same}/".startswith(f"{path}/") for same in paths) and asked <= query:
                return where
        return None

    def _add(self, entry, where):
        if len(entry.split()) > 1:
            raise OptOutError(f"{where}: found {entry!r:.80}, {EXPECTED}; put each on a line of its own")
        is_page = "/" in entry
        name = entry.removeprefix("*.")
        try:
            parts = urlsplit(link(name if "://" in name else f"http://{name}"))
        except NotALink as error:
            raise OptOutError(f"{where}: {error}; {EXPECTED}") from error
        if "*" in name or (not is_page and any(sign in name for sign in "?@")):
            raise OptOutError(f"{where}: found {entry!r:.80}, {EXPECTED}")
        if "." not in parts.hostname and ":" not in parts.hostname and parts.hostname != "localhost":
            raise OptOutError(f"{where}: found {entry!r:.80}, which is no whole host name, {EXPECTED}")
        if is_page:
            page = (_paths(parts.path)[0], _query(parts.query), where)
            self._pages.setdefault(_bare(parts.hostname), []).append(page)
        else:
            self._hosts.setdefault(parts.hostname, where)
            if parts.hostname != _bare(parts.hostname):
                self._pages.setdefault(_bare(parts.hostname), []).append(("", set(), where))


def _paths(path):
    """A path in one spelling, and the same with `..` as it stands, which a server may not heed: small letters, no
    escapes, however often escaped, no empty parts, no parameters.
    """
    for _ in range(MOST_ESCAPES):
        path = unquote(path)
    plain = unicodedata.normalize("NFKC", path).casefold().replace("\\", "/")
    parts = [name for part in plain.split("/") if (name := part.partition(";")[0].strip()) not in ("", ".")]
    walked = []
    for part in parts:
        walked = walked[:-1] if part == ".." else [*walked, part]
    return ["".join(f"/{part}" for part in way) for way in (walked, parts)]


def _query(query):
    """The parts of a query; a page with more of them is the same page."""
    return {(name.casefold(), value.casefold()) for name, value in parse_qsl(query, keep_blank_values=True)}


def _bare(host):
    return host.removeprefix("www.")


def _upwards(host) -> Iterator[str]:
    """The host and all hosts that it lies below."""
    yield host
    while "." in host:
        host = host.partition(".")[2]
        yield host
