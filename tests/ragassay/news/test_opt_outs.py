"""Opt-outs: each line covers what its owner means by it, and none is skipped in silence."""

import contextlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ragassay.news.opt_outs import OptOutError, OptOuts


@pytest.mark.parametrize(
    ("line", "url"),
    [
        ("a.example", "https://a.example/news/1"),
        ("a.example", "http://www.a.example:8080/"),
        ("A.Example.", "https://deep.blog.a.example/"),
        ("*.a.example", "https://a.example/"),
        ("*.a.example", "https://blog.a.example/"),
        ("www.a.example", "https://a.example/1"),
        ("www.a.example", "https://www.a.example/1"),
        ("bücher.example", "https://xn--bcher-kva.example/"),
        ("https://a.example", "http://www.a.example/1"),
        ("https://www.a.example/blog", "http://a.example/blog"),
        ("https://a.example/blog", "https://a.example/blog/2026/1"),
        ("https://a.example/blog/", "https://a.example/blog?page=2"),
        ("a.example/blog", "https://a.example/blog/#top"),
        ("a.example/a%20b", "https://a.example/a%20b"),
        ("https://a.example/?p=7", "https://a.example/?utm_source=x&p=7"),
        ("a.example   # asked on 3 May", "https://a.example/"),
        ("10.0.0.1", "http://10.0.0.1/"),
        ("[::1]/x", "http://[::1]/x"),
    ],
)
def test_a_page_falls_under_the_line(line, url):
    assert OptOuts(["", "# a comment", line], "list.txt").listed(url) == "list.txt:3"


SPELLINGS = """https://a.example/Blog/My%20Post http://a.example/blog/my%20post https://www.a.example/blog/my%20post
https://A.EXAMPLE/blog/my%20post https://a.example./blog/my%20post https://a.example:443/blog/my%20post
https://a.example:8443/blog/my%20post https://a.example//blog/my%20post https://a.example/blog//my%20post
https://a.example/BLOG/MY%20POST https://a.example/%62log/my%20post https://a.example/blog%2Fmy%20post
https://a.example/blog%2fmy%20post https://a.example/blog%252Fmy%2520post https://a.example/blog/./my%20post
https://a.example/x/../blog/my%20post https://a.example/x/%2e%2e/blog/my%20post https://a.example/blog/my%20post/
https://a.example/blog/my%20post/print https://a.example/blog/my%20post?utm_source=x https://a.example/blog/my%20post#top
https://a.example/blog;jsessionid=1/my%20post https://a.example/blog%5Cmy%20post""".split()


@pytest.mark.parametrize("url", SPELLINGS)
def test_a_page_is_opted_out_in_each_of_its_spellings(url):
    assert len(SPELLINGS) == 23
    for line in ("https://a.example/Blog/My%20Post", "a.example/blog/my%20post/", "https://a.example/blog%2Fmy%20post"):
        assert OptOuts([line]).matches(url), line
    assert not OptOuts(["https://a.example/blog/my", "a.example/log"]).matches(url)


@pytest.mark.parametrize(
    "url",
    ["https://a.example/?P=7", "https://a.example/?p=%37", "https://a.example?x=1&p=7", "https://a.example//?p=7&p=8"],
)
def test_a_page_with_a_query_is_opted_out_in_each_of_its_spellings(url):
    assert OptOuts(["https://a.example/?p=7"]).matches(url)


@pytest.mark.parametrize(
    ("line", "url"),
    [
        ("a.example/%C3%A9t%C3%A9", "https://a.example/e\u0301te\u0301/1"),
        ("a.example/blog", "https://a.example/blog/%252e%252e/other"),
    ],
)
def test_in_doubt_the_reading_is_the_wider_one(line, url):
    assert OptOuts([line]).matches(url)


@pytest.mark.parametrize(
    ("line", "url"),
    [
        ("a.example", "https://ba.example/"),
        ("a.example", "https://a.example.org/"),
        ("a.example", "https://b.example/a.example"),
        ("www.a.example", "https://blog.a.example/"),
        ("https://a.example/", "https://blog.a.example/"),
        ("https://a.example/blog", "https://a.example/blogs"),
        ("https://a.example/blog", "https://a.example/"),
        ("https://a.example/?p=7", "https://a.example/?p=71"),
        ("https://a.example/?p=7", "https://a.example/"),
        ("# a.example", "https://a.example/"),
        ("a.example", "mailto:x@a.example"),
        ("", "https://a.example/"),
    ],
)
def test_a_page_does_not_fall_under_the_line(line, url):
    assert not OptOuts([line]).matches(url)


def test_nobody_has_opted_out_of_an_empty_list(tmp_path):
    (tmp_path / "empty.txt").touch()
    assert not OptOuts().matches("https://a.example/")
    assert not OptOuts.read(tmp_path / "empty.txt").matches("https://a.example/")


def test_a_file_is_read_with_its_comments(tmp_path):
    path = tmp_path / "opt_outs.txt"
    path.write_bytes("\ufeff# by mail\r\na.example\t# 3 May\r\n\r\nhttps://b.example/x#y\r\n".encode())
    opt_outs = OptOuts.read(path)
    assert opt_outs.listed("https://a.example/1") == f"{path}:2"
    assert opt_outs.listed("https://b.example/x/1") == f"{path}:4"
    assert not opt_outs.matches("https://b.example/z")


NOT_UNDERSTOOD = """example * *.example *.com a.*.example https://*.a.example/ https://a.example/* ftp://a.example/
me@a.example a..example https:// /blog a.example?x""".split()


@pytest.mark.parametrize("line", [*NOT_UNDERSTOOD, "a.example, b.example", "a.example b.example"])
def test_a_line_that_is_not_understood_is_an_error_with_file_and_line(tmp_path, line):
    path = tmp_path / "opt_outs.txt"
    path.write_text(f"b.example\n{line}\n")
    with pytest.raises(OptOutError, match=r"opt_outs\.txt:2: found .*expected a host such as a\.example"):
        OptOuts.read(path)


def test_a_file_that_cannot_be_read_is_an_error(tmp_path):
    with pytest.raises(OptOutError, match=r"none\.txt: found no list of opt-outs"):
        OptOuts.read(tmp_path / "none.txt")
    (tmp_path / "latin.txt").write_bytes(b"b\xfccher.example")
    with pytest.raises(OptOutError, match="not UTF-8"):
        OptOuts.read(tmp_path / "latin.txt")


@given(st.text(max_size=40))
def test_any_line_is_understood_or_an_error(line):
    with contextlib.suppress(OptOutError):
        OptOuts([line]).matches("https://a.example/")
