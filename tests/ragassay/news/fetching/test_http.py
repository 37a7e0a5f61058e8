"""Bodies, decoded in pieces and counted."""

import gzip
import random
import zlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ragassay.news.fetching.addresses import Failed, FetchLimits
from ragassay.news.fetching.http import PIECE, BodyDecoder

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
