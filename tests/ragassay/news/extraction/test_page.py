"""Text of pages, walls before it, and what their heads say about their own articles."""

import codecs
import json

import pytest
from hypothesis import given
from hypothesis import strategies as st
from lxml import html

from ragassay.news.extraction.page import decode, facts, read_page
from ragassay.news.extraction.walls import CONSENT, PAYWALL, repeated, wall

TEXT = "<p>Das Café in der Straße öffnet früh, sagte Frau Müller; größer könnte die Freude für alle kaum sein.</p>"
JAPANESE = "<p>港の橋の工事が始まった。市長は記念のボタンを押した。</p>" * 5
POLISH = "<p>Zażółć gęślą jaźń, powiedział burmistrz, a mieszkańcy przyjęli to z ulgą i śmiechem.</p>" * 5


def meta(label):
    return f'<html><head><meta charset="{label}"></head>'


@pytest.mark.parametrize(
    ("body", "content_type", "charset", "source"),
    [
        (TEXT.encode(), "text/html; charset=UTF-8", "utf-8", "header"),
        (TEXT.encode(), 'text/html; charset="utf8"', "utf-8", "header"),
        ((meta("utf-8") + TEXT).encode(), "text/html", "utf-8", "meta"),
        (TEXT.encode(), None, "utf-8", "detector"),
        (codecs.BOM_UTF8 + TEXT.encode(), "text/html; charset=latin-1", "utf-8", "mark"),
        (TEXT.encode("utf-16"), None, "utf-16-le", "mark"),
        (TEXT.encode("utf-16-le"), "text/html; charset=utf-16le", "utf-16-le", "header"),
        (TEXT.encode("latin-1"), "text/html; charset=ISO-8859-1", "cp1252", "header"),
        ((meta("iso-8859-15") + TEXT).encode("iso-8859-15"), None, "iso8859-15", "meta"),
        ((meta("windows-1250") + POLISH).encode("cp1250"), None, "cp1250", "meta"),
        ((meta("Shift_JIS") + JAPANESE).encode("cp932"), "text/html", "cp932", "meta"),
        (f'<?xml version="1.0" encoding="euc-jp"?>{JAPANESE}'.encode("euc-jp"), None, "euc_jp", "meta"),
        # declarations that are wrong
        (TEXT.encode(), "text/html; charset=iso-8859-1", "utf-8", "detector"),
        ((meta("latin-1") + TEXT).encode("latin-1"), "text/html; charset=utf-8", "cp1252", "meta"),
        ((meta("utf-16") + TEXT).encode(), None, "utf-8", "detector"),
        (TEXT.encode(), "text/html; charset=none-such", "utf-8", "detector"),
        (TEXT.encode(), "text/html; charset=base64", "utf-8", "detector"),
        (TEXT.encode(), "text/html; charset=punycode", "utf-8", "detector"),
        (TEXT.encode(), "text/html; charset=..", "utf-8", "detector"),
    ],
)
def test_the_charset_and_what_told_it(body, content_type, charset, source):
    text, *found = decode(body, content_type)
    assert found == [charset, source]
    assert any(known in text for known in (TEXT, JAPANESE, POLISH))


@pytest.mark.parametrize(("text", "charset"), [(JAPANESE, "cp932"), (POLISH, "cp1250")])
def test_what_nobody_declares_is_detected(text, charset):
    assert decode(text.encode(charset))[0::2] == (text, "detector")


def test_some_broken_bytes_do_not_turn_the_page_into_another_charset():
    body = (TEXT * 10).encode()[:-60] + b"\xff\xc3 end"
    text, charset, source = decode(body, "text/html; charset=utf-8")
    assert (charset, source) == ("utf-8", "header")
    assert text.startswith(TEXT) and text.count("\ufffd") == 2
    assert decode(body)[1:] == ("utf-8", "detector")


@given(st.binary(), st.text() | st.sampled_from(["charset=utf-16", "charset=gbk", "charset=cp1252", "charset=idna"]))
def test_any_bytes_are_decoded(body, content_type):
    for page in (body, b'<meta charset="' + body, body + bytes(range(256))):
        text, charset, source = decode(page, content_type)
        assert isinstance(text, str) and charset and source in ("mark", "header", "meta", "detector")


