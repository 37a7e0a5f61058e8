"""Read the bodies that came out of the hostile suite as a crawl and the stage behind it would: as a feed and as a page,
each in a killable child, as a page also under the type of one if they were announced as something else.

Bodies wait on disk, as those of a crawl do, and are read one after the other when nobody is asked any more.
"""

import resource
import time
from pathlib import Path

from ragassay.documents.readers import Readers
from ragassay.news.extraction.extractor import Extractor, Reject
from ragassay.news.feeds.candidates import read
from ragassay.news.feeds.feed import FEED, PROGRAM

SECONDS, MEGABYTES = 20, 500
HTML = "text/html; charset=utf-8"
FEED_SECONDS = 3
PAGE = {"not_html", "no_text", "article", "too_many_elements"}
XML = {"not_html", "no_text", "too_many_elements"}
EXPECTED = {  # kind of case -> what its body is as a feed, and what it may be as a page
    "deep_xml": ({"dead"}, XML),
    "entity_expansion": ({"dead"}, XML),
    "external_entity": ({"dead"}, XML),
    "paragraphs": ({"dead"}, {"too_many_elements"}),
    "deep_html": ({"dead"}, {"not_html"}),
    "feed_in_no_charset": ({"live"}, PAGE),
    "feed_behind_blank_lines": ({"live"}, PAGE),
    "feed_of_no_characters": ({"live"}, PAGE),
    "feed_of_too_many_entries": ({"live"}, PAGE),
    "feed_of_no_addresses": ({"empty"}, PAGE),
    "feed_of_a_long_author": ({"live"}, PAGE),
    "feed_that_takes_for_ever": ({"crash"}, PAGE),
}
HEALTH = {"live", "empty", "dead"}


class Reading:
    def __init__(self, folder):
        self.folder, self.waiting = Path(folder), []  # (case, seconds of its fetch, its content type, file)
        self.wrong, self.longest, self.megabytes = [], 0.0, 0.0

    def keep(self, case, fetched, seconds: float) -> None:
        path = self.folder / f"{case.number}.body"
        path.write_bytes(fetched.body)
        self.waiting.append((case, seconds, fetched.headers.get("content-type", ""), path))

    def read(self) -> None:
        with (
            Extractor(seconds=SECONDS, memory_mb=MEGABYTES) as extractor,
            Readers(PROGRAM, seconds=FEED_SECONDS, memory_mb=MEGABYTES) as readers,
        ):
            list(extractor.extract([(0, b"", {}, "http://first.test/")]))  # it has started now
            for case, seconds, content_type, path in self.waiting:
                start = time.monotonic()
                body = path.read_bytes()
                [(_, reply)] = readers.read([(case.number, body, [FEED, case.url, content_type])])
                health, detail, _ = read(reply)
                pages = [{"content-type": announced} for announced in dict.fromkeys((content_type, HTML))]
                results = extractor.extract((case.number, body, headers, case.url) for headers in pages)
                found = {result.reason if isinstance(result, Reject) else "article" for _, result in results}
                self.longest = max(self.longest, seconds + time.monotonic() - start)
                expected, reasons = EXPECTED.get(case.kind, (HEALTH, found))
                if health not in expected or not found <= reasons:
                    told = (
                        f"{health} ({detail}) and {sorted(found)}, not {sorted(expected)} and some of {sorted(reasons)}"
                    )
                    self.wrong.append(f"{case.host} was read as {told}")
        self.megabytes = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1024
