"""Extraction in a child: what pages give, and that no page can stop, fill or confuse the ones around it."""

import os
import signal
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from time import sleep

import pytest

from clocks import until
from news_pages import articles, page
from ragassay.documents.readers import ReaderError
from ragassay.news.extraction.extractor import Article, Extractor, Reject
from ragassay.news.extraction.page import language_of

TOLD = articles()
HTML = {"content-type": "text/html; charset=utf-8"}
GOOD = page(0, TOLD)[1].encode()
SLOW = b"<html><body><p>" + b"Some text and <b>bold</b> words that follow it, " * 40_000 + b"</p></body></html>"
LARGE = b"<html><body>" + (b"<p>" + b"some words of text " * 5000 + b"</p>\n") * 100 + b"</body></html>"


def given(*bodies, headers=HTML, url="https://paper.example/story"):
    return [(number, body, headers, url) for number, body in enumerate(bodies)]


def outcome(result):
    return "article" if isinstance(result, Article) else result.reason


@pytest.fixture(scope="module")
def extractor():
    with Extractor() as found:
        yield found


@pytest.fixture
def read(extractor):
    def one(body, headers=HTML, url="https://paper.example/story"):
        body = body.encode() if isinstance(body, str) else body
        [(_, result)] = extractor.extract(given(body, headers=headers, url=url))
        return result

    return one


def test_pages_of_the_demo_corpus_give_their_articles_in_order(extractor):
    pages = [(f"page {n}", text.encode(), HTML, url) for n in range(12) for url, text in [page(n, TOLD)]]
    results = list(extractor.extract(iter(pages)))
    assert [name for name, _ in results] == [name for name, *_ in pages]
    for told, (_, result) in zip(TOLD, results, strict=False):
        assert (result.title, result.site_name, result.canonical_url) == (told["title"], "The Courier", told["url"])
        assert result.text == "\n\n".join(told["paragraphs"])
        assert (result.language, result.charset, result.charset_source) == ("en", "utf-8", "header")
        assert result.dates == {"json_ld": [told["date"]], "meta": [told["date"]]}
        assert result.confidence > 0.9


PARAGRAPHS = "".join(f"<p>{text}</p>" for text in TOLD[0]["paragraphs"])
NOT_FREE = '<script type="application/ld+json">{"@type":"NewsArticle","isAccessibleForFree":false}</script>'
SHORT = "<p>We value your privacy.</p><p>We and our partners use cookies and similar means. Accept all</p>"


@pytest.mark.parametrize(
    ("body", "reason"),
    [
        ("", "not_html"),
        ("no page at all", "not_html"),
        ("\0" * 4_000_000, "not_html"),
        ("<html><head></head><body></body></html>", "no_text"),
        ("<html><body>" + "<div>" * 19_000 + "text", "no_text"),
        ("<html><body>" + "<p>a" * 200_000, "too_many_elements"),
        ("<html><body>" + "<p>some words of text" * 21_000, "too_many_elements"),
        ('<?xml version="1.0"?>' + "<a>" * 200_000, "too_many_elements"),
        (f"<html><head>{NOT_FREE}</head><body><article>{PARAGRAPHS}</article></body></html>", "paywall"),
        (f"<html><head></head><body><div id='consent'>{SHORT}</div></body></html>", "consent_wall"),
        (
            "<html><head></head><body><p>" + "\ufffd" * 400 + "</p><p>" + "word " * 100 + "</p></body></html>",
            "encoding",
        ),
    ],
)
def test_what_is_no_article_has_a_reason(read, body, reason):
    result = read(body)
    assert outcome(result) == reason and result.detail.startswith("found ")


@pytest.mark.parametrize("kind", ["application/pdf", "image/png", "application/json; charset=utf-8"])
def test_other_kinds_of_files_are_not_read(read, kind):
    assert outcome(read(GOOD, headers={"content-type": kind})) == "not_html"


def test_a_page_without_headers_and_with_broken_bytes_is_read(read):
    added = (
        "<p>Twelve times é: " + "é" * 11 + ". A broken \\ byte and a NUL \0 stand in this long paragraph.</p></article>"
    )
    body = GOOD.replace(b"</article>", added.encode().replace(b"\\", b"\xff"))
    result = read(body, headers={})
    assert result.text.endswith("A broken \ufffd byte and a NUL stand in this long paragraph.")
    assert (result.charset, result.charset_source) == ("utf-8", "meta")


def test_workers_give_the_same_in_the_same_order_and_are_gone_afterwards(extractor):
    pages = given(*(page(n, TOLD)[1].encode() for n in range(8)), b"", GOOD * 20)
    with Extractor(workers=2) as two:
        assert list(two.extract(pages)) == list(extractor.extract(pages))
        next(two.extract(given(*[GOOD] * 50)))  # and leave early
        children = [child.process for child in two.children]
    assert all(child.returncode is not None for child in children)


