"""Crawling a shard: the demo site and small newspapers on this machine, also by jobs that are killed."""

from collections import Counter

import pytest

from corpora.papers import Papers
from demo import site_server
from news import TOPICS, Shard, asked_until, feed, start, timeless, urls
from project import ROOT
from ragassay.base.errors import AssayError
from ragassay.news.fetching.archive import Answers, body_of

ARTICLES = ROOT / "resources/demo/articles"
AUTUMN = {"first_day": "2026-09-01", "last_day": "2026-10-31"}


@pytest.fixture
def sites(monkeypatch):
    """The local sites that stages start, so that it can be seen what was asked of them."""
    found = []

    class Noted(site_server.LocalSite):
        def __enter__(self):
            found.append(self)
            return super().__enter__()

    monkeypatch.setattr(site_server, "LocalSite", Noted)
    return found


@pytest.fixture(scope="module")
def papers():
    with Papers(hosts=4, pages=5, seconds=0.01) as served:
        yield served


@pytest.fixture
def shard(papers, tmp_path):
    """A function that makes shards of these papers, which share ledger and turns."""
    papers.asked()

    def make(name="a", feeds=None, crawl=None, **row):
        crawl = {"allow_hosts": papers.hosts, **(crawl or {})}
        return Shard(tmp_path, papers.feeds if feeds is None else feeds, name, crawl, **row)

    return make


def demo(folder, name="a", feeds=None, crawl=None, **row):
    crawl = {"local_site": str(ARTICLES), **(crawl or {})}
    listed = site_server.LocalSite(ARTICLES).feeds if feeds is None else feeds
    return Shard(folder, [feed(url, topic) for topic, url in listed], name, crawl, **{**AUTUMN, **row})


def reasons(found):
    return Counter(row["reason"] for row in found["rejects"])


def everything_is_in_one_place(found):
    named = [row["url"] for row in found["candidates"]]
    placed = [row["url"] for row in found["pages"]] + [row["item"] for row in found["rejects"]]
    return len(set(named)) == len(named) and sorted(placed) == sorted(named)


def test_the_demo_site_has_all_that_can_happen_and_pages_are_stored_as_they_come(tmp_path, sites):
    found = demo(tmp_path).crawl()
    assert everything_is_in_one_place(found)
    assert len(found["pages"]) >= 60 and reasons(found) == {"disallowed": 1, "outside_window": 2}
    health = {row["feed_url"].removeprefix("http://www."): row["health"] for row in found["feed_health"]}
    assert len(found["feed_health"]) == len(sites[0].feeds)
    assert {url: state for url, state in health.items() if state != "live"} == {
        "tableandtide.example/feeds/music.xml": "dead",
        "kestriawire.example/feeds/sport.xml": "empty",
        "brackwatergazette.example/feeds/newsroom/politics.xml": "disallowed",
        "tolvenecho.example/feeds/entertainment.xml": "dead",  # it is no feed
    }
    [page] = [row for row in found["pages"] if row["url"].endswith("/story/1931")]
    path = "/2026/09/tolven-railway-reopens"
    assert (page["status"], page["final_url"]) == (200, f"http://www.tolvenecho.example{path}")
    assert body_of(page) == sites[0]._site.answers["www.tolvenecho.example", path].body
    assert '"content-type": "text/html; charset=utf-8"' in page["headers"] and '"etag"' in page["headers"]
    assert page["feed_title"] and page["feed_published"].startswith(("Tue", "Wed", "Thu", "Fri", "Sat", "Sun", "Mon"))


def test_only_entries_of_the_days_of_the_shard_are_asked_for(tmp_path, sites):
    found = demo(tmp_path, topics=["food", "tech"], first_day="2026-10-01").crawl()
    assert everything_is_in_one_place(found)
    outside = {row["item"] for row in found["rejects"] if row["reason"] == "outside_window"}
    asked = {f"http://{request.host}{request.path}" for request in sites[0].requests}
    assert any("/2026/09/" in url for url in outside) and not outside & asked
    assert {row["url"] for row in found["candidates"] if not row["in_days"]} == outside
    entries = sum(row["entries"] for row in found["feed_health"])
    assert entries >= len(found["candidates"]) - len(outside)


