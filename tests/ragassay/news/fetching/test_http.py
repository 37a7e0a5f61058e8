"""Links and what is sent for them."""

import gzip
import random
import zlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ragassay.news.fetching.addresses import Failed, FetchLimits
from ragassay.news.fetching.http import PIECE, BodyDecoder
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


NOISE = random.Random(0).randbytes(5000)


def raw(data):
    squeeze = zlib.compressobj(9, zlib.DEFLATED, -15)
    return squeeze.compress(data) + squeeze.flush()


PACKED = {"": bytes, "identity": bytes, "gzip": gzip.compress, "X-GZIP": gzip.compress, "deflate": zlib.compress}


def decoded(codings, data, step=None, cap=10**6, **limits):
    decoder = BodyDecoder(codings, FetchLimits(**limits), cap)
    for start in range(0, len(data), step or len(data) or 1):
        decoder.feed(data[start : start + (step or len(data))])
        assert len(decoder.body) <= cap
    decoder.end()
    return bytes(decoder.body)


@pytest.mark.parametrize("step", [1, 2, 7, 1000, None])
@pytest.mark.parametrize("codings", PACKED)
@pytest.mark.parametrize("data", [b"", b"x", NOISE, b"long " * 50_000], ids=["empty", "x", "noise", "long"])
def test_every_coding_in_any_pieces(codings, data, step):
    assert decoded(codings, PACKED[codings](data), step, ratio=2000) == data


@pytest.mark.parametrize("step", [1, None])
def test_deflate_without_its_header(step):
    assert decoded("deflate", raw(NOISE), step) == NOISE


@given(st.lists(st.binary(max_size=200), max_size=5), st.integers(1, 50), st.sampled_from([b"", bytes(9), b"garbage"]))
def test_members_follow_each_other_and_what_is_behind_them_is_left(parts, step, behind):
    packed = b"".join(map(gzip.compress, parts))
    assert decoded("gzip", packed + (behind if parts else b""), step) == b"".join(parts)


@given(st.binary(max_size=300), st.sampled_from(["gzip", "deflate"]), st.integers(1, 300))
def test_whatever_comes_it_is_decoded_or_refused(data, codings, step):
    try:
        decoded(codings, data, step, cap=100_000)
    except Failed as failed:
        assert failed.outcome in ("bad_encoding", "bomb", "too_large")


@pytest.mark.parametrize("codings", ["br", "zstd", "gzip, gzip", "gzip, br", "identity, compress", "x" * 300])
def test_codings_that_nobody_asked_for(codings):
    with pytest.raises(Failed, match="unknown_coding"):
        BodyDecoder(codings, FetchLimits(), 10**6)


@pytest.mark.parametrize(
    "data", [gzip.compress(NOISE, mtime=0)[:-1], gzip.compress(NOISE, mtime=0)[:9], b"\x1f", b"<p>plain</p>"]
)
def test_broken_gzip(data):
    with pytest.raises(Failed, match="bad_encoding"):
        decoded("gzip", data)


def test_too_many_members():
    with pytest.raises(Failed, match="bad_encoding"):
        decoded("gzip", gzip.compress(b"") * 1001)


@pytest.mark.parametrize("step", [10, 1000, None])
@pytest.mark.parametrize("pack", [gzip.compress, zlib.compress, raw])
def test_a_bomb_is_no_more_than_a_piece(pack, step):
    decoder = BodyDecoder("gzip" if pack is gzip.compress else "deflate", FetchLimits(), 10**7)
    packed = pack(bytes(50_000_000))
    with pytest.raises(Failed, match="bomb"):
        for start in range(0, len(packed), step or len(packed)):
            decoder.feed(packed[start : start + (step or len(packed))])
    assert len(decoder.body) <= FetchLimits().ratio_from + PIECE


def test_a_short_page_of_blanks_is_no_bomb():
    assert decoded("gzip", gzip.compress(bytes(200_000))) == bytes(200_000)


def test_too_large_by_a_piece_at_most():
    decoder = BodyDecoder("gzip", FetchLimits(ratio=10**4), 10**6)
    with pytest.raises(Failed, match="too_large"):
        decoder.feed(gzip.compress(bytes(50_000_000)))
    assert len(decoder.body) <= 10**6 + PIECE


def test_much_that_yields_nothing_is_too_large():
    with pytest.raises(Failed, match="too_large"):
        decoded("deflate", b"\x00\x00\x00\xff\xff" * 300_000)
