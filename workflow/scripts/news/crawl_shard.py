"""Crawl one shard: its feeds, then the pages that they name, as they come. Pages are not read here.

Every answer is stored in the ledger as it arrives, so that a killed crawl continues where it stopped; the tables are
written from there at the end. A shard is crawled once and never again: its pages are protected.
"""

import asyncio
import contextlib
import json
from collections import Counter

from ragassay.base import tables
from ragassay.base.errors import AssayError
from ragassay.base.stage import log, run
from ragassay.base.tally import alarm
from ragassay.calls.ledger.lease import Lease
from ragassay.documents.readers import Readers
from ragassay.news.crawl import Crawl, fetcher, local_site
from ragassay.news.feeds.candidates import Days
from ragassay.news.feeds.feed import PROGRAM
from ragassay.news.fetching.archive import Answers
from ragassay.news.opt_outs import OptOuts
from ragassay.schemas.documents import CANDIDATES, FEED_HEALTH, FEEDS, PAGES


def crawl_shard(feeds, pages, candidates, feed_health, rejects, row, crawl, ledger):
    """`row` is the shard's row of the table of shards, `crawl` the section of the configuration."""
    shard, listed = row["shard"], _listed(feeds, row, crawl)
    opted_out = OptOuts.read(crawl["opt_outs"]).matches if crawl["opt_outs"] else OptOuts().matches
    with (
        _explained(shard, ledger),
        Lease(ledger),
        Answers(ledger) as answers,
        local_site(crawl) as connect_to,
        _readers(crawl) as readers,
    ):
        crawled, wanted, not_asked = asyncio.run(_crawl(listed, row, crawl, answers, readers, connect_to, opted_out))
        tables.write(FEED_HEALTH, feed_health, [{**health, "shard": shard} for health in crawled.health])
        tables.write(CANDIDATES, candidates, (_candidate(page, shard) for page in crawled.pages.values()))
        _write_pages(crawled.pages, wanted, answers, not_asked, opted_out, shard, pages, rejects)


def _listed(feeds, row, crawl):
    """The feeds of the shard's topics."""
    listed = tables.read(FEEDS, feeds).to_pylist()
    wanted = set(row["topics"] or crawl["topics"])
    listed = [feed for feed in listed if feed["topic"] in wanted]
    missing = wanted - {feed["topic"] for feed in listed}
    if missing and (row["topics"] or not listed):
        listed_counts, all_topics = (", ".join(sorted(topics)) for topics in (missing, crawl["topics"]))
        raise AssayError(
            f"shard {row['shard']}: found no feed for {listed_counts}; the topics of crawl.topics are {all_topics}"
        )
    return listed


def _readers(crawl):
    return Readers(PROGRAM, seconds=crawl["seconds_per_page"], memory_mb=crawl["megabytes_per_page"])


@contextlib.contextmanager
def _explained(shard, ledger):
    try:
        yield
    except OSError as error:
        place = f"{error.filename}: " if error.filename else ""
        raise AssayError(
            f"shard {shard}: {place}{error.strerror or error}; put it right and run again, what was answered is kept in"
            f" {ledger}"
        ) from error


async def _crawl(listed, row, crawl, answers, readers, connect_to, opted_out):
    async with fetcher(crawl, connect_to, opted_out) as asking:
        of_host, of_all = 3600 * crawl["hours_per_host"], 3600 * crawl["hours_per_shard"]
        work = Crawl(asking, answers, readers, f"shard {row['shard']}", host_seconds=of_host, seconds=of_all)
        most = row["per_topic"] and row["per_topic"] * crawl["pages_per_document"]
        crawled, wanted = await work.shard(listed, Days(row["first_day"], row["last_day"]), most)
        counts = Counter(feed["health"] for feed in crawled.health)
        listed_counts = ", ".join(f"{count} {health}" for health, count in counts.most_common())
        example = next(
            (f"{feed['feed_url']} ({feed['detail']})" for feed in crawled.health if feed["health"] == "crash"), ""
        )
        alarm("feeds", len(listed), counts["crash"], example)
        log.info("%d feeds (%s): %d pages, %d wanted", len(listed), listed_counts, len(crawled.pages), len(wanted))
    return crawled, wanted, work.not_asked


def _write_pages(candidates, wanted, answers, not_asked, opted_out, shard, pages, rejects):
    reasons, example = Counter(), ""
    with tables.Writer(PAGES, pages) as kept, tables.Writer(tables.REJECTS, rejects) as refused:
        for url, candidate in candidates.items():
            answer = answers.own.get(url) if url in wanted else None
            reason, detail = _refusal(candidate, url in wanted, answer, not_asked, opted_out)
            if reason:
                reasons[reason] += 1
                example = f"{url} ({detail})" if reason == "crash" else example
                row = {"stage": "crawl_shard", "shard": shard, "item": url, "reason": reason, "detail": detail}
                refused.add(row)
            else:
                kept.add(_page(answer, candidate, shard))
    assert kept.written + refused.written == len(candidates)
    counts = ", ".join(f"{count} {reason}" for reason, count in reasons.most_common())
    alarm("pages", len(candidates), reasons["crash"], example)
    log.info("%d pages kept, %d not%s", kept.written, refused.written, counts and f" ({counts})")


def _refusal(candidate, is_wanted, answer, not_asked, opted_out):
    """Why a page is not kept, and a detail; two empty texts if it is."""
    if candidate.reason:
        return candidate.reason, candidate.detail
    if not is_wanted:
        return "not_needed", "enough other pages of its topic were fetched"
    if answer is None:
        return not_asked(candidate.url)
    if answer.outcome != "ok":
        return answer.outcome, answer.detail or f"status {answer.status}"
    if opted_out(answer.final_url):
        return "opted_out", f"{answer.final_url} is on the list of opt-outs"
    return "", ""


def _candidate(candidate, shard):
    named = {name: getattr(candidate, name) for name in ("url", "topic", "feed_url")}
    return named | {"shard": shard, "in_days": candidate.reason != "outside_window"}


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