def test_topics_sizes_and_spares(tmp_path, sites):
    found = demo(tmp_path, topics=["food", "sport"], per_topic=2, crawl={"pages_per_document": 2}).crawl()
    assert everything_is_in_one_place(found)
    assert Counter(row["topic"] for row in found["pages"]) == {"food": 4, "sport": 4}
    assert {row["topic"] for row in found["candidates"]} == {"food", "sport"}
    listed = site_server.LocalSite(ARTICLES).feeds
    again = demo(tmp_path / "other", "a", listed[::-1], topics=["sport", "food"], per_topic=4).crawl()
    assert {row["url"] for row in again["pages"]} == {row["url"] for row in found["pages"]}
    asked = [request.path for request in sites[0].requests if not request.path.startswith(("/robots", "/feeds"))]
    assert len(asked) <= 8 + 2  # two may have moved


def test_a_topic_without_feeds_is_one_clear_line(tmp_path, sites):
    with pytest.raises(AssayError) as error:
        demo(tmp_path, topics=["food", "chess"]).crawl()
    topics = ", ".join(TOPICS)
    assert str(error.value) == f"shard a: found no feed for chess; the topics of crawl.topics are {topics}"
    with pytest.raises(AssayError, match=r"found no feed for business, .*travel"):
        demo(tmp_path, feeds=[]).crawl()
    assert not sites


@pytest.mark.parametrize("count", [1, 6, 14, 23])
def test_a_killed_crawl_goes_on_where_it_was(shard, papers, tmp_path, count):
    whole, killed = shard("whole").crawl(), shard("killed", crawl={"spacing_folder": str(tmp_path / "killed-hosts")})
    papers.asked()
    (tmp_path / "ledger/whole").rename(tmp_path / "elsewhere")  # or it would serve as a cache
    with start(killed) as program:
        before = asked_until(papers, count, program)
        program.kill()
    before += papers.asked()
    kept = killed.kept()
    times = {url: answer.fetched_at for url, answer in Answers(killed.ledger).own.items()}
    found, after = killed.crawl(), urls(papers.asked())
    assert len(before) >= count and not kept & set(after)
    assert kept | set(after) == {row["feed_url"] for row in papers.feeds} | {row["url"] for row in found["pages"]}
    for name in found:
        assert timeless(found[name]) == timeless(whole[name]), name
    assert all(row["fetched_at"] == times[row["url"]] for row in found["pages"] if row["url"] in kept)


def test_a_finished_crawl_asks_nobody_and_writes_the_same_bytes(shard, papers):
    done = shard()
    found, before = done.crawl(), (done.folder / "pages").read_bytes()
    papers.asked()
    assert done.crawl() == found and not papers.asked()
    assert (done.folder / "pages").read_bytes() == before


