"""What is refused before a parser of feeds sees it, in whatever encoding it hides; and what is not."""

import codecs

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ragassay.base.errors import AssayError
from ragassay.news.feeds import feed, safe_xml
from ragassay.news.feeds.safe_xml import (
    DEEPEST,
    LARGEST,
    LONGEST_TAG,
    MOST,
    MOST_NAMESPACES,
    MOST_REFERENCES,
    UnsafeXml,
    checked,
    decoded,
)

LAUGHS = "".join(f'<!ENTITY l{n} "{f"&l{n - 1};" * 10}">' for n in range(1, 12))
BOMB = f'<!DOCTYPE rss [<!ENTITY l0 "ha">{LAUGHS}]><rss>&l11;</rss>'


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-16-le", "utf-16-be", "utf-32"])
@pytest.mark.parametrize("before", ["", "\n", "<?xml version='1.0'?>", "<!-- <x -->", "<?a b?><!-- c -->"])
def test_declared_entities_are_refused(encoding, before):
    if encoding.endswith("e") and before == "\n":
        before = ""  # without a mark an encoding shows in the first sign only
    with pytest.raises(UnsafeXml, match="a document type of its own"):
        checked((before + BOMB).encode(encoding))


@pytest.mark.parametrize(
    ("document", "found"),
    [
        ('<!DOCTYPE r [<!ENTITY x SYSTEM "file:///etc/passwd">]><r>&x;</r>', "document type"),
        ('<!DOCTYPE r [<!ENTITY % x SYSTEM "http://a.example/x">%x;]><r/>', "document type"),
        ("<!DOCTYPE r [<!ATTLIST r a CDATA 'b'>]><r/>", "document type"),
        ("<r><b></r> <!entity x 'y'>", "entity"),
        ("<!-- <!ENTITY a 'b'> --><r/>", "entity"),
        ('<!DOCTYPE rss><!--\n<!ENTITY a "bb">\n--><rss>x</rss>', "entity"),
        ("<r>" + "<a>" * DEEPEST + "</a>" * DEEPEST + "</r>", "elements inside one another"),
        ("<r>" + "<a/>" * MOST + "</r>", "elements"),
        ("<r>" + "<" * MOST, "marks of elements"),
        ("<r><br>" + "<a xml:base='b/'>" * (DEEPEST + 1), "elements inside one another"),
        ("<r></s>" + "<a xml:base='b/'>" * (DEEPEST + 1), "bases of addresses"),
        ("<r>" + "&#65;" * (MOST_REFERENCES + 1) + "</r>", "references"),
        ("<r " + " ".join(f"a{n}='b'" for n in range(MOST + 1)) + "/>", "attributes"),
        ("<r>" + "".join(f"<a xmlns:b{n}='c'/>" for n in range(MOST_NAMESPACES + 1)) + "</r>", "namespaces"),
        ("<r><br>" + "".join(f"<a xmlns:b='{n}'/>" for n in range(MOST_NAMESPACES + 1)) + "</r>", "namespaces"),
        ("<r><a " + "b=c " * LONGEST_TAG + ">", "mark of more than"),
        ("a" * (LARGEST + 1), "bytes"),
    ],
)
def test_each_danger_has_its_reason(document, found):
    with pytest.raises(UnsafeXml, match=f"found .*{found}"):
        checked(document.encode())


@pytest.mark.parametrize(
    "document",
    [
        "<r>" + "<a>" * (DEEPEST - 1) + "</a>" * (DEEPEST - 1) + "</r>",
        '<!DOCTYPE rss PUBLIC "-//Netscape//DTD RSS 0.91//EN" "http://a.example/rss-0.91.dtd"><rss/>',
        "<r><![CDATA[<!DOCTYPE html [<!ENTITY a 'b'>]>]]></r>",
        "<r><br>not closed</r>",
        "<r>" + "<a xmlns:b='c'/>" * 1_000 + "</r>",
        "plain text",
        "",
    ],
)
def test_harmless_documents_pass_with_mistakes_and_all(document):
    assert checked(document.encode()).endswith(document.encode())


@pytest.mark.parametrize(
    ("content", "content_type", "text"),
    [
        ("<r>é</r>".encode(), "", "é"),
        ("<?xml version='1.0' encoding='iso-8859-1'?><r>é</r>".encode(), "", "é"),  # mislabelled, plainly UTF-8
        ("<?xml version='1.0' encoding='iso-8859-2'?><r>ő</r>".encode("iso-8859-2"), "", "ő"),
        ("<r>ж</r>".encode("koi8-r"), "text/xml; charset=KOI8-R", "ж"),
        ("<r>“é”</r>".encode("windows-1252"), "", "“é”"),
        ("<?xml version='1.0' encoding='iso-2022-jp'?><r>港</r>".encode("iso-2022-jp"), "", "港"),
        ("<?xml version='1.0' encoding='no-such'?><r>é</r>".encode("windows-1252"), "", "é"),
        (b"<?xml version='1.0' encoding='rot13'?><r>e</r>", "", "e"),
        ("<?xml version='1.0' encoding='utf-16'?><r>é</r>".encode("utf-16"), "", "é"),
        (codecs.BOM_UTF8 + "<r>é</r>".encode(), "text/xml; charset=latin-1", "é"),
        ("<r>é</r>".encode("utf-16-be"), "", "é"),
    ],
)
def test_the_text_is_found_whatever_it_says_of_itself(content, content_type, text):
    document = checked(content, content_type)
    assert f"<r>{text}</r>" in document.decode() and document.startswith(b'<?xml version="1.0" encoding="utf-8"?><')
    assert document.count(b"<?xml") == 1


@pytest.mark.parametrize("name", ["undefined", "idna", "punycode", "raw-unicode-escape", "utf-7", "rot13", "hex"])
def test_what_is_no_charset_of_the_web_is_passed_over(name):
    content = f"<?xml version='1.0' encoding='{name}'?><r>é</r>".encode("windows-1252")
    assert "<r>é</r>" in decoded(content)
    assert decoded(content[-8:], f"text/xml; charset={name}") == "<r>é</r>"


def test_what_the_web_calls_latin_1_holds_quotation_marks():
    content = "<?xml version='1.0' encoding='iso-8859-1'?><r>“é”</r>".encode("windows-1252")
    assert "<r>“é”</r>" in decoded(content)


@given(st.binary(max_size=200), st.text(max_size=30))
def test_any_bytes_are_decoded(content, content_type):
    assert isinstance(decoded(content, content_type), str)
    assert isinstance(checked(b"x" + content.replace(b"<", b""), content_type), bytes)


def test_a_parser_that_lets_entities_through_stops_the_process(monkeypatch):
    monkeypatch.setattr(safe_xml, "_look_through", lambda document: None)
    safe_xml.self_test.cache_clear()
    with pytest.raises(AssayError, match="declared entities"):
        feed.loaded()
