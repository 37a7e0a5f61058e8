"""Documents from records: the cut, ids that come from the content alone, and what is rejected for which reason."""

import datetime
import hashlib
import time
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from growth import is_proportional
from ragassay.base.errors import Unusable
from ragassay.documents.documents import article, clean, count_words, cut, document
from ragassay.text.sentences import sentences, spans

UTC = datetime.UTC
TEXT = "One two three. Four five six. Seven eight nine."


def made(text=TEXT, min_words=1, cut_after_words=300, **fields):
    return document(article({"text": text} | fields, "january"), "cluster-1", min_words, cut_after_words)


def refusal(*arguments, **fields):
    with pytest.raises(Unusable) as caught:
        made(*arguments, **fields)
    return caught.value


def test_a_full_record_becomes_a_row():
    fields = {"id": " 7 ", "topic": "news", "title": "A\n\ttitle ", "url": "https://News.Example:8080/a?b#c"}
    digest = hashlib.sha256(TEXT.encode()).hexdigest()
    assert made(date="2026-10-03", **fields) == {
        "doc_id": f"doc-{digest[:16]}",
        "article_id": article({"text": TEXT, **fields}, "january")["article_id"],
        "cluster_id": "cluster-1",
        "shard": "january",
        "source_id": "7",
        "topic": "news",
        "url": "https://News.Example:8080/a?b#c",
        "site": "news.example",
        "title": "A title",
        "published_at": datetime.datetime(2026, 10, 3, tzinfo=UTC),
        "text": TEXT,
        "n_words": 9,
        "content_hash": digest,
    }


@pytest.mark.parametrize("fields", [{}, dict.fromkeys(["id", "topic", "url", "title", "date"], " ")])
def test_what_is_missing_or_blank_stays_empty(fields):
    row = made(**fields)
    assert {row[name] for name in ("source_id", "topic", "url", "site", "title", "published_at")} == {None}


@pytest.mark.parametrize(("value", "shown"), [(7, "7"), (2.5, "2.5"), (datetime.date(2026, 1, 2), "2026-01-02")])
def test_numbers_and_dates_are_taken_as_the_text_they_show(value, shown):
    row = made(id=value, title=value, topic=value)
    assert (row["source_id"], row["title"], row["topic"]) == (shown, shown, shown)


@pytest.mark.parametrize(
    ("words", "kept"),
    [
        (1, "One two three."),
        (2, "One two three."),
        (3, "One two three. Four five six."),
        (5, "One two three. Four five six."),
        (6, TEXT),
        (300, TEXT),
    ],
)
def test_the_cut_keeps_whole_sentences_until_more_than_that_many_words(words, kept):
    assert cut(TEXT, words) == kept
    assert made(cut_after_words=max(words, 2))["text"] == (kept if words > 1 else cut(TEXT, 2))


PIECES = st.sampled_from(["one ", "Two ", "three. ", "Four! ", "5 ", "。", "字", "」", "\n", "\n\n", ".", '"', " "])


@given(st.lists(PIECES, max_size=60).map("".join).map(clean), st.integers(1, 12))
def test_the_cut_is_the_shortest_run_of_sentences_with_more_words_or_all(text, words):
    kept = cut(text, words)
    ends = [end for _, end in spans(text)]
    enough = [end for end in ends if count_words(text[:end]) > words]
    assert kept == text[: min(enough, default=len(text))]
    assert sentences(kept) == sentences(text)[: len(sentences(kept))]


@pytest.mark.parametrize(
    ("arguments", "reason", "says"),
    [
        ({"text": ""}, "empty_text", "found no text"),
        ({"text": " \n\t\x00\ufeff"}, "empty_text", "found no text"),
        ({"text": 7}, "bad_text", "found int in 'text', expected text"),
        ({"text": b"bytes"}, "bad_text", "found bytes in 'text'"),
        ({"text": ["a"]}, "bad_text", "found list in 'text'"),
        ({"text": "half \ud83d here"}, "encoding", r"'\ud83d'"),
        ({"title": "\udc80"}, "encoding", r"'\udc80'"),
        ({"min_words": 10}, "too_short", "found 9 words, expected at least 10"),
        (
            {"text": "word " * 21, "cut_after_words": 10},
            "no_sentence_end",
            "runs to word 21, expected one to end near 10",
        ),
        ({"title": ["a", "b"]}, "bad_value", "found ['a', 'b'] in 'title', expected a line of text"),
        ({"topic": {"a": 1}}, "bad_value", "in 'topic'"),
        ({"id": b"7"}, "bad_value", "in 'id'"),
        ({"url": ["https://a.example"]}, "bad_value", "in 'url'"),
    ],
)
def test_a_record_that_cannot_be_a_document_is_refused_with_its_reason(arguments, reason, says):
    why = refusal(**arguments)
    assert why.reason == reason
    assert says in str(why)


