"""Settings of the stages from articles to documents, and the files they read."""

from ragassay.base.address import local
from ragassay.documents.sources import document_files

BLOCK = 16  # shards whose indexes of texts are merged


def from_files(shards: dict) -> list[str]:
    """The shards of the user's files."""
    return [name for name, row in shards.items() if row["documents"]]


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


def collect_documents(config: dict, shards: dict, wildcards) -> dict:
    row = shards[wildcards.shard]
    lengths = {key: config["documents"][key] for key in ("min_words", "cut_after_words")}
    return {"shard": row["shard"], "per_topic": row["per_topic"], **lengths, **config["duplicates"]}