URL = "https://paper.example/story"
NEWS = (
    "The bridge will be 640 metres long and is to open in spring 2029. Its price is 214 million marks, of which"
    " the state pays 140 million. Once it is open, the ferry will stop. The crews have been promised posts elsewhere."
)
LONG = "\n\n".join([NEWS] * 6)
CONSENTS = {
    "en": "We and our partners store data on your device. You can withdraw your consent at any time. Accept all",
    "de": "Wir und unsere Partner verwenden Cookies. Sie können Ihre Einwilligung jederzeit ändern. Alle akzeptieren",
    "fr": "Nos partenaires et nous utilisons des cookies. Vous pouvez retirer votre consentement. Tout accepter",
    "es": "Utilizamos cookies propias. Puede retirar su consentimiento cuando quiera. Aceptar todo",
    "it": "Noi e i nostri partner usiamo i cookie. Puoi revocare il tuo consenso. Accetta tutto",
    "nl": "Wij en onze partners gebruiken cookies. U kunt uw toestemming intrekken. Alles accepteren",
}
STUBS = {
    "en": "To continue reading this article, choose a plan.",
    "de": "Jetzt weiterlesen mit dem Abo der Zeitung.",
    "fr": "Cet article est réservé aux abonnés.",
    "es": "Contenido exclusivo para suscriptores.",
    "pt": "Já é assinante? Entre aqui.",
    "pl": "Artykuł tylko dla prenumeratorów.",
}


@pytest.mark.parametrize("text", CONSENTS.values(), ids=CONSENTS)
def test_a_question_for_consent(text):
    assert wall(text, URL) == "consent_wall"
    assert wall(LONG + "\n\n" + text, URL) is None, "an article stays one with such a notice below"


@pytest.mark.parametrize("text", STUBS.values(), ids=STUBS)
def test_a_stub_that_asks_for_money(text):
    assert wall(f"{NEWS}\n\n{text}", URL) == "paywall"
    assert wall(f"{LONG}\n\n{text}", URL) is None, "a whole article with an advertisement below"


def test_a_long_text_that_breaks_off_for_subscribers():
    end = "To continue reading, choose a plan. Already a subscriber? Sign in."
    assert wall(f"{LONG}\n\n{end}", URL) == "paywall"
    assert wall(f"{end}\n\n{LONG}", URL) is None


@pytest.mark.parametrize(
    "text",
    [
        f"{NEWS} A court told a shop not to use cookies before it has asked. {NEWS} The notice read: accept cookies.",
        f"The paper lost subscribers. {NEWS} Its paywall went up in May, and many members left.",
        NEWS,
        "",
    ],
)
def test_articles_are_no_walls(text):
    assert wall(text, URL) is None


def test_what_the_publisher_says_is_not_free_and_hosts_for_consent():
    assert wall(LONG, URL, free=False) == "paywall"
    assert wall(LONG, "https://consent.paper.example/?to=story") == "consent_wall"


def test_phrases_are_in_the_form_in_which_they_are_looked_for():
    assert [phrase for phrase in CONSENT + PAYWALL if phrase != phrase.lower() or len(phrase) <= 6] == []


def test_a_text_at_five_addresses_of_one_host_is_boilerplate():
    pages = [(n, f"https://a.example/{n}", "same") for n in range(5)]
    assert repeated(pages) == set(range(5))
    assert repeated([*pages, (9, "https://a.example/9", "other")]) == set(range(5))
    assert repeated(pages[:4]) == set()
    assert repeated([*pages[:4], (5, "https://b.example/5", "same")]) == set()
    assert repeated([*pages[:4], (5, "https://a.example/0", "same")]) == set(), "five pages, but four addresses"


@pytest.mark.parametrize("spelt", ["&#11;", "&#12;", "\x0b", "&#28;"])
def test_characters_that_steer_a_printer_cost_no_page(spelt):
    text = "The harbour bridge opens on Monday, said the mayor. " * 30
    body = f"<html><body><article><p>{text}the{spelt} quay.</p></article></body></html>"
    assert read_page(body.encode(), "text/html", "https://news.example/a")["text"].endswith("the quay.")


STORY = "https://paper.example/a/story"
DATE, OTHER = "2026-09-22T10:00:00Z", "2020-01-01T00:00:00Z"


def found(head="", body="<p>text</p>", **ld):
    script = f'<script type="application/ld+json">{json.dumps(ld)}</script>' if ld else ""
    return facts(html.document_fromstring(f"<html><head>{head}{script}</head><body>{body}</body></html>"), STORY)


def script(text):
    return f'<script type="application/ld+json">{text}</script>'


ARTICLE = {"@type": "NewsArticle", "datePublished": DATE}


