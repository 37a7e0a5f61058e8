"""Answers of a crawl on disk: kept at once, found by the next process, and nothing believed that is not whole."""

import datetime
import random
import resource
import signal

import pytest

from ragassay.calls.ledger.journal import LedgerError
from ragassay.news.fetching.archive import Answers, body_of, packed_body
from ragassay.news.fetching.fetcher import Fetched

NOW = datetime.datetime(2026, 10, 31, 12, tzinfo=datetime.UTC)
URL = "http://a.example/1"


def fetched(url=URL, body=b"<p>The harbour is open.</p>", outcome="ok", status=200, etag='"1"', **other):
    headers = {"etag": etag} if etag else {}
    own = {"final_url": url, "status": status, "headers": headers, "body": body, "fetched_at": NOW, "outcome": outcome}
    return Fetched(url, **{**own, **other})


def keep(folder, *answers):
    with Answers(folder) as kept:
        return [kept.keep(answer) for answer in answers]


def found(folder):
    with Answers(folder) as kept:
        return kept.own


def test_an_answer_is_found_by_the_next_process(tmp_path):
    body = random.Random(1).randbytes(100_000)
    written = keep(tmp_path / "a", fetched(body=body), fetched(f"{URL}0", b"", "http_404", 404))
    [answer, missing] = found(tmp_path / "a").values()
    assert [answer, missing] == written
    assert (answer.body(), answer.fetched_at, answer.headers) == (body, NOW, {"etag": '"1"'})
    assert body_of({"body": answer.packed()}) == body
    assert (missing.outcome, missing.status, missing.size) == ("http_404", 404, 0)


def test_an_answer_is_there_before_the_next_one_is_asked_for(tmp_path):
    with Answers(tmp_path / "a") as kept:
        kept.keep(fetched())
        assert found(tmp_path / "a")[URL].body()


def test_nothing_is_written_before_the_first_answer(tmp_path):
    assert found(tmp_path / "a") == {} and not (tmp_path / "a").exists()


def test_the_last_answer_counts(tmp_path):
    keep(tmp_path / "a", fetched(outcome="timeout", status=0, body=b""))
    keep(tmp_path / "a", fetched(body=b"one"), fetched(body=b"two"))
    assert found(tmp_path / "a")[URL].body() == b"two"


@pytest.mark.parametrize(
    ("outcome", "status", "passing", "usable"),
    [
        ("ok", 200, False, True),
        ("http_404", 404, False, True),
        ("http_429", 429, True, False),
        ("http_503", 503, True, False),
        ("timeout", 200, True, False),
        ("put_off", 0, True, False),
        ("robots_unavailable", 0, True, False),
        ("disallowed", 0, False, True),
        ("bomb", 200, False, True),
        ("refused_address", 0, False, False),
        ("opted_out", 0, False, False),
        ("crash", 0, False, False),
    ],
)
def test_what_may_be_otherwise_the_next_time(tmp_path, outcome, status, passing, usable):
    [answer] = keep(tmp_path / "a", fetched(outcome=outcome, status=status))
    assert (answer.passing, answer.usable) == (passing, usable)


def test_torn_lines_and_bodies_that_changed_are_not_believed(tmp_path):
    keep(tmp_path / "a", fetched(body=b"first"), fetched(f"{URL}0", b"second"))
    [journal], [blobs] = (tmp_path / "a").glob("*.jsonl"), (tmp_path / "a").glob("*.bodies")
    journal.write_bytes(journal.read_bytes()[:-5])
    assert found(tmp_path / "a").keys() == {URL}
    whole = blobs.read_bytes()
    for broken in (b"", whole[:4], bytes(len(whole)), b"\xff" + whole[1:], packed_body(b"other")):
        blobs.write_bytes(broken)
        assert found(tmp_path / "a")[URL].body() is None
    blobs.unlink()
    assert found(tmp_path / "a")[URL].body() is None


def test_other_shards_are_known_where_they_can_be_asked_for_changes(tmp_path):
    others = [f"http://a.example/{name}" for name in ("etag", "date", "neither", "failed")]
    keep(tmp_path / "old", fetched(others[0], b"old"))
    answers = fetched(others[0], b"new", etag='"2"'), fetched(others[1], headers={"last-modified": "yesterday"})
    keep(tmp_path / "late", *answers, fetched(others[2], etag=""), fetched(others[3], b"", "http_404", 404))
    keep(tmp_path / "a", fetched())
    with Answers(tmp_path / "a") as kept:
        assert kept.own.keys() == {URL}
        known = kept.known({*others, URL})
        assert known.keys() == set(others[:2]) and known[others[0]].body() == b"new"
        assert kept.known({others[1]}).keys() == {others[1]}


def test_what_is_not_modified_gets_the_body_that_was_known(tmp_path):
    keep(tmp_path / "old", fetched(headers={"etag": '"1"', "content-type": "text/html", "date": "then"}))
    with Answers(tmp_path / "new") as kept:
        known = kept.known({URL})[URL]
        answer = fetched(body=b"", outcome="not_modified", status=304, headers={"etag": '"1"', "date": "now"})
        kept.keep(answer, known)
    next((tmp_path / "old").glob("*.bodies")).unlink()  # it stands on its own feet
    copy = found(tmp_path / "new")[URL]
    assert (copy.outcome, copy.status, copy.body()) == ("ok", 200, b"<p>The harbour is open.</p>")
    assert copy.headers == {"etag": '"1"', "content-type": "text/html", "date": "now"}


def test_a_full_disk_ends_the_crawl_and_loses_nothing(tmp_path):
    before = signal.signal(signal.SIGXFSZ, signal.SIG_IGN), resource.getrlimit(resource.RLIMIT_FSIZE)
    large = random.Random(1).randbytes(10_000)
    try:
        with Answers(tmp_path / "a") as kept:
            kept.keep(fetched())
            resource.setrlimit(resource.RLIMIT_FSIZE, (9_000, before[1][1]))
            with pytest.raises(LedgerError, match="File too large; nothing more is asked; put it right and run"):
                kept.keep(fetched(f"{URL}0", large))
            resource.setrlimit(resource.RLIMIT_FSIZE, before[1])  # there is room again, and a torn body in the file
            with pytest.raises(LedgerError, match="File too large"):
                kept.keep(fetched(f"{URL}0"))
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before[1])
        signal.signal(signal.SIGXFSZ, before[0])
    keep(tmp_path / "a", fetched(f"{URL}0", large))
    whole = {url: answer.body() == large for url, answer in found(tmp_path / "a").items()}
    assert whole == {URL: False, f"{URL}0": True}


def test_two_processes_do_not_share_a_file(tmp_path):
    with Answers(tmp_path / "a") as one, Answers(tmp_path / "a") as other:
        one.keep(fetched(body=b"one"))
        other.keep(fetched(f"{URL}0", b"other"))
    assert {answer.body() for answer in found(tmp_path / "a").values()} == {b"one", b"other"}
    assert len(list((tmp_path / "a").iterdir())) == 4
