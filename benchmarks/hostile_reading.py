"""Read the bodies that came out of the hostile suite as a crawl and the stage behind it would: as a feed, and as a
page in a killable child, also under the type of a page if they were announced as something else.

Bodies wait on disk, as those of a crawl do, and are read one after the other when nobody is asked any more.
"""

import resource
import time
from pathlib import Path

from ragassay.news import feeds
from ragassay.news.extraction import Extractor, Reject

SECONDS, MEGABYTES = 20, 500
HTML = "text/html; charset=utf-8"
XML = {"not_html", "no_text", "too_many_elements"}
EXPECTED = {  # kind of case -> what its body is as a feed, and what it may be as a page
    "deep_xml": ("not_a_feed", XML),
    "entity_expansion": ("not_a_feed", XML),
    "external_entity": ("not_a_feed", XML),
    "paragraphs": ("not_a_feed", {"too_many_elements"}),
    "deep_html": ("not_a_feed", {"not_html"}),
}
KINDS = {"live", "empty", "not_a_feed"}


class Reading:
    def __init__(self, folder):
        self.folder, self.waiting = Path(folder), []  # (case, seconds of its fetch, its content type, file)
        self.wrong, self.longest, self.megabytes = [], 0.0, 0.0

    def keep(self, case, fetched, seconds: float) -> None:
        path = self.folder / f"{case.number}.body"
        path.write_bytes(fetched.body)
        self.waiting.append((case, seconds, fetched.headers.get("content-type", ""), path))

    def read(self) -> None:
        with Extractor(seconds=SECONDS, memory_mb=MEGABYTES) as extractor:
            list(extractor.extract([(0, b"", {}, "http://first.test/")]))  # it has started now
            for case, seconds, content_type, path in self.waiting:
                start = time.monotonic()
                body = path.read_bytes()
                feed = feeds.parse(body, case.url, content_type)
                pages = [{"content-type": announced} for announced in dict.fromkeys((content_type, HTML))]
                results = extractor.extract((case.number, body, headers, case.url) for headers in pages)
                found = {result.reason if isinstance(result, Reject) else "article" for _, result in results}
                self.longest = max(self.longest, seconds + time.monotonic() - start)
                kind, reasons = EXPECTED.get(case.kind, (feed.kind, found))
                if feed.kind not in KINDS or feed.kind != kind or not found <= reasons:
                    told = f"{feed.kind} and {sorted(found)}, not {kind} and some of {sorted(reasons)}"
                    self.wrong.append(f"{case.host} was read as {told}")
        self.megabytes = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1024
