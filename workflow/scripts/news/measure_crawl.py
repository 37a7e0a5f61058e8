"""Turn what a crawl asked, found, fetched and kept into the metrics of the report's section on coverage.

Per shard and topic a funnel from what was asked to what was kept, with the reasons for the rest; per shard the health
of its feeds and an alarm when far fewer documents are kept than in the shard before. A shard that asks for less than
the one before is held to the same share of what that one kept.
"""

import itertools
from collections import Counter

import pyarrow.compute as pc

from ragassay import tables
from ragassay.schemas.articles import ARTICLES
from ragassay.schemas.candidates import CANDIDATES
from ragassay.schemas.documents import DOCUMENTS
from ragassay.schemas.feed_health import FEED_HEALTH
from ragassay.schemas.metrics import METRICS, metric
from ragassay.schemas.pages import PAGES
from ragassay.stage import log, run

HEALTH = ("live", "empty", "dead", "blocked", "disallowed", "crash")
REASON = ("shard", "topic", "stage", "reason")
NO_TOPIC = "(none)"


def measure_crawl(feed_health, candidates, pages, articles, documents, rejects, metrics, asked, alarm_drop):
    """`asked` holds, for each crawled shard in order, the documents asked for of each topic."""
    feeds = tables.read_all(FEED_HEALTH, feed_health)
    named = tables.read_all(CANDIDATES, candidates, ["shard", "url", "topic", "in_days"])
    steps = {
        "found": _counts(named.filter(named["in_days"])),
        "fetched": _counts(tables.read_all(PAGES, pages, ["shard", "topic"])),
        "extracted": _counts(tables.read_all(ARTICLES, articles, ["shard", "topic"])),
        "kept": _counts(tables.read_all(DOCUMENTS, documents, ["shard", "topic"])),
    }
    steps = {name: _of_shards(counts, asked) for name, counts in steps.items()}
    wanted = Counter({(shard, topic): count for shard, topics in asked.items() for topic, count in topics.items()})
    refused = _refused(rejects, _topics(named, articles), asked)
    kept = {shard: _total(steps["kept"], shard) for shard in asked}
    rows = [
        *_funnel(wanted, steps),
        *_feeds(feeds, asked),
        *(
            _row(
                "reasons", dict(zip(("shard", "topic", "stage", "reason"), keys, strict=True)), "rejected", count, count
            )
            for keys, count in refused.items()
        ),
        *(
            _row("by_shard", {"shard": shard}, name, number, number)
            for shard in asked
            for name, number in (("asked", _total(wanted, shard)), ("kept", kept[shard]))
        ),
        *_alarms(kept, {shard: _total(wanted, shard) for shard in asked}, alarm_drop),
    ]
    tables.write(METRICS, metrics, rows)


def _counts(rows):
    """(shard, topic) -> rows"""
    rows = rows.set_column(rows.column_names.index("topic"), "topic", pc.fill_null(rows["topic"], NO_TOPIC))
    groups = rows.group_by(["shard", "topic"]).aggregate([([], "count_all")])
    shards, topics, numbers = (groups.column(name).to_pylist() for name in groups.column_names)
    return Counter(dict(zip(zip(shards, topics, strict=True), numbers, strict=True)))


def _of_shards(counts, shards):
    return Counter({key: count for key, count in counts.items() if key[0] in shards})


def _total(counts, shard):
    return sum(count for key, count in counts.items() if key[0] == shard)


def _funnel(wanted, steps):
    for shard, topic in sorted(set(wanted).union(*steps.values())):
        key = shard, topic
        numbers = {"asked": wanted[key], **{name: counts[key] for name, counts in steps.items()}}
        numbers["missing"] = max(0, wanted[key] - steps["kept"][key])
        for name, number in numbers.items():
            yield _row("funnel", {"shard": shard, "topic": topic}, name, number, wanted[key])


def _feeds(feeds, shards):
    counts = Counter(zip(feeds["shard"].to_pylist(), feeds["health"].to_pylist(), strict=True))
    for shard in shards:
        total = _total(counts, shard)
        for health in HEALTH:
            yield _row("feeds", {"shard": shard}, health, counts[shard, health], total)


def _topics(named, articles):
    """(shard, what a reject may name) -> its topic"""
    texts = tables.read_all(ARTICLES, articles, ["shard", "article_id", "topic"])
    topics = {}
    for rows in (named.select(["shard", "url", "topic"]), texts):
        shards, items, values = (column.to_pylist() for column in rows.columns)
        topics |= zip(zip(shards, items, strict=True), values, strict=True)
    return topics


def _refused(rejects, topics, shards):
    """REASON -> how many items"""
    columns = tables.read_all(tables.REJECTS, rejects, ["shard", "item", "stage", "reason"]).columns
    rows = zip(*(column.to_pylist() for column in columns), strict=True)
    return Counter(
        (shard, topics.get((shard, item)) or NO_TOPIC, stage, reason)
        for shard, item, stage, reason in rows
        if shard in shards
    )


def _alarms(kept, wanted, alarm_drop):
    """A row for each shard that keeps too few, and nothing for the others."""
    shards = list(kept)
    for before, shard in itertools.pairwise(shards):
        expected = kept[before] * min(1, wanted[shard] / wanted[before]) if wanted[before] else kept[before]
        drop = 1 - kept[shard] / expected if expected else 0
        if drop > alarm_drop:
            log.warning(
                "shard %s keeps %d documents, %.0f %% fewer than the %.0f that shard %s lets expect; "
                "look at its feeds and reasons in the report",
                *(shard, kept[shard], 100 * drop, expected, before),
            )
            numbers = {"alarm": drop, "kept": kept[shard], "expected": expected}
            for name, number in numbers.items():
                yield _row("alarms", {"shard": shard, "before": before}, name, number, kept[before])


def _row(table, keys, name, value, n):
    return metric("crawl", table, keys, name, float(value), n)


if __name__ == "__main__":
    run(measure_crawl, snakemake)