def test_what_was_torn_or_lost_is_fetched_again(shard, papers):
    done = shard()
    found = done.crawl()
    papers.asked()
    [journal], [bodies] = done.ledger.glob("*.jsonl"), done.ledger.glob("*.bodies")
    lines = journal.read_bytes().splitlines(keepends=True)
    journal.write_bytes(b"".join(lines[:-1]) + lines[-1][:-9])  # the machine went down while it was written
    with bodies.open("r+b") as file:
        file.truncate(bodies.stat().st_size * 2 // 3)
    kept = done.kept()
    again, asked = done.crawl(), urls(papers.asked())
    assert 4 < len(asked) < 24 and not kept & set(asked) and len(kept) + len(asked) == 24
    assert timeless(again["pages"]) == timeless(found["pages"])
    bodies.unlink()
    assert timeless(done.crawl()["pages"]) == timeless(found["pages"])
    assert set(urls(papers.asked())) == kept  # the others are in the file of the second run


def test_two_jobs_on_one_shard_take_turns(shard, papers):
    done = shard()
    with start(done, done) as program:
        assert program.wait() == 0
    assert len(urls(papers.asked())) == 24 and len(done.tables()["pages"]) == 20
    assert len(list(done.ledger.glob("*.jsonl"))) == 1


def test_the_next_shard_transfers_nothing_that_has_not_changed(shard, papers):
    first = shard("first").crawl()
    papers.asked()
    second, asked = shard("second").crawl(), papers.asked()
    assert len(urls(asked)) == 24 and {request.status for request in asked} == {304}
    assert not sum(request.body_bytes for request in asked)
    assert timeless(second["pages"]) == timeless(first["pages"])
    assert all(row["shard"] == "second" for row in second["pages"])


def test_a_body_that_another_shard_has_lost_is_fetched(shard, papers):
    first = shard("first")
    found = first.crawl()
    papers.asked()
    next(first.ledger.glob("*.bodies")).write_bytes(b"")
    assert timeless(shard("second").crawl()["pages"]) == timeless(found["pages"])
    assert {request.status for request in papers.asked() if request.path != "/robots.txt"} == {200}


def test_who_has_opted_out_is_not_asked_and_not_kept(shard, papers, tmp_path):
    listed = tmp_path / "opt_outs.txt"
    host, base = papers.hosts[0].partition(":")[0], papers.bases[1]
    listed.write_text(f"{host}\n{base}/1\n")
    early = shard("early")
    early.crawl()
    for name in ("early", "new"):  # one has kept what was asked for before they opted out
        papers.asked()
        found = shard(name, crawl={"opt_outs": str(listed)}).crawl()
        gone = {row["item"] for row in found["rejects"] if row["reason"] == "opted_out"}
        assert everything_is_in_one_place(found) and gone == {f"{base}/1"}
        assert len(found["pages"]) == 14 and not any(host in row["url"] for row in found["pages"])
        assert {row["feed_url"]: row["health"] for row in found["feed_health"]}[
            papers.feeds[0]["feed_url"]
        ] == "disallowed"
        assert not {url for url in urls(papers.asked()) if host in url} | gone & set(urls(papers.asked()))


def test_a_page_that_moved_to_one_that_opted_out_since_is_not_kept(tmp_path, sites):
    (tmp_path / "opt_outs.txt").write_text("http://www.tolvenecho.example/2026/09/tolven-railway-reopens")
    old = "http://www.tolvenecho.example/story/1931"
    assert old in {row["url"] for row in demo(tmp_path, topics=["travel"]).crawl()["pages"]}
    found = demo(tmp_path, topics=["travel"], crawl={"opt_outs": str(tmp_path / "opt_outs.txt")}).crawl()
    assert [row["item"] for row in found["rejects"] if row["reason"] == "opted_out"] == [old]
    assert everything_is_in_one_place(found) and not sites[1].requests


def test_a_full_disk_is_one_clear_line_and_loses_nothing(shard, papers):
    full = shard()
    with start(full, most_bytes=2500) as program:
        said, code = program.communicate()[0], program.returncode
    assert code == 1 and len(said.splitlines()) == 1 and "File too large" in said and "is kept" in said
    kept = full.kept()
    papers.asked()
    assert len(full.crawl()["pages"]) == 20
    assert not kept & set(urls(papers.asked())) and kept


def test_tables_that_cannot_be_written_are_one_clear_line_too(shard):
    full = shard()
    (full.folder / "file").write_text("")
    full.job["pages"] = str(full.folder / "file/pages")
    with pytest.raises(
        AssayError, match=r"shard a: .*(Not a directory|File exists); put it right and run again, what was"
    ):
        full.crawl()
    assert len(full.kept()) == 24
