"""Settings of the stages of the crawl, and the crawled shards."""

from collections.abc import Iterator
from pathlib import Path

from ragassay.base.errors import unknown
from ragassay.news.feeds.feed_lists import topic_of
from ragassay.plan import documents


def crawled(shards: dict) -> list[str]:
    """The shards without files of the user's."""
    return [name for name, row in shards.items() if not row["documents"]]


def export_feeds(config: dict) -> dict:
    crawl = config["crawl"]
    same = {name: crawl[name] for name in ("topics", "other_names", "languages", "countries", "own_feeds")}
    return {**same, **_page(crawl), "use_directory": crawl["newscatcher"], "opml_files": crawl["opml"]}


def crawl_shard(config: dict, shards: dict, wildcards) -> dict:
    """Settings of a crawl. All crawls of a project share the pauses between requests to a host."""
    ledger = str(Path("ledger/crawl_shard", wildcards.shard))
    row = {name: value for name, value in shards[wildcards.shard].items() if name != "before"}
    return {"row": row, "crawl": {**config["crawl"], "spacing_folder": "ledger/hosts"}, "ledger": ledger}


def extract_articles(config: dict, shards: dict, wildcards) -> dict:
    crawl, row = config["crawl"], shards[wildcards.shard]
    days = {"first_day": row["first_day"], "last_day": row["last_day"]}
    return {**documents.read_articles(config, wildcards), "languages": crawl["languages"], **days, **_page(crawl)}


def measure_crawl(config: dict, shards: dict) -> dict:
    """How many documents of each topic each crawled shard asks for."""
    crawl = config["crawl"]
    topics = {name: shards[name]["topics"] or crawl["topics"] for name in crawled(shards)}
    counts = {name: dict.fromkeys(topics[name], shards[name]["per_topic"] or 0) for name in topics}
    return {"asked": counts, "alarm_drop": crawl["alarm_drop"]}


def _page(crawl):
    """Limits for reading one page, feed or list."""
    return {"seconds": crawl["seconds_per_page"], "memory_mb": crawl["megabytes_per_page"]}


def check(config: dict) -> Iterator[tuple]:
    """Whether each of the user's feeds has a topic that the crawl knows."""
    crawl = config["crawl"]
    allowed = [*crawl["topics"], *crawl["other_names"]]
    for feed in crawl["own_feeds"]:
        if topic_of([feed["topic"]], crawl["topics"], crawl["other_names"]) is None:
            yield ("crawl", "own_feeds"), f"{unknown('topic', feed['topic'], allowed)}; it is that of {feed['url']}"
