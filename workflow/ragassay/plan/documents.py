"""Settings of the stages from the web and files to documents, and the shards: which are crawled, which train models."""

from collections.abc import Iterator
from pathlib import Path

from ragassay.base.address import local
from ragassay.base.errors import AssayError, unknown
from ragassay.documents.sources import document_files
from ragassay.news.feeds.feed_lists import topic_of
from ragassay.plan.entries import lacking

BLOCK = 16  # shards whose indexes of texts are merged


class UnknownShard(AssayError):
    """A shard that a section names does not exist."""


def files(shards: dict, wildcards) -> list[str]:
    """The user's files of a shard: each is an input, so that adding or changing one re-runs the shard."""
    return document_files(_local(shards, wildcards))


def _local(shards, wildcards):
    return local(shards[wildcards.shard]["documents"], f"shards.{wildcards.shard}")


def fetch_file(wildcards) -> dict:
    return {"place": wildcards.place}


def earlier(shards: dict, index: str, block: str, wildcards) -> list[str]:
    """The indexes of the shards before this one, in their order: one for each whole block, and one for each that is in
    none. Shards are only ever appended, so that these inputs stay the same.
    """
    before = shards[wildcards.shard]["before"]
    whole = len(before) // BLOCK * BLOCK
    blocks = [block.format(shard=before[end - 1]) for end in range(BLOCK, whole + 1, BLOCK)]
    return blocks + [index.format(shard=name) for name in before[whole:]]


def block(shards: dict, index: str, wildcards) -> list[str]:
    """The indexes of the block that ends with this shard."""
    names = [*shards[wildcards.shard]["before"], wildcards.shard]
    return [index.format(shard=name) for name in names[-BLOCK:]]


def read_articles(config: dict, wildcards) -> dict:
    """Settings of a shard, wherever its articles come from."""
    return {"shard": wildcards.shard, "most_rejected": config["most_rejected"]}


def read_files(config: dict, shards: dict, wildcards) -> dict:
    """Settings of a shard that comes from the user's files."""
    named = {"columns": columns(config), "date_format": config["documents"]["date_format"]}
    return {**read_articles(config, wildcards), **named, "folder": _local(shards, wildcards)}


def columns(config: dict) -> dict[str, str]:
    """What the files of shards call the fields of a document, as readers have names."""
    return {field: name.strip().lower() for field, name in config["documents"]["columns"].items()}


def near_duplicates(config: dict) -> dict:
    """What near-duplicates are, in the words up to which documents are cut."""
    return config["duplicates"] | {"cut_after_words": config["documents"]["cut_after_words"]}


def collect_documents(config: dict, shards: dict, wildcards) -> dict:
    row = shards[wildcards.shard]
    same = near_duplicates(config) | {"min_words": config["documents"]["min_words"]}
    return {"shard": row["shard"], "per_topic": row["per_topic"], **same}


def named_shards(shards: dict, names: list[str] | int, key: str) -> list[str]:
    """The shards that a list in the configuration names, in the order of their table; all of them if it is empty. Of a
    number, so many of the first.
    """
    if isinstance(names, int):
        return list(shards)[:names]
    for name in names:
        if name not in shards:
            raise UnknownShard(f"{key}: {unknown('shard', name, shards)}")
    return [name for name in shards if name in (names or shards)]


def trained_on(config: dict, shards: dict, section: str) -> list[str]:
    """The shards on which a section's models are trained."""
    return named_shards(shards, config[section]["trained_on"], f"{section}.trained_on")


def calls_of_shards(shards: dict, wildcards, calls: list[str]) -> list[str]:
    """Of the tables of calls, those of a shard: of each there is one for every other shard, too."""
    tables, of_shards = set(calls), [path for path in calls if Path(path).stem in shards]
    return [path for path in of_shards if tables.issuperset(str(Path(path).with_stem(name)) for name in shards)]


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
    return {**read_articles(config, wildcards), "languages": crawl["languages"], **days, **_page(crawl)}


def measure_crawl(config: dict, shards: dict) -> dict:
    """How many documents of each topic each crawled shard asks for."""
    crawl = config["crawl"]
    topics = {name: shards[name]["topics"] or crawl["topics"] for name in lacking(shards, "documents")}
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