@pytest.mark.parametrize(
    "value",
    [
        ARTICLE,
        [ARTICLE],
        {"@graph": [{"@type": "WebSite"}, {"@type": ["Thing", "ReportageNewsArticle"], "datePublished": DATE}]},
        {"@type": "WebPage", "mainEntity": ARTICLE},
        {"@type": "WebPage", "datePublished": OTHER, "mainEntity": [ARTICLE]},
        [{"@type": "ItemList", "itemListElement": [{"@type": "NewsArticle", "datePublished": OTHER}]}, ARTICLE],
        ARTICLE | {"comment": [{"@type": "Comment", "datePublished": OTHER}], "isPartOf": {"datePublished": OTHER}},
        {"@type": "WebPage", "datePublished": DATE},
        [ARTICLE, ARTICLE],
    ],
)
def test_the_date_of_the_article_in_json_ld(value):
    assert found(script(json.dumps(value)))["dates"]["json_ld"] == [DATE]


@pytest.mark.parametrize(
    "text",
    ["", "{", "[" * 100_000, "null", "7", '{"@type": 3, "datePublished": 3}', '{"@graph": {"@graph": {}}}', "\0"],
)
def test_broken_json_ld_says_nothing(text):
    assert found(script(text))["dates"]["json_ld"] == []


@pytest.mark.parametrize("kind", ["Comment", "Review", "Event", None])
def test_dates_of_other_things_in_json_ld_are_no_dates(kind):
    assert found(**{"@type": kind, "datePublished": DATE})["dates"]["json_ld"] == []


def test_json_ld_in_a_comment_and_with_line_breaks_in_strings():
    text = '<!--{"@type": "Article", "headline": "Two\nlines &amp; more"}-->'
    assert found(script(text))["title"] == "Two lines & more"


@pytest.mark.parametrize(
    "tag",
    [
        '<meta property="article:published_time" content="{}">',
        '<meta name="DC.date.issued" content="{}">',
        '<meta name="dc.date" content="{}">',
        '<meta itemprop="datePublished" content="{}">',
        '<meta name="parsely-pub-date" content=" {} ">',
        '<time itemprop="datePublished" datetime="{}">yesterday</time>',
        '<time itemprop="datePublished">{}</time>',
        '<time pubdate datetime="{}">yesterday</time>',
    ],
)
def test_dates_in_tags(tag):
    assert found(body=f"<p>text</p>{tag.format(DATE)}")["dates"] == {"json_ld": [], "meta": [DATE]}


def test_the_best_tag_comes_first_and_times_of_other_things_count_for_nothing():
    tags = '<meta name="pubdate" content="{0}"><meta property="article:published_time" content="{1}">'
    assert found(tags.format(OTHER, DATE))["dates"]["meta"] == [DATE, OTHER]
    tags = '<meta property="article:modified_time" content="{0}"><time datetime="{0}"></time>'
    assert found(tags.format(DATE))["dates"]["meta"] == []


@pytest.mark.parametrize("value", [False, "False", "false", "http://schema.org/False"])
def test_an_article_that_is_not_free(value):
    assert found(**ARTICLE, isAccessibleForFree=value)["free"] is False
    assert found(**{"@type": "Product"}, isAccessibleForFree=value)["free"] is True


@pytest.mark.parametrize("value", [True, "True", None, "", []])
def test_all_others_are_free(value):
    assert found(**ARTICLE, isAccessibleForFree=value)["free"] is True


def test_title_and_site():
    site = '<meta property="og:site_name" content="The Paper">'
    title = "<title>Bridge opens | The Paper</title>"
    assert found()["title"] is None and found()["site_name"] is None
    assert found(site + title)["title"] == "Bridge opens"
    assert found(site + title, "<h1>The bridge <b>opens</b></h1>")["title"] == "The bridge opens"
    assert found(title, "<h1>One</h1><h1>Two</h1>")["title"] == "Bridge opens | The Paper"
    og = '<meta property="og:title" content="Opened &amp;amp; closed - The Paper">'
    assert found(site + og, "<h1>The bridge</h1>")["title"] == "Opened & closed"
    assert found(og, **ARTICLE, headline="Ours", publisher={"name": "Post"})["title"] == "Ours"
    assert found(**ARTICLE, publisher={"name": " The  Post "})["site_name"] == "The Post"


@pytest.mark.parametrize(
    ("tag", "expected"),
    [
        ('<link rel="canonical" href="/b">', "https://paper.example/b"),
        ('<link rel="canonical" href="https://other.example/c?d=e">', "https://other.example/c?d=e"),
        ('<link rel="shortlink canonical" href="//paper.example/d">', "https://paper.example/d"),
        ('<meta property="og:url" content="https://paper.example/e">', "https://paper.example/e"),
        ('<link rel="canonical" href="javascript:alert(1)">', None),
        ('<link rel="canonical" href="https://[">', None),
        ('<link rel="canonical" href="https://a.example/a b">', None),
        ('<link rel="canonical" href="">', None),
        ("", None),
    ],
)
def test_the_canonical_address(tag, expected):
    assert found(tag)["canonical_url"] == expected
