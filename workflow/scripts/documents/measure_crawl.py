"""Turn what a crawl asked, found, fetched and kept into the metrics of the report's section on coverage.

Per shard and topic a funnel from what was asked to what was kept, with the reasons for the rest; per shard the health
of its feeds and an alarm when far fewer documents are kept than in the shard before. A shard that asks for less than
the one before is compared with the same share of what that one kept.
"""

import itertools
from collections import Counter

from ragassay.base import tables
from ragassay.base.stage import log, run
from ragassay.schemas.documents import ARTICLES, CANDIDATES, DOCUMENTS, FEED_HEALTH, NO_TOPIC, PAGES
from ragassay.schemas.report import METRICS, Section

SECTION = Section("crawl")
HEALTH = ("live", "empty", "dead", "blocked", "disallowed", "crash")


def measure_crawl(feed_health, candidates, pages, articles, documents, rejects, metrics, asked, alarm_drop):
    """`asked` holds, for each crawled shard in order, the documents asked for of each topic."""
    named = tables.frame(CANDIDATES, candidates, ["url", "topic", "in_days"])
    texts = tables.frame(ARTICLES, articles, ["article_id", "topic"])
    steps = {"found": named[named["in_days"]], "fetched": tables.frame(PAGES, pages, ["topic"]), "extracted": texts}
    steps["kept"] = tables.frame(DOCUMENTS, documents, ["topic"])
    steps = {name: _counts(rows, ["shard", "topic"], asked) for name, rows in steps.items()}
    wanted = Counter({(shard, topic): count for shard, topics in asked.items() for topic, count in topics.items()})
    totals = {name: _by_shard(counts, asked) for name, counts in (("asked", wanted), ("kept", steps["kept"]))}
    feeds = _counts(tables.frame(FEED_HEALTH, feed_health, ["health"]), ["shard", "health"], asked)
    rows = [*_funnel(wanted, steps), *_feeds(feeds, asked), *_reasons(rejects, named, texts, asked)]
    for shard in asked:
        rows += SECTION.rows("by_shard", {"shard": shard}, {name: own[shard] for name, own in totals.items()})
    rows += _alarms(totals["kept"], totals["asked"], alarm_drop)
    tables.write(METRICS, metrics, rows)


def _counts(rows, names, shards):
    """How many rows of these shards have the same values in these columns."""
    rows = rows.loc[rows["shard"].isin(list(shards)), names].fillna(NO_TOPIC)
    return Counter(rows.itertuples(index=False, name=None))


def _by_shard(counts, shards):
    return {shard: sum(count for key, count in counts.items() if key[0] == shard) for shard in shards}


def _funnel(wanted, steps):
    for shard, topic in sorted(set(wanted).union(*steps.values())):
        key = shard, topic
        numbers = {"asked": wanted[key], **{name: counts[key] for name, counts in steps.items()}}
        numbers["missing"] = max(0, wanted[key] - steps["kept"][key])
        yield from SECTION.rows("funnel", {"shard": shard, "topic": topic}, numbers, wanted[key])


def _feeds(feeds, shards):
    for shard, total in _by_shard(feeds, shards).items():
        yield from SECTION.rows("feeds", {"shard": shard}, {name: feeds[shard, name] for name in HEALTH}, total)


def _reasons(rejects, named, texts, shards):
    """Rejects under the topic of the address or article that they name."""
    rows = tables.read_all(tables.REJECTS, rejects).to_pandas()
    topics = {}
    for items, name in ((named, "url"), (texts, "article_id")):
        topics |= items.set_index(["shard", name])["topic"].dropna().to_dict()
    items = zip(rows["shard"], rows["item"], strict=True)
    keys = ["shard", "topic", "stage", "reason"]
    counts = _counts(rows.assign(topic=[topics.get(item, NO_TOPIC) for item in items]), keys, shards)
    for values, count in counts.items():
        yield from SECTION.rows("reasons", dict(zip(keys, values, strict=True)), {"rejected": count})


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
            yield from SECTION.rows("alarms", {"shard": shard, "before": before}, numbers, kept[before])


if __name__ == "__main__":
    run(measure_crawl, snakemake)
