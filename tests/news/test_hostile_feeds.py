"""Whatever one feed or its host does costs that feed alone, in a first run and in one that finds it in the ledger."""

import pytest

from news import Shard, feed
from servers import answer, moved, serving

LONG_NAME = ".".join(["a" * 62] * 4)
HEAD = '<?xml version="1.0"?><rss version="2.0"><channel>'


def rss(*items, head=HEAD):
    return f"{head}{''.join(items)}</channel></rss>".encode()


def item(link, more=""):
    return f"<item>{more}<link>{link}</link></item>"


CATEGORIES = "".join(f"<category>{n}</category>" for n in range(20_000))  # each compared with all before it
GOOD = rss(*(item(f"/page/{n}") for n in range(3)))
PAGES = {f"/page/{n}": answer(b"<p>The harbour is open.</p>") for n in range(3)}
HOSTILE = {  # name -> what its server answers, the health of the feed, and what its detail holds
    "undefined": (answer(b'<?xml version="1.0" encoding="undefined"?><rss>\xff</rss>'), "empty", ""),
    "charset": (answer(b"<rss>\xff</rss>", content_type="text/xml; charset=punycode"), "empty", ""),
    "blank lines": (answer(b"\n" * 120_000 + rss(item("/page/0"), head="<rss><channel>")), "live", ""),
    "blank lines in front of a comment": (answer(b"<!-- -->" + b"\n" * 1_000_000 + GOOD), "crash", "timeout: not done"),
    "author": (answer(rss(item("/page/0", f"<author>{'a.' * 500_000}</author>"))), "live", ""),
    "categories": (answer(rss(item("/page/0", CATEGORIES))), "crash", "timeout: not done"),
    "long name": (moved(f"http://{LONG_NAME}/"), "dead", "dns: "),
    "brackets": (moved("http://[]@"), "dead", "bad_url: "),
    "entry in brackets": (answer(rss(item("http://[]@"), item("//[a:b]/"), item("/page/1"))), "live", "2 entries"),
    "half an emoji": (answer(rss(item("/page/2", "<title>&#55357;</title>"))), "live", ""),
}


@pytest.mark.parametrize("name", HOSTILE)
def test_a_hostile_feed_costs_itself_alone_in_a_second_run_too(tmp_path, name):
    sent, health, detail = HOSTILE[name]
    pages = {"/feed": answer(GOOD), "/hostile": sent, **PAGES}
    with serving(pages) as base:
        crawl = {"allow_hosts": [base.removeprefix("http://")], "contact": "https://a.example/", "seconds_per_page": 1}
        shard = Shard(tmp_path, [feed(f"{base}/feed"), feed(f"{base}/hostile", "food")], crawl=crawl)
        first = shard.crawl()
        second = shard.crawl()
    found = {row["feed_url"].removeprefix(base): row for row in first["feed_health"]}
    assert (found["/hostile"]["health"], found["/feed"]["health"]) == (health, "live")
    assert detail in (found["/hostile"]["detail"] or "")
    assert {row["url"].removeprefix(base) for row in first["pages"]} == set(PAGES)
    assert second == first


def test_a_slow_host_cannot_hold_a_crawl_and_the_tables_say_so(tmp_path):
    links = [item(f"/page/{n}") for n in range(3)]
    with serving({"/feed": answer(rss(*links)), "/page/0": PAGES["/page/0"]}) as base:
        crawl = {"allow_hosts": [base.removeprefix("http://")], "seconds_between_requests_own_hosts": 0.2}
        rows = [feed(f"{base}/feed")]
        found = Shard(tmp_path, rows, crawl={**crawl, "hours_per_host": 0.3 / 3600}).crawl()
        # Of the pauses before feed, pages and between them, that after the feed may pass unseen while it is read.
        late = [row for row in found["rejects"] if row["reason"] == "out_of_time"]
        assert late and {row["detail"] for row in late} == {
            "127.0.0.1 has taken the 8.33e-05 hours of crawl.hours_per_host"
        }
        assert len(found["rejects"]) + len(found["pages"]) == 3
        [health] = Shard(tmp_path, rows, "b", crawl={**crawl, "hours_per_host": 0.0}).crawl()["feed_health"]
    assert (
        health["health"] == "dead"
        and health["detail"] == "not asked: 127.0.0.1 has taken the 0 hours of crawl.hours_per_host"
    )