def test_a_page_that_takes_too_long_is_over_and_the_others_are_not_concerned():
    with Extractor(seconds=2) as extractor:
        results = dict(extractor.extract(given(GOOD, SLOW, GOOD, GOOD)))
        outcomes = ["article", "extraction_timeout", "article", "article"]
        assert [outcome(result) for result in results.values()] == outcomes
        assert results[1] == Reject("extraction_timeout", "not done after 2 seconds")
        assert results[0] == results[3] and extractor.children[0].replaced == 1
        # one that hangs without using the processor is noticed by the clock
        os.kill(extractor.children[0].process.pid, signal.SIGSTOP)
        results = [outcome(result) for _, result in extractor.extract(given(GOOD, GOOD, GOOD))]
        assert results == ["extraction_timeout", "article", "article"] and extractor.children[0].replaced == 2


def test_a_child_gets_no_keys(monkeypatch):
    monkeypatch.setenv("ANY_API_KEY", "canary")
    with Extractor() as extractor:
        assert outcome(next(extractor.extract(given(GOOD)))[1]) == "article"
        environment = Path(f"/proc/{extractor.children[0].process.pid}/environ").read_bytes()
    assert b"PYTHONPATH" in environment and b"ANY_API_KEY" not in environment


def test_half_a_character_in_a_page_is_no_text_that_nobody_can_write(read):
    head = '<head><script type="application/ld+json">{"@type": "NewsArticle", "headline": "Storm \\ud83d"}</script>'
    assert read(GOOD.replace(b"<head>", head.encode())).title.encode() == b"Storm ?"


ORPHAN = """
import os
from ragassay.news.extraction.extractor import Extractor
with Extractor() as extractor:
    [_] = extractor.extract([(1, b"", {}, "https://paper.example/")])
    print(extractor.children[0].process.pid, flush=True)
    os.kill(os.getpid(), 9)
"""


def test_a_killed_parent_leaves_no_child():
    done = subprocess.run([sys.executable, "-c", ORPHAN], capture_output=True, text=True)
    until(lambda: not lives(int(done.stdout)))
    assert done.stderr == ""


def lives(process):
    try:
        return "\nState:\tZ" not in Path(f"/proc/{process}/status").read_text()
    except (FileNotFoundError, ProcessLookupError):
        return False


def test_a_page_that_takes_too_much_memory_is_tried_twice_and_over():
    with Extractor(memory_mb=400) as extractor:
        results = [outcome(result) for _, result in extractor.extract(given(LARGE, GOOD))]
        assert results == ["extraction_memory", "article"] and extractor.children[0].replaced == 2


def test_a_child_that_somebody_kills_costs_no_page(extractor):
    seen = []
    for number, result in extractor.extract(given(*[GOOD] * 8)):
        if number == 3:
            extractor.children[0].process.kill()
        seen.append(outcome(result))
    assert seen == ["article"] * 8


def test_a_page_of_which_every_child_dies_is_over(extractor):
    def kill(times):
        before = extractor.children[0].replaced
        for time in range(times):
            while extractor.children[0].replaced < before + time or not extractor.children[0].ready:
                sleep(0.01)
            extractor.children[0].process.kill()

    with ThreadPoolExecutor(1) as pool:
        killed = pool.submit(kill, 2)
        [(_, result)] = extractor.extract(given(SLOW))
        killed.result()
    assert result == Reject("extraction_crash", "the process ended by SIGKILL")


def test_too_little_memory_to_start_says_what_to_do(capfd):
    with Extractor(memory_mb=60) as extractor, pytest.raises(ReaderError, match=r"raise crawl\.megabytes_per_page"):
        list(extractor.extract(given(GOOD)))


TEXTS = {
    "en": "The bridge will be 640 metres long and is to open in spring, the mayor said on Monday.",
    "de": "Die Brücke wird 640 Meter lang und soll im Frühjahr eröffnet werden, sagte die Bürgermeisterin am Montag.",
    "fr": "Le pont mesurera 640 mètres et doit ouvrir au printemps, a déclaré la maire lundi matin.",
    "es": "El puente tendrá 640 metros y se abrirá en primavera, dijo la alcaldesa el lunes por la mañana.",
    "pl": "Most będzie miał 640 metrów długości i zostanie otwarty wiosną, powiedziała burmistrz w poniedziałek.",
    "ja": "橋の長さは六百四十メートルで、春に開通する予定だと市長が月曜日に述べた。",
}


@pytest.mark.parametrize(("language", "text"), TEXTS.items(), ids=TEXTS)
def test_the_language_and_how_sure_it_is(language, text):
    found, confidence = language_of(text)
    assert found == language and 0.9 < confidence <= 1


def test_the_middle_of_a_text_counts():
    assert language_of("\n\n".join([TEXTS["en"], *[TEXTS["de"]] * 8, TEXTS["en"]]))[0] == "de"


@pytest.mark.parametrize("text", ["", "1234 5678", "\ufffd", "x"])
def test_nobody_is_sure_about_nothing(text):
    assert language_of(text)[1] < 0.5
