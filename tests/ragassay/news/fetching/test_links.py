"""The form of an address: one for each page, and none for what is no page."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ragassay.news.fetching.links import NotALink, is_host, link


@pytest.mark.parametrize(
    ("found", "kept"),
    [
        ("http://a.example", "http://a.example/"),
        (" HTTP://WWW.A.Example:80/B/ ", "http://www.a.example/B/"),
        ("https://a.example.:443/b#part", "https://a.example/b"),
        ("https://a.example:8443/b", "https://a.example:8443/b"),
        ("http://a.example/b?utm_source=x&id=7&UTM_Medium=rss&q=1+2", "http://a.example/b?id=7&q=1+2"),
        ("http://a.example/b?utm_source=x", "http://a.example/b"),
        ("http://a.example/b?z=1&a=2", "http://a.example/b?z=1&a=2"),
        ("http://bücher.example/ä ö", "http://xn--bcher-kva.example/%C3%A4%20%C3%B6"),
        ("http://a.example/x/../b", "http://a.example/b"),
        ("http://[::1]:8080/b", "http://[::1]:8080/b"),
        ("http://127.0.0.1/b", "http://127.0.0.1/b"),
    ],
)
def test_an_address_has_one_form(found, kept):
    assert link(found) == kept == link(kept)


@pytest.mark.parametrize(
    ("relative", "absolute"),
    [
        ("/b", "https://a.example/b"),
        ("b?c=1", "https://a.example/feeds/b?c=1"),
        ("../b", "https://a.example/b"),
        ("//c.example/b", "https://c.example/b"),
        ("http://c.example/b", "http://c.example/b"),
    ],
)
def test_a_relative_address_belongs_to_its_feed(relative, absolute):
    assert link(relative, "https://a.example/feeds/all.xml") == absolute


NO_PAGES = """news file:///etc/passwd ftp://a.example/b javascript:alert(1) data:text/html,x feed:http://a.example/ http://
http:///b http://user:secret@a.example/ http://a.example:99999/ http://a..b/ http://-a.example/ http://1.2.3/
http://a.example\\@b.example/ http://[::1/ http://[]@ //[]@ http://[a:b]/""".split()
LONG = ["http://" + "a" * 64 + ".example/", "http://a.example/" + "b" * 2_000]


@pytest.mark.parametrize("found", [*NO_PAGES, *LONG, "http://a b/", ""])
def test_what_is_no_page_on_the_web_is_refused(found):
    with pytest.raises(NotALink, match=r"found .*"):
        link(found)


@pytest.mark.parametrize("found", ["http://[]@", "//[]@", "http://[a:b]/", "//[a:b]/b", "http://a.example:port/"])
def test_what_is_no_address_is_none_in_a_feed_either(found):
    with pytest.raises(NotALink, match=r"found .*, (which is no address|expected a host)"):
        link(found, "https://a.example/feeds/all.xml")


@given(st.text(max_size=60), st.sampled_from([None, "http://a.example/b"]))
def test_any_text_has_a_form_that_stays_or_is_refused(text, base):
    for found in (text, "http://" + text, "https://a.example/" + text):
        try:
            kept = link(found, base)
        except NotALink:
            continue
        assert link(kept) == kept and kept.isascii() and kept.startswith(("http://", "https://")) and " " not in kept


def test_a_host_is_an_address_or_labels():
    assert all(map(is_host, ["localhost", "a.example", "::1", "10.0.0.1", "xn--bcher-kva.example", "a_b.example"]))
    assert not any(map(is_host, ["", ".", "a.", "A.example", "a b", "*.a.example", "300.1.1.1", "a/b"]))
