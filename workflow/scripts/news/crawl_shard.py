"""Crawl one shard: its feeds, then the pages that they name, as they come. Nothing is read out of the pages here.

Every answer is kept in the ledger the moment it comes, so that a crawl that was killed goes on where it was; the
tables are written from there at the end. A shard is crawled once and never again: its pages are protected.
"""

import asyncio
import contextlib
import json
from collections import Counter

from ragassay import tables
from ragassay.errors import AssayError
from ragassay.llm.lease import Lease
from ragassay.news.crawl import Crawl, chosen
from ragassay.news.fetcher import Fetcher
from ragassay.news.kept import Answers
from ragassay.news.local_site import LocalSite
from ragassay.news.opt_outs import OptOuts
from ragassay.schemas.feed_health import FEED_HEALTH
from ragassay.schemas.feeds import FEEDS
from ragassay.schemas.pages import PAGES
from ragassay.stage import log, run

AGENT = "ragassay/0.1"


def crawl_shard(feeds, pages, feed_health, rejects, row, crawl, ledger):
    """`row` is the shard's row of the table of shards, `crawl` the section of the configuration."""
    listed = [
        feed for feed in tables.read(FEEDS, feeds).to_pylist() if feed["topic"] in (row["topics"] or [feed["topic"]])
    ]
    if missing := set(row["topics"] or ()) - {feed["topic"] for feed in listed}:
        known = ", ".join(sorted(crawl["topics"]))
        raise AssayError(f"shard {row['shard']}: no feed for {', '.join(sorted(missing))}; the topics are {known}")
    most = row["per_topic"] and row["per_topic"] * crawl["pages_per_document"]
    with Lease(ledger), contextlib.ExitStack() as stack:
        answers = Answers(ledger)
        stack.callback(answers.close)
        site = stack.enter_context(LocalSite(crawl["local_site"])) if crawl["local_site"] else None
        found, wanted = asyncio.run(_crawl(listed, row, crawl, most, answers, site))
        _write(found, wanted, answers, row["shard"], pages, feed_health, rejects)


async def _crawl(listed, row, crawl, most, answers, site):
    opted_out = OptOuts.read(crawl["opt_outs"]) if crawl["opt_outs"] else OptOuts()
    fetcher = Fetcher(
        f"{AGENT} (+{crawl['contact']})" if crawl["contact"] else AGENT,
        allow_hosts=crawl["allow_hosts"],
        connect_to=site.connect_to if site else None,
        gap=crawl["seconds_between_requests"],
        own_gap=crawl["seconds_between_requests_own_hosts"],
        spacing_folder=crawl["spacing_folder"],
        opted_out=opted_out.matches,
    )
    async with fetcher:
        work = Crawl(fetcher, answers, f"shard {row['shard']}")
        found = await work.feeds(listed, row["first_day"], row["last_day"])
        counts = Counter(feed["health"] for feed in found.health)
        told = ", ".join(f"{count} {health}" for health, count in counts.most_common())
        wanted = chosen(found.candidates, most)
        log.info("%d feeds (%s): %d pages, %d to fetch", len(listed), told, len(found.candidates), len(wanted))
        await work.ask(sorted(wanted))
    return found, wanted


def _write(found, wanted, answers, shard, pages, feed_health, rejects):
    tables.write(FEED_HEALTH, feed_health, [{**row, "shard": shard} for row in found.health])
    reasons = Counter()
    with tables.Writer(PAGES, pages) as kept, tables.Writer(tables.REJECTS, rejects) as refused:

        def refuse(url, reason, detail):
            reasons[reason] += 1
            row = {"stage": "crawl_shard", "shard": shard, "item": url, "reason": reason, "detail": detail}
            refused.add(row)

        for url, candidate in found.candidates.items():
            answer = answers.own.get(url) if url in wanted else None
            if answer is None:
                refuse(url, "not_needed", "enough other pages of its topic were fetched")
            elif answer.outcome != "ok":
                refuse(url, answer.outcome, answer.detail or f"status {answer.status}")
            else:
                kept.add(_page(answer, candidate, shard))
        for url, (reason, detail) in found.refused.items():
            refuse(url, reason, detail)
    assert kept.written + refused.written == len(found.candidates) + len(found.refused)
    counts = ", ".join(f"{count} {reason}" for reason, count in reasons.most_common())
    log.info("%d pages kept, %d not%s", kept.written, refused.written, counts and f" ({counts})")


def _page(answer, candidate, shard):
    return {
        "url": answer.url,
        "final_url": answer.final_url,
        "shard": shard,
        "topic": candidate.topic,
        "status": answer.status,
        "headers": json.dumps(answer.headers, sort_keys=True),
        "body": answer.packed(),
        "page_hash": answer.digest,
        "fetched_at": answer.fetched_at,
        "feed_url": candidate.feed_url,
        "feed_title": candidate.title or None,
        "feed_published": candidate.published or None,
    }


if __name__ == "__main__":
    run(crawl_shard, snakemake)