def test_a_value_that_holds_itself_many_times_is_not_written_out_whole():
    """As aliases can make it: a few lines stand for millions of values."""

    class Leaf:
        written = 0

        def __repr__(self):
            Leaf.written += 1
            return "leaf"

    value = Leaf()
    for _ in range(5):
        value = [value] * 9
    assert len(refusal(title=value).detail) < 120
    assert Leaf.written < 1000


def test_the_least_number_of_words_is_that_of_the_whole_text():
    assert made(min_words=9, cut_after_words=3)["n_words"] == 6


@pytest.mark.parametrize(("words", "usable"), [(20, True), (21, False)])
def test_a_sentence_may_run_to_twice_the_length_of_the_cut(words, usable):
    if usable:
        assert made("word " * words, cut_after_words=10)["n_words"] == words
    else:
        refusal("word " * words, cut_after_words=10)


def test_the_id_depends_on_the_text_before_the_cut_and_on_nothing_else():
    one, other = made(), made(cut_after_words=4, id="x", title="T", url="http://a.example")
    assert (one["doc_id"], one["content_hash"]) == (other["doc_id"], other["content_hash"])
    assert made(f"{TEXT} Ten.", cut_after_words=2)["doc_id"] != made(cut_after_words=2)["doc_id"]


@pytest.mark.parametrize(
    "text",
    [
        "Café Ågren.\nNext.",
        "Cafe\u0301 A\u030agren.\nNext.",
        "\ufeffCafé Ågren.\r\nNext.",
        "Café Ågren.\rNext.\r",
        "  Café Ågren. \t \nNext.\n\n\n",
        "Ca\x00fé Å\x07gren.\x0bNext.",
        "Cafe\x00\u0301 A\u200d\u030agren.\x0cNext.".replace("\u200d", ""),
        "Café Ågren.\u2028Next.",
        "Café Ågren.\x85Next.",
    ],
)
def test_the_same_text_in_other_bytes_is_the_same_document(text):
    assert made(text)["text"] == "Café Ågren.\nNext."
    assert made(text)["doc_id"] == made("Café Ågren.\nNext.")["doc_id"]


@given(st.text(), st.sampled_from(["\r\n", "\r", "\n", " \n", "\x00\n", "\x0b", "\x0c", "\x85", "\u2028", "\u2029"]))
def test_line_ends_never_change_the_clean_text(text, line_end):
    text = clean(text)
    assert clean(text.replace("\n", line_end)) == text


@given(st.text() | st.text(st.sampled_from("e\u0301\u0323\x00\ufeff\u0085 \t\n\r\u2028a")))
def test_clean_text_is_nfc_without_control_characters_and_stays_as_it_is(text):
    cleaned = clean(text)
    assert unicodedata.is_normalized("NFC", cleaned)
    assert clean("\x07" + text) == cleaned  # a line without control characters takes a shorter way
    assert {letter for letter in cleaned if unicodedata.category(letter) == "Cc"} <= {"\n", "\t"}
    assert "\n\n\n" not in cleaned
    assert all(line == line.rstrip() for line in cleaned.split("\n"))
    assert clean(cleaned) == cleaned


@given(st.lists(st.text("aé表.", min_size=1)), st.sampled_from([" ", "\n", "\r\n", "\t", "\x0c", "\x85", "\u2028"]))
def test_cleaning_neither_joins_nor_splits_words(words, space):
    assert clean(space.join(words)).split() == words


@pytest.mark.parametrize("piece", [" ", "\t", "\n", " \n", "\x00", "\r", "e\u0301", "\u00a0"])
def test_cleaning_takes_time_in_proportion_to_the_text(piece):
    assert is_proportional(lambda size: clean("a" + piece * size + "b"), 10_000)


def test_the_cut_of_a_long_text_takes_time_in_proportion_to_it():
    text = "It rained on Mr. Hale at 2.30 p.m. in Tolven, again. "
    assert count_words(cut(text * 18_200, 190_000)) == 190_003
    assert is_proportional(lambda size: cut(text * size, 10 * size), 500)


SEVEN = datetime.datetime(2026, 9, 26, 7, 45, tzinfo=UTC)
MIDNIGHT = datetime.datetime(2026, 9, 26, tzinfo=UTC)


