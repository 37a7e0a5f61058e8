"""Settings of the stages from articles to documents, and the files they read."""

from ragassay.documents.sources import document_files


def from_files(shards: dict) -> list[str]:
    """The shards of the user's files."""
    return [name for name, row in shards.items() if row["documents"]]


def files(shards: dict, wildcards) -> list[str]:
    """The user's files of a shard: each is an input, so that adding or changing one re-runs the shard."""
    return document_files(shards[wildcards.shard]["documents"])


def before(shards: dict, pattern: str, wildcards) -> list[str]:
    """This table of the shard before; none for the first."""
    return [pattern.format(shard=name) for name in shards[wildcards.shard]["before"][-1:]]


def read_articles(config: dict, wildcards) -> dict:
    """Settings of a shard, wherever its articles come from."""
    return {"shard": wildcards.shard, "most_rejected": config["most_rejected"]}


def read_files(config: dict, shards: dict, wildcards) -> dict:
    """Settings of a shard that comes from the user's files."""
    named = {"columns": columns(config), "date_format": config["documents"]["date_format"]}
    return {**read_articles(config, wildcards), **named, "folder": shards[wildcards.shard]["documents"]}


def columns(config: dict) -> dict[str, str]:
    """What the files of shards call the fields of a document, as readers have names."""
    return {field: name.strip().lower() for field, name in config["documents"]["columns"].items()}


def find_duplicates(config: dict, shards: dict, wildcards) -> dict:
    """`earlier` is one text: with a list of paths for each of a thousand shards, to plan would take minutes."""
    earlier = " ".join(shards[wildcards.shard]["before"])
    return {"earlier": earlier, **config["duplicates"], "cut_after_words": config["documents"]["cut_after_words"]}


def collect_documents(config: dict, shards: dict, wildcards) -> dict:
    row = shards[wildcards.shard]
    lengths = {key: config["documents"][key] for key in ("min_words", "cut_after_words")}
    return {"shard": row["shard"], "per_topic": row["per_topic"], **lengths}
