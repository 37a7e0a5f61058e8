"""Charsets: what is declared if it fits, else what the bytes look like, and never an exception."""

import codecs

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ragassay.news.extraction.page import decode

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
