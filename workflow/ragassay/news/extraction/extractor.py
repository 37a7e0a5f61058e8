"""Extract articles from pages, in processes that can be killed: see `ragassay.documents.readers`. Does not filter by
date or language."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from ragassay.documents.readers import DEATHS, Readers, main


@dataclass(frozen=True)
class Article:
    """What a page says: its text in paragraphs, and what its head tells about it."""

    title: str | None
    text: str
    site_name: str | None
    canonical_url: str | None
    language: str
    confidence: float
    charset: str
    charset_source: str
    dates: dict[str, list[str]]


@dataclass(frozen=True)
class Reject:
    reason: str
    detail: str


class Extractor(Readers):
    """Use it as a context manager: on leaving it, no child process remains."""

    def __init__(self, workers: int = 1, seconds: float = 20, memory_mb: int = 1024):
        super().__init__("ragassay.news.extraction.extractor", workers, seconds, memory_mb)

    def extract(self, pages: Iterable[tuple[object, bytes, dict, str]]) -> Iterator[tuple[object, Article | Reject]]:
        """For pages of id, body, headers and address: each id with its article or reject, in the order of the pages."""
        documents = ((name, body, [headers.get("content-type"), url]) for name, body, headers, url in pages)
        for name, reply in self.read(documents):
            yield name, _result(reply)


def _result(reply):
    if "read" in reply:
        return Article(**reply["read"])
    reason = f"extraction_{reply['reason']}" if reply["reason"] in DEATHS else reply["reason"]
    return Reject(reason, reply["detail"])


def loaded():
    """What the child runs."""
    from ragassay.news.extraction.page import language_of, read_page

    language_of("The model is loaded now, not during the first page.")
    return read_page


if __name__ == "__main__":
    main(loaded)
