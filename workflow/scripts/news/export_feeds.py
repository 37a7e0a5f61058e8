"""Export the feeds that can be crawled: your own from config, those of OPML files, and newscatcher's directory.

The directory is read from the file in the installed package; nothing is fetched. A feed that cannot be used (no web
address, no topic of the study, listed before) is a row of rejects. Does not check whether a feed is alive.
"""

from collections import Counter

from ragassay.base import tables
from ragassay.base.errors import AssayError
from ragassay.base.stage import log, run
from ragassay.documents.readers import Readers
from ragassay.news.feeds.feed import PROGRAM
from ragassay.news.feeds.feed_lists import (
    Listed,
    directory_file,
    feed_rows,
    listed_in_directory,
    listed_in_opml,
    topic_of,
)
from ragassay.schemas.documents import FEEDS


def export_feeds(
    feeds,
    rejects,
    topics,
    other_names,
    languages,
    countries,
    own_feeds,
    seconds,
    memory_mb,
    use_directory=True,
    opml_files=(),
):
    """`opml_files` are no inputs of the rule: a growing list must not trigger new crawls of past months. `seconds` and
    `memory_mb` are what the reading of one file may take.
    """
    listed = [_own(number, feed) for number, feed in enumerate(own_feeds, 1)]
    with Readers(PROGRAM, min(1, len(opml_files)), seconds, memory_mb) as readers:
        for file in opml_files:
            new_feeds = listed_in_opml(file, readers)
            digest = new_feeds[0].source_hash if new_feeds else "of no use"
            log.info("%s: %d feeds listed, SHA-256 %s", file, len(new_feeds), digest)
            listed += new_feeds
    if use_directory:
        path, digest = directory_file()
        new_feeds = listed_in_directory(
            path, digest, lambda name: topic_of([name], topics, other_names) is not None, languages, countries
        )
        log.info("newscatcher: %d feeds listed of what was asked for, SHA-256 %s", len(new_feeds), digest)
        listed += new_feeds
    rows, refused = feed_rows(listed, topics, other_names)
    reasons = Counter(row["reason"] for row in refused)
    counts = ", ".join(f"{count} {reason}" for reason, count in reasons.most_common())
    if not rows:
        raise AssayError(
            f"found no feed to crawl for the topics {', '.join(topics)} ({counts or 'none are listed'}); name feeds in "
            "own_feeds or opml, or widen topics, languages and countries"
        )
    tables.write(FEEDS, feeds, rows)
    tables.write(tables.REJECTS, rejects, refused)
    log.info(
        "%d feeds listed: %d kept, %s", len(listed), len(rows), f"rejected: {counts}" if counts else "none rejected"
    )


def _own(number, feed):
    return Listed(
        url=feed["url"],
        names=[feed["topic"]],
        place=f"own feed {number} {feed['url']}",
        source="config",
        site=feed.get("site"),
        language=feed.get("language"),
    )


if __name__ == "__main__":
    run(export_feeds, snakemake)
