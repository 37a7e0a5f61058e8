"""Time extraction against bare trafilatura on the same pages, and see that hostile bodies are over in time.

Bare is `trafilatura.bare_extraction` in a loop, in a process of its own that does nothing else; ours reads the same
pages in one killable child and adds charset, title, raw dates, walls and language. Rounds of both take turns, since the
machine is never quite the same; the best of each counts. The pages are made from the demo corpus (`news_pages`).
"""

import resource
import subprocess
import sys
import time
from pathlib import Path

from common.figures import figure, finish
from corpora.news_pages import articles, page

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "workflow"))

PAGES, ROUNDS = 150, 5
SECONDS, MEMORY_MB = 20, 1024
HEADERS = {"content-type": "text/html; charset=utf-8"}
BARE = {"bare": {}, "bare_with_metadata": {"with_metadata": True}}
HOSTILE = {
    "4_MB_of_200000_paragraphs": "<html><body>" + "<p>some words of text" * 200_000,
    "45000_paragraphs": "<html><body>" + "<p>some words of text</p>\n" * 45_000 + "</body></html>",
    "40000_bold_words": "<html><body><p>" + "Some text and <b>bold</b> words that follow it, " * 40_000,
    "20000_nested_divs": "<html><body>" + "<div>" * 20_000 + "text" + "</div>" * 20_000,
    "200000_nested_xml_elements": '<?xml version="1.0"?>' + "<a>" * 200_000,
    "4_MB_of_NULs": "\0" * 4_000_000,
    "NULs_between_words": "<html><body><p>" + "a word\0 " * 500_000 + "</p></body></html>",
    "a_million_attributes": "<html><body><p " + "x=1 " * 1_000_000 + ">text</p></body></html>",
    "a_million_brackets_of_JSON": '<html><script type="application/ld+json">' + "[" * 1_000_000 + "</script></html>",
    "entity_expansion": '<!DOCTYPE l [<!ENTITY a0 "ha">'
    + "".join(f'<!ENTITY a{n} "{f"&a{n - 1};" * 10}">' for n in range(1, 10))
    + "]><html><body><p>&a9;</p></body></html>",
}


def pages():
    told = articles()
    return [(number, *page(number, told)) for number in range(PAGES)]


def bare(options) -> None:
    """In a process of its own: each line on standard input is answered with the seconds that a round takes."""
    from trafilatura import bare_extraction

    bodies = [(url, text.encode()) for _, url, text in pages()]
    bare_extraction(bodies[0][1], url=bodies[0][0], **options)
    for _ in sys.stdin:
        start = time.perf_counter()
        for url, body in bodies:
            bare_extraction(body, url=url, **options)
        sys.stdout.write(f"{time.perf_counter() - start}\n")
        sys.stdout.flush()


def throughput() -> None:
    from ragassay.news.extraction.extractor import Article, Extractor

    given = [(number, text.encode(), HEADERS, url) for number, url, text in pages()]
    peers = {
        name: subprocess.Popen(
            [sys.executable, __file__, name], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, bufsize=1
        )
        for name in BARE
    }
    best = dict.fromkeys([*BARE, "ours"], float("inf"))
    with Extractor(1, SECONDS, MEMORY_MB) as extractor:
        list(extractor.extract(given[:1]))
        for _ in range(ROUNDS):
            for name, peer in peers.items():
                peer.stdin.write("go\n")
                best[name] = min(best[name], float(peer.stdout.readline()))
            start = time.perf_counter()
            results = [result for _, result in extractor.extract(given)]
            best["ours"] = min(best["ours"], time.perf_counter() - start)
    for peer in peers.values():
        peer.communicate()
    assert all(isinstance(result, Article) for result in results)
    ours = PAGES / best["ours"]
    for name in BARE:
        limit = PAGES / best[name]
        figure(f"extraction_against_{name}", ours, "pages/s", f">= {0.9 * limit:.1f}", limit)


def hostile() -> None:
    from ragassay.news.extraction.extractor import Extractor

    with Extractor(1, SECONDS, MEMORY_MB) as extractor:
        for name, text in HOSTILE.items():
            start = time.perf_counter()
            [(_, result)] = extractor.extract([(name, text.encode(), HEADERS, "https://hostile.example/")])
            took = time.perf_counter() - start
            figure(f"hostile_{name}_{getattr(result, 'reason', 'article')}", took, "s", f"<= {1.5 * SECONDS:g}")
    peak = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1024
    figure("hostile_peak_memory_of_a_child", peak, "MB", f"<= {MEMORY_MB}")


if __name__ == "__main__":
    if sys.argv[1:]:
        bare(BARE[sys.argv[1]])
    else:
        throughput()
        hostile()
        finish()