MIDNIGHTS = ["2026-09-26", "20260926", 20260926, "2026-W39-6", datetime.date(2026, 9, 26)]
SEVENS = ["2026-09-26T07:45:00Z", " 2026-09-26T07:45\n", "2026-09-26 07:45:00", "20260926T074500Z"]
SEVENS += ["2026-09-26T07:45:00.999999", "2026-09-26T09:45:00+02:00", "2026-09-26T02:15:00-0530", "2026-09-25T23:45-08"]
SEVENS += [SEVEN.replace(tzinfo=None), SEVEN.replace(microsecond=5)]
SEVENS += [SEVEN.astimezone(datetime.timezone(datetime.timedelta(hours=14)))]


@pytest.mark.parametrize(
    ("date", "moment"), [*((date, MIDNIGHT) for date in MIDNIGHTS), *((date, SEVEN) for date in SEVENS)]
)
def test_a_date_is_a_moment_in_utc(date, moment):
    found = made(date=date)["published_at"]
    assert found == moment
    assert found.tzinfo is UTC


def test_a_time_without_zone_counts_as_utc_wherever_the_machine_stands(monkeypatch):
    monkeypatch.setenv("TZ", "JST-9")
    time.tzset()
    try:
        assert made(date="2026-09-26T07:45")["published_at"] == SEVEN
    finally:
        monkeypatch.undo()
        time.tzset()


@pytest.mark.parametrize(
    "date",
    ["yesterday", "2026", "2026-09", "2026-13-01", "2026-02-30", "26.09.2026", "09/26/2026", "2026-9-6", "2026-09-26T",
     "2026-09-26T25:00", "2026-09-26T07:45+25:00", "2026-09-26x07:45", "２０２６-09-26", "2026-09-26\x00T\ud800",
     "0001-01-01T00:00+14:00", "0001-06-01", "0999-12-31", "2200-01-01",
     "9999-12-31T23:59-01:00", 1710101012345, 17101010101, 1710101010.5, 0, True, ["a"],
     "Sat, 26 Sep 2026 07:45:00 GMT", "2026-09-26" * 100, datetime.time(7, 45), b"2026-09-26"],
)  # fmt: skip
def test_what_is_no_date_is_refused_not_guessed(date):
    why = refusal(date=date)
    assert why.reason == "bad_date"
    assert "expected ISO 8601" in str(why)
    assert len(str(why)) < 400
    str(why).encode()


@pytest.mark.parametrize(
    ("url", "site"),
    [
        ("http://a.example", "a.example"),
        ("HTTPS://A.Example/Path?q=1&r=%20", "a.example"),
        ("https://me@a.example/", "a.example"),
        ("http://127.0.0.1:8000/x", "127.0.0.1"),
        ("http://[::1]/x", "::1"),
        ("https://bücher.example/ü", "bücher.example"),
        (" https://a.example/x \n", "a.example"),
    ],
)
def test_a_url_of_the_web_is_taken_with_its_site(url, site):
    row = made(url=url)
    assert (row["url"], row["site"]) == (url.strip(), site)


@pytest.mark.parametrize(
    "url",
    ["javascript:alert(1)", "JavaScript://a.example/%0aalert(1)", "java\tscript:alert(1)", "data:text/html,x",
     "vbscript:x", "file:///etc/passwd", "ftp://a.example", "mailto:a@a.example", "blob:https://a.example/1",
     "a.example", "//a.example/x", "/x", "http:", "http://", "http:///x", "http://:80/", "http:/a.example",
     "https://a.example/a b", "https://a.ex\nample/", 'https://a.example/"onclick=x', "https://a.example/<script>",
     "https://a.example\\@b.example/", "http://[::1", "http://[a]/", "https://a.example@", "7", "x" * 5000],
)  # fmt: skip
def test_any_other_url_is_refused(url):
    why = refusal(url=url)
    assert why.reason == "bad_url"
    assert len(str(why)) < 300


ANYTHING = (
    st.none() | st.booleans() | st.integers() | st.floats() | st.text() | st.binary() | st.datetimes() | st.dates()
)
ANYTHING |= (
    st.text(st.characters()) | st.lists(st.text(), max_size=2) | st.dictionaries(st.text(), st.text(), max_size=2)
)


@given(st.dictionaries(st.sampled_from(["id", "title", "url", "date", "topic", "text"]), ANYTHING))
def test_whatever_a_record_holds_it_is_a_document_or_refused(fields):
    try:
        row = document(article(fields, "x"), "cluster-1", 1, 5)
    except Unusable as why:
        assert why.reason.isidentifier()
        str(why).encode()
    else:
        assert row["text"] == clean(row["text"])
        assert 1 <= row["n_words"] <= 10
